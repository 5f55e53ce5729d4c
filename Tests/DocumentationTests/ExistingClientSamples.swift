import APIKitLite
import APIKitLiteTesting
import ClashingNames
import Foundation
import TestSupport
import Testing

private struct Item: Codable, Equatable, Sendable {
    var name: String
}

private enum Shop {
    case item(Int)
    case search(String)
    case add(Item)

    func request(_ base: URL) throws -> URLRequest {
        switch self {
        case .item(let id):
            try URLRequest("GET", base, path: "/items/{id}", ["id": id])
        case .search(let text):
            try URLRequest("GET", base, path: "/items", query: ["q": text])
        case .add(let item):
            try URLRequest("POST", base, path: "/items").jsonBody(item)
        }
    }
}

/// The samples of ExistingClient.md. Those of its client are in StructureSamples.swift, and those
/// of its streams in StreamsSamples.swift.
@Suite(.limited, .usesSockets) struct ExistingClientSamples {
    typealias User = TestingSamples.User

    let baseURL = URL(string: "https://api.example.com")!

    @Test func loadsAURLRequest() async throws {
        let network = MockNetwork()
        network.stub(.get("/users/42"), .json(#"{"name": "Emma"}"#))
        let session = network.urlSession
        let request = try URLRequest("GET", baseURL, path: "/users/42")

        let user = try await session.load(request, as: User.self, name: "user")
        let (data, response) = try await session.exchange(request)

        #expect(user == User(name: "Emma"))
        #expect(try JSONDecoder().decode(User.self, from: data) == user)
        #expect(response.statusCode == 200)
    }

    private actor TokenStore {
        private var token = "old"

        func token(replacing rejected: String?) throws -> String {
            if rejected == token { token = "new" }
            return token
        }
    }

    @Test func keepsItsFunctions() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(401))
        network.stub(
            .get("/users/42").header("Authorization", "Bearer new"), .status(425),
            .json(#"{"name": "Emma"}"#))
        let (client, store) = (network.urlSession, TokenStore())

        let session = ClosureSession { request in try await client.data(for: request) }
            .authenticated(for: baseURL) { rejected, _ in
                try await store.token(replacing: rejected)
            }
            .retrying { attempt in
                attempt.response?.statusCode == 425 ? .retry(after: .zero) : attempt.decision
            }

        let request = try URLRequest("GET", baseURL, path: "/users/42")
        #expect(try await session.load(request, as: User.self) == User(name: "Emma"))
        #expect(
            network.requests.map { $0.header("Authorization") } == [
                "Bearer old", "Bearer new", "Bearer new",
            ])
    }

    @Test func anEnumMakesTheRequests() async throws {
        let network = MockNetwork()
        let session = network.urlSession

        network.stub(.get("/items/{id}"), .json(#"{"name": "tea"}"#))
        let item = try await session.load(Shop.item(7).request(baseURL), as: Item.self)

        #expect(item == Item(name: "tea"))
        #expect(try Shop.search("a b").request(baseURL).url?.query() == "q=a%20b")
        #expect(try Shop.add(item).request(baseURL).httpMethod == "POST")
    }

    @Test func aBodyOfAnyJSON() throws {
        let parameters: [String: Any] = ["name": "tea"]

        let request = try URLRequest("POST", baseURL, path: "/items")
            .body(
                JSONSerialization.data(withJSONObject: parameters),
                contentType: "application/json")

        #expect(request.httpBody == Data(#"{"name":"tea"}"#.utf8))
    }

    @Test func aNameOfTwoModulesIsQualified() {
        let policy = APIKitLite.RetryPolicy.standard

        #expect(policy.maximumAttempts == 3)
        #expect(ClashingNames.RetryPolicy().retryLimit == 2)
    }
}
