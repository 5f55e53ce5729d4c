import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

struct Order: Decodable {
    var id: Int
}

extension Endpoint where Self == Endpoint<Int, Order> {
    static func order(_ base: URL) -> Self {
        Self { try URLRequest("GET", base, path: "/orders/{id}", ["id": $0]) }
    }
}

/// The samples in the documentation comments, so that they keep compiling and keep their word.
@Suite(.limited) struct SampleTests {
    @Test func building() throws {
        let base = URL(string: "https://api.example.com/v1")!
        let request = try URLRequest(
            "GET", base, path: "/users/{id}", ["id": 42],
            query: ["fields": "name", "page": nil])

        #expect(request.url?.absoluteString == "https://api.example.com/v1/users/42?fields=name")
    }

    @Test func endpoints() async throws {
        let base = URL(string: "https://api.example.com")!
        let network = MockNetwork()
        network.stub(.get("/orders/7"), .json(#"{"id": 7}"#))
        let session = MockURLSession(network)

        let order = try await session.load(.order(base), 7)

        #expect(order.id == 7)
    }

    @Test func flags() throws {
        let request = try URLRequest(
            "GET", URL(string: "https://h")!, query: ["archived": QueryFlag(), "page": 2])

        #expect(request.url?.query == "archived&page=2")
    }

    @Test func redaction() throws {
        let request = try URLRequest("GET", URL(string: "https://h")!, query: ["birthday": 1234])

        #expect(
            request.curlCommand(redacting: .standard.adding("X-Tenant", "birthday"))
                == "curl 'https://h?birthday=REDACTED'")
    }

    @Test(arguments: [
        (404, "nobody"), (500, "failed with 500"),
    ])
    func errors(_ status: Int, _ expected: String) throws {
        func load() throws(APIRequestError) -> String {
            throw APIRequestError(
                stage: .validate,
                response: HTTPURLResponse(
                    url: URL(string: "https://h")!, statusCode: status, httpVersion: nil,
                    headerFields: nil),
                underlying: UnacceptableStatus(statusCode: status))
        }
        var user = ""
        do {
            user = try load()
        } catch  where error.statusCode == 404 {
            user = "nobody"
        } catch  where error.isCancellation {
            return
        } catch {
            user = "failed with \(error.statusCode ?? 0)"
        }

        #expect(user == expected)
    }
}
