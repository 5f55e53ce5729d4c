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

/// The samples of ComingFromALibrary.md.
@Suite(.limited, .usesSockets) struct ComingFromALibrarySamples {
    let baseURL = URL(string: "https://shop.example.com")!

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
