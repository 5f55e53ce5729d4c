import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

private protocol ShopRequest: APIRequest {}

extension ShopRequest {
    var redaction: Redaction { .shop }
}

extension Redaction {
    static let shop = Redaction.standard.adding("birthday", "X-Customer")
}

/// The samples about secrets: which are hidden, and how to choose them.
@Suite(.limited, .usesSockets) struct SecretsSamples {
    private struct CustomerRequest: ShopRequest {
        func makeRequest(from birthday: String) throws -> URLRequest {
            try URLRequest(
                "GET", URL(string: "https://api.example.com")!, path: "/customers",
                query: ["birthday": birthday])
        }

        func parseResponse(data: Data) throws -> String { data.text }
    }

    @Test func hidesAnAppsOwnSecrets() async throws {
        let network = MockNetwork(redacting: .shop)
        network.stub(.get("/customers"), .status(500))
        let lines = Locked<[String]>([])

        let session = network.urlSession.observed(redacting: .shop, clock: MockClock()) { line in
            lines.withLock { $0.append(line) }
        }
        let loader = APIRequestLoader(apiRequest: CustomerRequest(), urlSession: session)

        let error = try await #require(throws: APIRequestError.self) {
            try await loader.load("2001-02-03")
        }

        let line = "GET https://api.example.com/customers?birthday=REDACTED"
        #expect(
            error.description == """
                CustomerRequest: \(line) got an answer that was not accepted (stage .validate).
                The server answered 500 (Internal Server Error) with an empty body.
                A status in 200..<300 was expected.
                curl 'https://api.example.com/customers?birthday=REDACTED'
                """)
        #expect(
            lines.withLock { $0 }.prefix(2).last
                == "#1 \(line): 500 (Internal Server Error), 0 bytes, 0.000 s")
        #expect(network.requests.map { "\($0)" } == [line])
    }

    @Test func showsWhatATestCompares() async throws {
        let network = MockNetwork(redacting: .standard.showing("password"))
        network.stub(.post("/login").json(#"{"user": "emma", "password": "hunter2"}"#), .json("{}"))

        let request = try URLRequest(
            "POST", URL(string: "https://api.example.com")!, path: "/login"
        )
        .jsonBody(["user": "emma", "password": "hunter3"])
        let failure = await #expect(throws: MockError.self) {
            _ = try await MockURLSession(network).exchange(request)
        }

        let text = try #require(failure).description
        #expect(text.contains(#"      $.password: expected "hunter2", got "hunter3""#))
    }
}
