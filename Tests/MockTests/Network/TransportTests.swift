import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct TransportTests {
    private func exchange(
        _ transport: Transport, _ path: String = "a", method: String = "GET",
        stub: (MockNetwork) -> Void
    ) async throws -> (body: String, response: HTTPURLResponse, requests: [RecordedRequest]) {
        let client = try TestClient(transport)
        stub(client.network)
        let (data, response) = try await client.session.exchange(
            client.request(path, method: method))
        return (data.text, response, client.network.requests)
    }

    private static let text = "text/plain; charset=utf-8"

    /// A method, a response, and the type and length that a client is told.
    private static let rows: [(String, MockResponse, type: String?, length: String?)] = [
        ("GET", .json("[1]"), "application/json", "3"),
        ("GET", .json(encoding: ["a": 1]), "application/json", "7"), ("GET", .text("é"), text, "2"),
        ("GET", .data(Data([0, 255])), "application/octet-stream", "2"),
        ("GET", .status(200), nil, "0"), ("GET", .status(204), nil, nil),
        ("GET", .status(304), nil, nil), ("HEAD", .text("unseen"), text, "6"),
        ("GET", .text("x").header("Content-Language", "en"), text, "1"),
        ("GET", .text("<p>").header("content-type", "text/html"), "text/html", "3"),
        ("GET", .text("abc").header("content-length", "3"), text, "3"),
        ("GET", .text("abc").chunked(by: 1), text, "3"),
        ("GET", .chunks(["a", "bc"], contentType: "a/b"), "a/b", "3"),
        ("GET", .text("abc").header("Content-Length", "3").chunked(by: 1), text, "3"),
        ("GET", .text("abc").header("Content-Length", "3").acceptingRanges, text, "3"),
        ("GET", .text("abc").chunked(by: 1, every: .seconds(1)), text, "3"),
        ("GET", .chunks([]), text, "0"), ("GET", .chunks(["", "a", ""]), text, "1"),
        ("GET", .events(["a"]), "text/event-stream", nil),
        ("GET", .events([]), "text/event-stream", nil),
        ("HEAD", .events(["a"]), "text/event-stream", nil),
        ("GET", .stream { try await $0.send("abc") }, "text/event-stream", nil),
        ("HEAD", .text("abc").header("Content-Length", "3"), text, "3"),
        ("HEAD", .text("abc").chunked(by: 1), text, "3"), ("HEAD", .status(200), nil, "0"),
        ("HEAD", .status(200).header("Content-Length", "99"), nil, "99"),
        ("HEAD", .status(404), nil, "0"), ("HEAD", .status(204), nil, nil),
        ("GET", .status(304).header("Content-Length", "99"), nil, "99"),
    ]

    @Test(arguments: Transport.allCases)
    func tellsTheTypeAndTheTrueLength(_ transport: Transport) async throws {
        for (method, response, type, length) in Self.rows {
            let (body, http, requests) = try await exchange(transport, method: method) {
                $0.stub(.any, response)
            }

            #expect(http.value(forHTTPHeaderField: "Content-Type") == type, "\(response)")
            #expect(http.value(forHTTPHeaderField: "Content-Length") == length, "\(response)")
            if method == "HEAD" { #expect(body.isEmpty && requests.map(\.sent) == [[]]) }
        }
    }

    @Test(arguments: Transport.allCases)
    func followsRedirectsAndKeepsCookies(_ transport: Transport) async throws {
        let (body, response, requests) = try await exchange(transport, "old", method: "POST") {
            $0.stub(.post("/old"), .redirect(to: "/new").header("Set-Cookie", "id=7; Path=/"))
            $0.stub(.get("/new"), .text("there"))
        }

        #expect(body == "there")
        #expect(response.url?.path == "/new")
        #expect(requests.map { $0.request.httpMethod } == ["POST", "GET"])
        #expect(requests.last?.request.value(forHTTPHeaderField: "Cookie") == "id=7")
    }

    @Test(arguments: Transport.allCases)
    func givesAnyError(_ transport: Transport) async throws {
        let client = try TestClient(transport)
        client.network.stub(.any, .error(TestError(number: 7)), .error(URLError(.timedOut)))

        let (status, text) = await client.outcome(of: client.request())

        #expect(status == (transport == .loopback ? 500 : nil))
        #expect(text.trimmingCharacters(in: .newlines) == "TestError(number: 7)")
        guard transport != .loopback else { return }
        #expect(await client.session.outcome(of: client.request()) == .error(.timedOut))
    }

    @Test func theServerLivesAsLongAsItsNetwork() async throws {
        var network: MockNetwork? = MockNetwork { _ in (HTTPURLResponse(), Data("mine".utf8)) }
        let session = URLSession(configuration: .withoutProxy)
        let url = try #require(try network?.serve().url)

        #expect(try await session.exchange(URLRequest(url: url)).0.text == "mine")

        network = nil
        // The port may be another test's by now.
        let after = try? await session.exchange(URLRequest(url: url)).0.text
        #expect(after != "mine")
    }

    @Test(arguments: Transport.allCases)
    func explainsWhatNothingMatches(_ transport: Transport) async throws {
        let client = try TestClient(transport)
        client.network.stub(.post("/a"), .text("x"), times: .any)

        let (status, text) = await client.outcome(of: client.request())

        #expect(status == (transport == .loopback ? 501 : nil))
        #expect(text.contains("✗ method POST, but the request has GET\n  ✓ path /a"))
        #expect(throws: VerificationError.self) { try client.network.verify() }
    }
}
