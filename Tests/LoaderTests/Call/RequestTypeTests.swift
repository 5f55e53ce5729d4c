import APIKitLiteTesting
import TestSupport

@testable import APIKitLite

/// An app's own protocol, which gives its redaction to all requests.
private protocol ShopRequest: APIRequest {}

extension ShopRequest {
    var redaction: Redaction { .standard.adding("birthday") }
}

/// What a loader adds to its errors: the type of the request, and its redaction.
@Suite(.limited, .usesSockets) struct RequestTypeTests {
    private struct CustomerRequest: ShopRequest {
        func makeRequest(from birthday: String) throws -> URLRequest {
            if birthday.isEmpty { throw TestError(number: 3) }
            return try URLRequest("GET", .api, path: "/customers", query: ["birthday": birthday])
        }

        func parseResponse(data: Data) throws -> Int {
            if data.isEmpty { throw CancellationError() }
            return try JSONDecoder().decode(Int.self, from: data)
        }
    }

    private struct Paged<Request: Sendable>: APIRequest {
        typealias ResponseDataType = Data
        func makeRequest(from data: Void) throws -> URLRequest { throw TestError() }
    }

    @Test(arguments: [
        ("", "CustomerRequest failed before it was sent (stage .makeRequest)."),
        ("1", "CustomerRequest: GET <URL> got no complete response (stage .transport)."),
        ("2", "CustomerRequest: GET <URL> got a response that was not accepted (stage .validate)."),
        ("3", "CustomerRequest: GET <URL> got a response that could not be parsed (stage .parse)."),
        ("4", "CustomerRequest: GET <URL> was cancelled (stage .parse)."),
    ])
    func namesTheTypeOfTheRequest(_ birthday: String, _ headline: String) async throws {
        let network = MockNetwork()
        let responses = [MockResponse.error(.timedOut), .status(500), .json("[]"), .status(204)]
        network.stub(.any, responses[(Int(birthday) ?? 1) - 1])
        let loader = APIRequestLoader(apiRequest: CustomerRequest(), urlSession: network)

        let error = try await #require(throws: APIRequestError.self) {
            try await loader.load(birthday)
        }
        let url = "https://api.example.com/customers?birthday=REDACTED"
        let firstLine = error.description.prefix { $0 != "\n" }
        #expect(error.requestType == "CustomerRequest")
        #expect(firstLine == headline.replacing("<URL>", with: url))
        #expect(error.redaction == .standard.adding("birthday"))
        #expect(!error.description.contains("birthday=\(birthday)&"))
    }

    @Test func namesAGenericType() async throws {
        let loader = APIRequestLoader(
            apiRequest: Paged<CustomerRequest>(), urlSession: MockURLSession())
        let error = try await #require(throws: APIRequestError.self) { try await loader.load(()) }
        #expect(error.requestType == "Paged<CustomerRequest>")
        #expect(error.localizedDescription == "The request could not be created.")
    }

    @Test func namesACallThatHasOnlyAURLRequest() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(404))
        let log = EventLog()
        let session = network.observed(by: log)

        for name in ["users.show", nil] {
            let error = await #expect(throws: APIRequestError.self) {
                try await session.load(.test("users/1"), as: Data.self, name: name)
            }
            #expect(error?.requestType == name)
        }

        let names = ["users.show", "users.show", "users.show", nil, nil, nil]
        #expect(log.events.map(\.requestType) == names)
    }

    @Test func hidesTheStandardSecretsByDefault() {
        #expect(TextRequest().redaction == .standard)
        #expect(APIRequestError(stage: .parse, underlying: TestError()).requestType == nil)
    }
}
