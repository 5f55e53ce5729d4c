import APIKitLite
import APIKitLiteTesting
import TestSupport

// The samples of Secrets.md.

extension Redaction {
    static let shop = Redaction.standard.adding("birthday", "X-Customer")
}

private struct CustomerRequest: APIRequest {
    typealias ResponseDataType = Data

    var redaction: Redaction { .shop }

    func makeRequest(from birthday: String) throws -> URLRequest {
        try URLRequest(
            "GET", URL(string: "https://api.example.com")!, path: "/customers",
            query: ["birthday": birthday])
    }
}

@Suite(.limited) private struct SecretsSamples {
    @Test func hidesTheBirthday() async throws {
        let network = MockNetwork()
        network.stub(.get("/customers"), .status(500))

        let error = try await #require(throws: APIRequestError.self) {
            try await network.load(CustomerRequest(), "2001-02-03")
        }

        #expect(!"\(error)".contains("2001-02-03"))
        try expectPage("Secrets.md", toShow: error.description)
    }
}
