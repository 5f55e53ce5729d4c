import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets, .mayBlock) struct LoopbackServerTests {
    @Test func respondsWithWhatTheStubSays() throws {
        let server = try LoopbackServer { request in
            .of(
                "\(request.httpMethod ?? "") \(request.url?.absoluteString ?? "")", status: 299,
                fields: ["X-Seen": request.value(forHTTPHeaderField: "X-Sent") ?? ""])
        }
        let client = try server.client(
            "BREW /pot?milk=1 HTTP/1.1\r\nHost: localhost:1\r\nX-Sent: a\r\nx-sent: b\r\n\r\n")

        let reply = try client.reply()
        #expect(reply.status == 299)
        #expect(reply.text == "BREW http://localhost:1/pot?milk=1")
        #expect(reply.header("X-Seen") == "a, b")
        #expect(reply.header("Content-Length") == "34")
        #expect(reply.header("Date")?.hasSuffix(" GMT") == true)
        let date = Date(timeIntervalSince1970: 784_111_777)
        #expect(httpDateFormat.format(date) == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    /// A response, and what the server writes about its length and the connection.
    private static let framings: [(given: ResponsePart, fields: [String: String?], text: String)] =
        [
            (.of("abc"), ["Content-Length": "3", "Connection": nil], "abc"),
            // A closure has written it, so it is sent.
            (
                .of("abc", fields: ["Content-Length": "2"]),
                ["Content-Length": "2", "Connection": "close"], "ab"
            ),
            (
                .of("abc", fields: ["Transfer-Encoding": "Chunked"]),
                ["Content-Length": nil, "Transfer-Encoding": "Chunked", "Connection": nil], "abc"
            ),
            (
                .of("abc", fields: ["Transfer-Encoding": "x"]),
                ["Content-Length": nil, "Transfer-Encoding": "x", "Connection": "close"], "abc"
            ),
            (.of("abc", "", "d"), ["Content-Length": "4", "Transfer-Encoding": nil], "abcd"),
            (.of("abc", fields: ["Connection": "Keep-Alive"]), ["Connection": "Keep-Alive"], "abc"),
            (.of("a", "b", fields: ["Content-Length": "2"]), ["Transfer-Encoding": nil], "ab"),
            (
                .of("x", fields: ["Content-Encoding": "gzip"]),
                ["Content-Encoding": "gzip", "Content-Length": "1"], "x"
            ),
            (.of(fields: ["Date": "today"]), ["Date": "today", "Content-Length": "0"], ""),
            (.of(fields: ["Connection": "close"]), ["Connection": "close"], ""),
            (.of("abc", fields: ["Connection": "x, close"]), ["Connection": "x, close"], "abc"),
            (.of("abc", status: 103), ["Connection": "close", "Content-Length": nil], ""),
        ]

    /// HTTP/1.0 has no chunks: the end of the connection ends the body.
    @Test(arguments: ["1.1", "1.0"])
    func framesAResponse(_ version: String) async {
        let old = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + get("/2")
        await forEachRow(Self.framings) { row, comment in
            let server = try LoopbackServer { _ in row.given }
            let client = try server.client(version == "1.0" ? old : get("/"))
            let connection = row.fields["Connection"] ?? nil

            let reply = try client.reply()

            #expect(reply.text == row.text, comment)
            if version == "1.0" {
                #expect(reply.header("Transfer-Encoding") == nil, comment)
                #expect(reply.header("Connection") == connection ?? "close", comment)
            } else {
                for (name, value) in row.fields { #expect(reply.header(name) == value, comment) }
                guard connection?.hasSuffix("close") == true else { return }
            }
            let hasMore = row.text == "ab" && connection == "close"
            #expect(try client.rest().text == (hasMore ? "c" : ""), comment)
        }
    }

    /// Clients read one cookie in a field (RFC 6265, section 3).
    @Test func writesAFieldForEachCookie() throws {
        let network = MockNetwork(
            .text("x").header("Set-Cookie", "a=1; Expires=Mon, 01 Jan 2035 00:00:00 GMT")
                .header("Set-Cookie", "b=2"))
        let client = try network.serve().client(get("/"))

        let lines = try client.reply().head.components(separatedBy: "\r\n")

        #expect(
            lines.filter { $0.hasPrefix("Set-Cookie") } == [
                "Set-Cookie: a=1; Expires=Mon, 01 Jan 2035 00:00:00 GMT", "Set-Cookie: b=2",
            ])
    }

    /// As from a server that counts wrongly.
    @Test func endsTheConnectionAfterTooFewBytes() async throws {
        let network = MockNetwork { request in
            let response = HTTPURLResponse(
                url: request.url!, statusCode: 200, httpVersion: nil,
                headerFields: ["Content-Length": "99"])!
            return (response, Data("abc".utf8))
        }
        let (session, baseURL) = try Transport.loopback.open(network)

        let outcome = await session.outcome(of: URLRequest(url: baseURL))
        #expect(outcome == .error(.networkConnectionLost))
    }

    /// Only the option `close` ends it (RFC 9110, section 7.6.1).
    @Test(arguments: ["keep-alive", "not-close, closed"])
    func keepsTheConnection(_ option: String) throws {
        let server = try LoopbackServer {
            .of([$0.httpBody ?? Data()], fields: ["Connection": option])
        }
        let client = try server.client()

        for body in ["one", "", "three"] {
            client.send(post("Content-Length: \(body.utf8.count)\r\n\r\n\(body)"))
            #expect(try client.reply().text == body)
        }
    }

    @Test func respondsToPipelinedRequestsInOrder() throws {
        let (held, server) = try HeldRequests.serve()
        let client = try server.client(get("/0") + get("/1") + get("/2"))

        var order: [String] = []
        for _ in 0..<3 {
            #expect(held.waitForArrivals())
            // This responds to some requests a second time, which must have no effect.
            held.respondToAll()
            order.append(try client.reply().text)
        }
        #expect(order == ["0", "1", "2"])
    }

    @Test func holdsBackAClientThatPipelinesWithoutEnd() throws {
        let server = try LoopbackServer { .of($0.url?.lastPathComponent ?? "") }
        let client = try RawClient(port: server.port)
        // A body, because the server reads it faster than it reads fields.
        let rest = "Content-Length: 2000\r\n\r\n" + String(repeating: "x", count: 2_000)
        let requests = (0..<500).map { post(rest, to: "/\($0)") }.joined()
        DispatchQueue.global().async { client.send(requests) }

        let order = try (0..<500).map { _ in try client.reply().text }
        #expect(order == (0..<500).map(String.init))
    }

    @Test func survivesPipelinedRequestsThatAllFailAtOnce() throws {
        let server = try LoopbackServer { _, respond in
            respond(.failure(TestError()))
            return {}
        }
        let client = try RawClient(port: server.port)
        DispatchQueue.global().async {
            client.send(String(repeating: get("/"), count: 5_000))
            client.finishSending()
        }

        let responses = try client.rest().text
        #expect(responses.components(separatedBy: "HTTP/1.1 500 ").count == 5_001)
    }

    @Test(arguments: ["Content-Length", "Transfer-Encoding"])
    func echoesALargeBody(_ framing: String) throws {
        let server = try LoopbackServer.echo()
        let client = try RawClient(port: server.port)
        let piece = Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7919) })
        var body = Data()
        for _ in 0..<8_000 { body += piece }
        let isChunked = framing == "Transfer-Encoding"
        client.send(post("\(framing): \(isChunked ? "chunked\r\n\r\n7A1200" : "8000000\r\n")\r\n"))
        client.send(body)
        if isChunked { client.send("\r\n0\r\n\r\n") }

        #expect(try client.reply().body == body)
    }

    @Test func saysContinueBeforeTheBody() throws {
        let server = try LoopbackServer.echo()
        let client = try server.client(post("Content-Length: 5\r\nExpect: 100-continue\r\n\r\n"))

        #expect(try client.reply().status == 100)
        client.send("hello")
        #expect(try client.reply().text == "hello")
    }

    @Test func refusesMalformedRequests() async throws {
        let all = MalformedRequest.all
        let server = try LoopbackServer.echo()
        await forEachRow([all[0], all[all.count / 2], all[all.count - 1]], named: \.name) {
            malformed, comment in
            let client = try server.client(malformed.text)

            let reply = try client.reply()
            #expect(reply.status == 400, comment)
            #expect(reply.text.contains(malformed.reason), "\(malformed.name): \(reply.text)")
            #expect(reply.text.hasPrefix("This is not a request that the server reads: "), comment)
            #expect(reply.header("Connection") == "close", comment)
            #expect(try client.rest().isEmpty, comment)
            #expect(try server.client(get("/")).reply().status == 200, comment)
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: h\r\n", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nh",
    ])
    func refusesARequestWithoutItsEnd(_ text: String) throws {
        let server = try LoopbackServer.echo()
        let client = try server.client(text, isFinished: true)

        #expect(try client.reply().status == 400)
        #expect(try client.rest().isEmpty)
    }

    @Test func refusesAClientThatGoesOnSending() throws {
        let server = try LoopbackServer.echo()
        let client = try server.client("POST / HTTP/1.1\r\nContent-Length: 8000000\r\n\r\n")

        // If the socket closed immediately, this would fail, and the response might be lost.
        #expect(client.send(Data(count: 8_000_000)))
        #expect(try client.reply().status == 400)
        #expect(try client.rest().isEmpty)
    }

    @Test func failsAsTheStubFails() throws {
        let server = try LoopbackServer { request in
            switch request.url?.path {
            case "/network": throw URLError(.networkConnectionLost)
            default: throw TestError(number: 7)
            }
        }

        func response(to path: String) throws -> String {
            try server.client(get(path, "Connection: close\r\n")).rest().text
        }
        #expect(try response(to: "/network").isEmpty)
        #expect(try response(to: "/other").hasPrefix("HTTP/1.1 500 Internal Server Error"))
        #expect(try response(to: "/other").hasSuffix("\r\n\r\nTestError(number: 7)\n"))
    }
}

func get(_ path: String, _ fields: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n"
}

private func post(_ rest: String, to path: String = "/") -> String {
    "POST \(path) HTTP/1.1\r\nHost: h\r\n" + rest
}
