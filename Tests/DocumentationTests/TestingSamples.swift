import APIKitLite
import APIKitLiteTesting
import TestSupport

/// The samples of Testing.md and Stubs.md.
@Suite(.limited) struct TestingSamples {
    let baseURL = URL(string: "https://api.example.com")!

    typealias User = ClientSamples.User
    typealias UserRequest = ClientSamples.UserRequest
    typealias NewUserRequest = ClientSamples.NewUserRequest

    @Test func asksUntilTheUserIsThere() async throws {
        let network = MockNetwork()
        let stub = network.stub(
            .get("/users/1"), .status(404), .status(404), .json(#"{"name": "Emma"}"#))

        var user: User?
        while user == nil { user = try? await network.load(UserRequest(), 1) }

        #expect(stub.callCount == 3)
    }

    @Test func respondsWithWhatWasAsked() async throws {
        let network = MockNetwork()
        network.stub(.get("/users/{id}")) { request in
            let id = try #require(request.pathValues["id"])
            #expect(request.request.value(forHTTPHeaderField: "Accept") == nil)
            return .json(encoding: User(name: "user \(id)"))
        }

        #expect(try await network.load(UserRequest(), 7).name == "user 7")
    }

    @Test func canBeCancelled() async throws {
        let network = MockNetwork()
        network.stub(.any, .hanging)

        let load = Task { try await network.load(UserRequest(), 1) }
        await network.waitForRequests()
        load.cancel()

        let error = await #expect(throws: APIRequestError.self) { try await load.value }
        #expect(error?.isCancellation == true)
    }

    @Test func fallsBackToOlderStubs() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(404), times: .any)
        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#))
        network.stub(.get("/users/{id}"), .status(503), times: .once)

        let error = await #expect(throws: APIRequestError.self) {
            try await network.load(UserRequest(), 42)
        }
        let user = try await network.load(UserRequest(), 42)

        #expect(error?.statusCode == 503)
        #expect(user.name == "Emma")
        try network.verify()
    }

    @Test func chainsCriteria() async throws {
        let network = MockNetwork()
        network.stub(
            .post("/users/{id}/orders").query(["page": 2, "archived": ""])
                .header("Accept", "application/json")
                .json(containing: #"{"items": [{"name": "tea"}]}"#)
                .not(.host("staging.example.com"))
                .where("an even id") {
                    Int($0.pathValues["id"] ?? "")?.isMultiple(of: 2) == true
                },
            .status(201))
        let request = try URLRequest(
            "POST", UserRequest().baseURL, path: "/users/42/orders",
            query: ["archived": "", "page": 2], headers: ["Accept": "application/json"]
        ).jsonBody(["items": [["name": "milk"], ["name": "tea", "size": "L"]]])

        #expect(try await network.exchange(request).1.statusCode == 201)
    }

    @Test func comparesAWholeRequest() throws {
        let request = try NewUserRequest().makeRequest(from: User(name: "Emma"))
        #expect(
            request.curlCommand() == """
                curl -X POST 'https://api.example.com/users' \
                -H 'Content-Type: application/json' --data-raw '{"name":"Emma"}'
                """)
    }

    @Test func readsWhatWasSent() async throws {
        let network = MockNetwork()
        network.stub(.post("/users"), .status(201))
        try await network.load(NewUserRequest(), User(name: "Emma"))

        let request = try #require(network.requests.first)
        #expect(request.method == "POST")
        #expect(request.path == "/users")
        #expect(request.header("Content-Type") == "application/json")
        #expect(request.json == #"{"name":"Emma"}"#)
    }

    @Test(.usesSockets) func passesSomeOn() async throws {
        let real = MockNetwork { _ in (HTTPURLResponse(), Data("real".utf8)) }.urlSession
        let network = MockNetwork()
        network.stub(.any, .passthrough(to: real), times: .any)
        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#))

        let session = network
        _ = try await session.exchange(URLRequest("GET", baseURL, path: "/users/1"))
        _ = try await session.exchange(URLRequest("GET", baseURL, path: "/status"))

        #expect(network.requests.map(\.wasPassedThrough) == [false, true])
    }
}
