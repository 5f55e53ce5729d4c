import APIKitLite
import APIKitLiteTesting
import Foundation
import Testing

/// The samples of Testing.md on requests, ranges and real sessions.
extension TestingSamples {
    @Test func chainsCriteria() async throws {
        let network = MockNetwork()
        network.stub(
            .post("/users/{id}/orders").query(["page": "2", "archived": nil])
                .header("Accept", "application/json")
                .json(containing: #"{"items": [{"name": "tea"}]}"#)
                .not(.host("staging.example.com"))
                .where("an even id") { Int($0.pathValues["id"] ?? "")?.isMultiple(of: 2) == true },
            .status(201))
        let request = try URLRequest(
            "POST", UserRequest().baseURL, path: "/users/42/orders",
            query: ["archived": QueryFlag(), "page": 2], headers: ["Accept": "application/json"]
        ).jsonBody(["items": [["name": "milk"], ["name": "tea", "size": "L"]]])

        let (_, response) = try await network.urlSession.exchange(request)

        #expect(response.statusCode == 201)
    }

    @Test func takesARequestForAMatcher() async throws {
        let network = MockNetwork()
        network.stub(.request(try UserRequest().makeRequest(from: 42)), .json(#"{"name": "Emma"}"#))
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)

        #expect(try await loader.load(42).name == "Emma")
        await #expect(throws: APIRequestError.self) { try await loader.load(43) }
    }

    @Test func comparesAWholeRequest() throws {
        #expect(
            try NewUserRequest().makeRequest(from: User(name: "Emma")).httpMessage == """
                POST /users HTTP/1.1
                Host: api.example.com
                Content-Type: application/json

                {
                  "name": "Emma"
                }
                """)
    }

    @Test func readsWhatWasSent() async throws {
        let network = MockNetwork()
        network.stub(.post("/users"), .status(201))
        let loader = APIRequestLoader(
            apiRequest: NewUserRequest(), urlSession: network.urlSession)
        try await loader.load(User(name: "Emma"))

        let request = try #require(network.requests.first)
        #expect(request.method == "POST")
        #expect(request.path == "/users")
        #expect(request.header("Content-Type") == "application/json")
        #expect(request.json == #"{"name":"Emma"}"#)
    }

    @Test func goesOnWithTheRest() async throws {
        let network = MockNetwork()
        network.stub(
            .get("/film"), .data(Data("abcdef".utf8)).header("ETag", #""1""#).acceptingRanges)
        var request = URLRequest(url: URL(string: "https://api.example.com/film")!)
        request.setValue("bytes=4-", forHTTPHeaderField: "Range")

        let (rest, response) = try await network.urlSession.exchange(request)

        #expect(rest == Data("ef".utf8))
        #expect(response.value(forHTTPHeaderField: "Content-Range") == "bytes 4-5/6")
    }

    @Test func passesSomeOn() async throws {
        let real = MockNetwork { _ in (HTTPURLResponse(), Data("real".utf8)) }.urlSession
        let network = MockNetwork()
        network.stub(.any, .passthrough(to: real), times: .any)
        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#))

        let session = network.urlSession
        _ = try await session.exchange(URLRequest("GET", baseURL, path: "/users/1"))
        _ = try await session.exchange(URLRequest("GET", baseURL, path: "/status"))

        #expect(network.requests.map(\.wasPassedThrough) == [false, true])
    }
}
