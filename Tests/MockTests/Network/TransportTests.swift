import APIKitLite
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

    @Test(arguments: Transport.allCases)
    func fillsInWhatAResponseLeavesOut(_ transport: Transport) async throws {
        for (response, type, length): (MockResponse, String?, String?) in [
            (.json("[1]"), "application/json", "3"),
            (.json(encoding: ["a": 1]), "application/json", #"{"a":1}"#.count.description),
            (.text("é"), "text/plain; charset=utf-8", "2"),
            (.data(Data([0, 255])), "application/octet-stream", "2"),
            (.status(200), nil, "0"), (.status(204), nil, nil),
            (.text("x").header("Content-Language", "en"), "text/plain; charset=utf-8", "1"),
        ] {
            let (_, http, _) = try await exchange(transport) { $0.stub(.any, response) }

            #expect(http.value(forHTTPHeaderField: "Content-Type") == type)
            #expect(http.value(forHTTPHeaderField: "Content-Length") == length)
        }
    }

    @Test(arguments: Transport.allCases)
    func givesNoBodyToAHead(_ transport: Transport) async throws {
        let (body, response, requests) = try await exchange(transport, "a", method: "HEAD") {
            $0.stub(.head("/a"), .text("unseen"))
        }

        #expect(body.isEmpty)
        #expect(requests.map(\.sent) == [[]])
        #expect(response.value(forHTTPHeaderField: "Content-Length") == "6")
        #expect(response.value(forHTTPHeaderField: "Content-Type") == "text/plain; charset=utf-8")
    }

    @Test(arguments: Transport.allCases)
    func tellsTheTrueLength(_ transport: Transport) async throws {
        for (method, response, length): (String, MockResponse, String?) in [
            ("GET", .text("abc").header("content-length", "3"), "3"),
            ("GET", .text("abc").chunked(by: 1), "3"), ("GET", .chunks(["a", "bc"]), "3"),
            ("GET", .text("abc").header("Content-Length", "3").chunked(by: 1), "3"),
            ("GET", .text("abc").header("Content-Length", "3").acceptingRanges, "3"),
            ("GET", .text("abc").chunked(by: 1, every: .seconds(1)), "3"),
            ("GET", .events(["a"]), nil), ("GET", .events([]), nil), ("HEAD", .events(["a"]), nil),
            ("GET", .stream { try await $0.send("abc") }, nil),
            ("HEAD", .text("abc").header("Content-Length", "3"), "3"),
            ("HEAD", .text("abc").chunked(by: 1), "3"), ("HEAD", .status(200), "0"),
            ("HEAD", .status(200).header("Content-Length", "99"), "99"),
            ("HEAD", .status(404), "0"), ("HEAD", .status(204), nil),
            ("GET", .status(304).header("Content-Length", "99"), "99"),
            ("GET", .status(304), nil), ("GET", .status(204), nil),
        ] {
            let (_, http, _) = try await exchange(transport, "a", method: method) {
                $0.stub(.any, response)
            }

            #expect(http.value(forHTTPHeaderField: "Content-Length") == length)
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
    func givesTheHandlerItsPathValuesAndBody(_ transport: Transport) async throws {
        let (body, response, _) = try await exchange(transport, "users/42", method: "DELETE") {
            $0.stub(.delete("/users/{id}")) { request in
                .text("gone: \(request.pathValues["id"] ?? "")", status: 202)
            }
        }

        #expect(body == "gone: 42")
        #expect(response.statusCode == 202)
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

    @Test(arguments: Transport.allCases)
    func replacesAHeaderOrAddsToIt(_ transport: Transport) async throws {
        let (_, response, _) = try await exchange(transport, "a") {
            $0.stub(
                .any,
                .text("<p>").header("content-type", "text/html").header("ETag", "1")
                    .header("ETag", "2").header("Vary", "Accept").addingHeader("vary", "Origin"))
        }

        #expect(response.value(forHTTPHeaderField: "Content-Type") == "text/html")
        #expect(response.value(forHTTPHeaderField: "ETag") == "2")
        #expect(response.value(forHTTPHeaderField: "Vary") == "Accept, Origin")
    }

    @Test func theServerLivesAsLongAsItsNetwork() async throws {
        var network: MockNetwork? = MockNetwork { _ in (HTTPURLResponse(), Data("mine".utf8)) }
        let session = URLSession(configuration: .withoutProxy)
        let url = try #require(try network?.serve().url)

        let (data, _) = try await session.exchange(URLRequest(url: url))
        #expect(data.text == "mine")

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
