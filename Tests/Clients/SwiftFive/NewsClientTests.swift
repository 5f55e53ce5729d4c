import APIKitLite
import APIKitLiteTesting
import TestSupport

/// A client that was written for a `URLSession`. The type of `session` has changed, and the casts of
/// responses to `HTTPURLResponse` have gone, because they always succeed.
struct NewsClient {
    let session: any HTTPSession  // was: URLSession
    let baseURL = URL(string: "https://news.example.com")!

    func headlines() async throws -> [String] {
        let (data, response) = try await session.data(from: baseURL.appending(path: "headlines"))
        guard response.statusCode == 200 else {
            throw URLError(.badServerResponse)
        }
        return try JSONDecoder().decode([String].self, from: data)
    }

    func headline(_ id: Int) async throws -> Data {
        var request = URLRequest(url: baseURL.appending(path: "headlines/\(id)"))
        request.setValue("text/plain", forHTTPHeaderField: "Accept")
        return try await session.data(for: request).0
    }

    func send(_ comment: String) async throws -> Int {
        var request = URLRequest(url: baseURL.appending(path: "comments"))
        request.httpMethod = "POST"
        let (_, response) = try await session.upload(for: request, from: Data(comment.utf8))
        return response.statusCode
    }
}

@Suite(.limited, .usesSockets) struct NewsClientTests {
    @Test func aChainTakesThePlaceOfAURLSession() async throws {
        let network = MockNetwork()
        network.stub(.get("/headlines"), .status(503), .json(#"["A"]"#))
        network.stub(.get("/headlines/1").header("Accept", "text/plain"), .text("A"))
        network.stub(.post("/comments").body(Data("hello".utf8)), .status(201))
        let client = NewsClient(
            session: network.urlSession.retrying(clock: MockClock(), random: { 0 }))

        #expect(try await client.headlines() == ["A"])
        #expect(try await client.headline(1) == Data("A".utf8))
        #expect(try await client.send("hello") == 201)
        try network.verify()
    }
}
