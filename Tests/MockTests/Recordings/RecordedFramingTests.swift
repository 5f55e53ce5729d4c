import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

/// What was recorded is replayed, however the server sent it.
@Suite(.limited, .usesSockets, .mayBlock) struct RecordedFramingTests {
    /// The headers with which servers, and the programs that record them, send a body.
    static let framings: [KeyValuePairs<String, String>] = [
        ["Transfer-Encoding": "chunked"],
        ["transfer-encoding": "gzip, chunked", "content-encoding": "gzip"],
        ["Transfer-Encoding": "chunked", "Content-Length": "15", "Trailer": "X-Sum"],
        [
            "Connection": "keep-alive, X-Hop", "Keep-Alive": "timeout=5", "X-Hop": "1",
            "Proxy-Connection": "keep-alive",
        ],
        ["Connection": "Upgrade", "Upgrade": "h2c"], ["Connection": "close"], ["TE": "trailers"],
        ["Content-Encoding": "gzip", "Content-Length": "999"], ["Content-Encoding": "br"],
        ["Content-Length": "1"], ["content-length": "3000"], ["content-length": "unknown"],
        [":status": "200", "alt-svc": "h3=\":443\""],
    ]

    /// The fields that belong to one connection (RFC 9110, section 7.6.1), and their opposite.
    private static let hops = [
        "Connection", "Keep-Alive", "X-Hop", "Proxy-Connection", "Upgrade", "TE", "Trailer",
        "Transfer-Encoding", "Content-Encoding",
    ]

    private func archive(_ framing: KeyValuePairs<String, String>) throws -> HTTPArchive {
        let headers = (framing.map { ($0, $1) } + [("ETag", "\"1\"")]).map { name, value in
            #"{"name": \#(JSONText.write(name)), "value": \#(JSONText.write(value))}"#
        }
        return try .of(entry(headers: headers.joined(separator: ", ")))
    }

    @Test(arguments: Transport.allCases)
    func isReplayedHoweverItWasSent(_ transport: Transport) async throws {
        await forEachRow(Self.framings) { framing, comment in
            let client = try TestClient(transport, .replaying(archive(framing)))

            let (data, response) = try await client.session.exchange(client.request("users/7"))

            #expect(data.text == #"{"name":"Emma"}"#, comment)
            #expect(response.statusCode == 200, comment)
            #expect(response.value(forHTTPHeaderField: "ETag") == "\"1\"", comment)
            try client.network.verify()
        }
    }

    /// The client of a replay sees the fields that the client of the recording saw.
    @Test func keepsTheFieldsOfTheRecording() async throws {
        let network = MockNetwork.replaying(try archive(Self.framings[3]))
        let response = try await network.exchange(.test("users/7")).1
        #expect(response.value(forHTTPHeaderField: "Keep-Alive") == "timeout=5")
        #expect(response.value(forHTTPHeaderField: "X-Hop") == "1")
    }

    @Test func aServerSendsNoFieldOfAnotherConnection() async throws {
        await forEachRow(Self.framings) { framing, comment in
            let network = MockNetwork()
            network.stub(try archive(framing), then: .repeatLast)
            let server = try network.serve()
            let client = try RawClient(port: server.port)
            // The connection stays open for the second request.
            for _ in 0..<2 {
                client.send("GET /users/7 HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
                let reply = try client.reply()
                #expect(reply.text == #"{"name":"Emma"}"#, comment)
                for name in Self.hops where reply.header("Content-Length") != nil {
                    #expect(reply.header(name) == nil, comment)
                }
                #expect(reply.header("ETag") == "\"1\"", comment)
            }
        }
    }

    /// A client may write the address of the server in several ways.
    @Test(arguments: [
        ("127.0.0.1", true), ("localhost", true), ("[::1]", true), ("other.example", false),
    ])
    func isReplayedUnderEachNameOfTheServer(_ host: String, _ isServed: Bool) async throws {
        let network = MockNetwork.replaying(try archive([:]))
        let server = try network.serve()
        let url = try #require(URL(string: "http://\(host):\(server.port)/users/7"))

        let response = try? await network.exchange(URLRequest(url: url)).1

        #expect(response?.statusCode == (isServed ? 200 : nil))
    }

    /// A server as others write it, and what a proxy sends of its response.
    @Test func passesNoFieldOfAnotherConnectionOn() async throws {
        let real = try LoopbackServer { _ in
            .of(
                "abc",
                fields: [
                    "Transfer-Encoding": "chunked", "Connection": "X-Hop", "X-Hop": "1",
                    "Keep-Alive": "timeout=5", "X-Kept": "2",
                ])
        }
        let network = MockNetwork()
        let session = URLSession(configuration: .withoutProxy).intercepting { request, next in
            var request = request
            request.url = real.url
            return try await next(request)
        }
        network.stub(.any, .passthrough(to: session))
        let client = try RawClient(port: network.serve().port, sending: get("/"))

        let reply = try client.reply()

        #expect(reply.text == "abc")
        #expect(reply.header("X-Kept") == "2")
        for name in ["Connection", "X-Hop", "Keep-Alive"] { #expect(reply.header(name) == nil) }
    }

    /// Records over the session that nearly every app uses, from a server that sends chunks.
    @Test func recordsAServerThatSendsChunks() async throws {
        let server = try LoopbackServer { _ in
            .of(
                "ab", "cd",
                fields: [
                    "Transfer-Encoding": "chunked", "Connection": "keep-alive, X-Hop", "X-Hop": "1",
                    "Keep-Alive": "timeout=5", "Trailer": "X-Sum", "Upgrade": "h2c",
                ])
        }
        _ = URLSessionConfiguration.withoutProxy
        var request = URLRequest(url: server.url.appending(path: "a"))
        request.timeoutInterval = 3_600
        let folder = try TemporaryFolder()
        let recording = RecordingFile(
            name: "chunks", besideFile: folder.url.appending(path: "Tests.swift").path,
            function: "f()")
        try await recording.record(over: URLSession.shared, at: "Tests.swift:1") {
            [request] network in
            let text = try await network.exchange(request).0.text
            #expect(text == "abcd")
        }
        let archive = try HTTPArchive(
            contentsOf: folder.url.appending(path: "Recordings/chunks.har"))
        #expect(archive[0].response?.value(forHTTPHeaderField: "Transfer-Encoding") == "chunked")
    }

    /// The opposite: what a test writes is checked, also if it changes a recorded response.
    @Test func aTestWritesNoFraming() async throws {
        let exchange = try archive(["Transfer-Encoding": "chunked"])[0]
        for name in ["Transfer-Encoding", "Connection", "Content-Encoding", "Content-Length"] {
            let response = MockResponse.exchange(exchange)
            #expect(response.configurationError == nil)
            for wrong in [response.header(name, "5"), response.addingHeader(name, "5")] {
                #expect(
                    wrong.configurationError?.hasPrefix(
                        "The header \"\(name)\" cannot be written here") == true)
            }
        }
        #expect(MockResponse.exchange(exchange).header("ETag", "a\nb").configurationError != nil)
    }
}
