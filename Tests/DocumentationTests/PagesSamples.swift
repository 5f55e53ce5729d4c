import APIKitLite
import APIKitLiteTesting
import Observation
import TestSupport

private struct User: Codable, Equatable { var name: String }

private struct UsersRequest: PagedAPIRequest {
    typealias ResponseDataType = [User]

    let baseURL: URL
    var term: String?

    func makeRequest(from page: Int) throws -> URLRequest {
        try URLRequest("GET", baseURL, path: "/users", query: ["q": term, "page": page])
    }

    func nextInput(
        after users: [User], response: HTTPURLResponse, from page: Int
    ) -> Int? {
        users.isEmpty ? nil : page + 1
    }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@MainActor @Observable private final class UsersModel {
    private(set) var users: [User] = []
    private let pages: Pages<Int, [User], APIRequestError>.Iterator

    init(_ session: any HTTPSession, _ request: UsersRequest) {
        pages = session.pages(request, from: 1).makeAsyncIterator()
    }

    /// Call it in the `task` of the last row.
    func loadMore() async throws {
        if let page = try await pages.next() { users += page.value }
    }
}

/// The samples of Requests.md about the pages of a list.
@Suite(.limited) private struct PagesSamples {
    let baseURL = URL(string: "https://api.example.com")!
    let network = MockNetwork()

    @Test func loadsEveryPage() async throws {
        network.stub(.get("/users"), .json("[]"))
        network.stub(
            .get("/users").query(["page": "1"]), .json(#"[{"name": "Emma"}, {"name": "Anne"}]"#))
        let (session, request) = (network, UsersRequest(baseURL: baseURL))

        var names: [String] = []
        for try await user in session.pages(request, from: 1).elements { names.append(user.name) }

        #expect(names == ["Emma", "Anne"])
        try network.verify()
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    @MainActor @Test func loadsTheNextPageWhenTheListIsScrolled() async throws {
        network.stub(
            .get("/users"), .json(#"[{"name": "Emma"}]"#), .error(.notConnectedToInternet),
            .json(#"[{"name": "Anne"}]"#), .json("[]"), times: .exactly(4))
        let model = UsersModel(network, UsersRequest(baseURL: baseURL))

        try await model.loadMore()
        #expect(model.users.map(\.name) == ["Emma"])
        await #expect(throws: APIRequestError.self) { try await model.loadMore() }
        for _ in 1...3 { try await model.loadMore() }

        #expect(model.users.map(\.name) == ["Emma", "Anne"])
        #expect(network.requests.map(\.query["page"]) == ["1", "2", "2", "3"])
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    @MainActor @Test func aLatePageOfAnOldTermIsNotShown() async throws {
        let old = network.stub(.any.query(["q": "e"]), .json(#"[{"name": "Emma"}]"#).held)
        network.stub(.any.query(["q": "a"]), .json(#"[{"name": "Anne"}]"#))
        var model = UsersModel(network, UsersRequest(baseURL: baseURL, term: "e"))
        let load = Task { [model] in try await model.loadMore() }
        await old.waitForRequests()

        model = UsersModel(network, UsersRequest(baseURL: baseURL, term: "a"))
        try await model.loadMore()
        old.release()
        try await load.value

        #expect(model.users.map(\.name) == ["Anne"])
    }
}
