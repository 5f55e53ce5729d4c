import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited) struct HTTPRequestReaderTests {
    @Test func readsRequests() throws {
        var reader = HTTPRequestReader([Data(conversation.utf8)])
        let (requests, error) = reader.all()

        #expect(error == nil)
        #expect(requests.map(\.request.httpMethod) == ["GET", "POST", "PUT", "GET", "DELETE"])
        let paths = ["/", "/a", "/b", "/lf", "/c"]
        #expect(requests.map(\.request.url?.absoluteString) == paths.map { "http://h\($0)" })
        #expect(
            requests.map { $0.request.httpBody?.text }
                == [nil, "hello\r\nyou!", "abc0123456789\r\nabcd", nil, nil])
        #expect(requests.map(\.keepsAlive) == [true, true, true, true, false])
        #expect(requests.first?.request.value(forHTTPHeaderField: "Cookie") == "a=1; b=2")
        #expect(requests.last?.request.value(forHTTPHeaderField: "Accept") == "a, b")
    }

    @Test func readsWhatClientsSend() async {
        await forEachRow(ReadableRequest.all, named: \.text.debugDescription) { row, comment in
            // A second request shows that the first one was read to its end.
            var reader = HTTPRequestReader([
                Data((row.text + "GET /2 HTTP/1.1\r\nHost: h\r\n\r\n").utf8)
            ])
            var continued = 0

            let request = try #require(try reader.next { continued += 1 }, comment)
            #expect(request.request.url?.absoluteString == row.url, comment)
            #expect((request.request.httpBody ?? Data()).text == row.body, comment)
            #expect(request.keepsAlive == row.keepsAlive, comment)
            #expect(continued == 0, comment)
            #expect(try reader.next()?.request.url?.path() == "/2", comment)
        }
    }

    /// What arrives before the server waits for more, what arrives then, and whether the client is told
    /// to continue.
    @Test(arguments: [
        ("Content-Length: 2\r\n\r\n", "hi", 1), ("Transfer-Encoding: chunked\r\n\r\n", chunks, 1),
        // It has sent some of the body, or has none.
        ("Content-Length: 2\r\n\r\nh", "i", 0), ("Content-Length: 2\r\n\r\nhi", "", 0),
        ("Content-Length: 0\r\n\r\n", "", 0), ("\r\n", "", 0),
    ])
    func saysContinueOnlyIfItIsNeeded(_ first: String, _ second: String, _ count: Int) throws {
        for (version, count) in [("1.1", count), ("1.0", 0)]
        where version == "1.1" || second != Self.chunks {
            let head = "POST / HTTP/\(version)\r\nHost: h\r\nExpect: 100-continue\r\n"
            var reader = HTTPRequestReader([Data((head + first).utf8), Data(second.utf8)])
            var continued = 0

            let request = try reader.next { continued += 1 }

            #expect(continued == count, "\(version)")
            #expect(
                (request?.request.httpBody ?? Data()).text
                    == (first.contains("2") || second == Self.chunks ? "hi" : ""))
        }
    }

    private static let chunks = "2\r\nhi\r\n0\r\n\r\n"

    @Test func keepsTheBytesOfAField() throws {
        let head = Data(
            "GET /\u{e9} HTTP/1.1\r\nHost: h\r\nX-A: a\tb\r\nX-B:\u{a0}\r\nX-C:\r\nx-c: c\r\nX-D: "
                .utf8)
        var reader = HTTPRequestReader([head + [0xE9] + Data("\r\n\r\n".utf8)])

        let request = try #require(try reader.next()?.request)
        #expect(request.url?.absoluteString == "http://h/%C3%A9")
        #expect(request.value(forHTTPHeaderField: "X-A") == "a\tb")
        #expect(request.value(forHTTPHeaderField: "X-B") == "\u{a0}")
        #expect(request.value(forHTTPHeaderField: "X-C") == ", c")
        // The first spelling of a name is kept.
        #expect(request.allHTTPHeaderFields?["X-C"] == ", c")
        #expect(request.value(forHTTPHeaderField: "X-D") == "\u{fffd}")
    }

    @Test(arguments: [
        ("/a/b?c=d&e", "/a/b?c=d&e"), ("//a", "//a"), ("/%2F%20", "/%2F%20"),
        ("/?http://x", "/?http://x"),
        ("/x?filter[name]=San%20Jose", "/x?filter%5Bname%5D=San%20Jose"),
        ("/a%20b|c%zz", "/a%20b%7Cc%25zz"),
    ])
    func hasTheURLThatTheClientTyped(_ target: String, _ url: String) throws {
        for host in ["host:81", "localhost", "[::1]:82"] {
            let text = "GET \(target) HTTP/1.1\r\nhost: \(host)\r\n\r\n"
            var reader = HTTPRequestReader([Data(text.utf8)])

            let request = try reader.next()?.request
            #expect(request?.url?.absoluteString == "http://\(host)\(url)")
        }
    }

    @Test func readsTheSameHoweverTheBytesAreSplit() {
        func outcome(_ pieces: [Data]) -> [String] {
            var reader = HTTPRequestReader(pieces)
            let (requests, error) = reader.all()
            return requests.map { "\($0.request) \($0.request.httpBody?.text ?? "")" }
                + [error?.description ?? "none"]
        }
        let bytes = Data(conversation.utf8)
        let expected = outcome([bytes])
        for cut in bytes.indices {
            #expect(outcome([bytes[..<cut], bytes[cut...]]) == expected, "at \(cut)")
        }
        // Pieces of one byte end at each place, and longer ones also begin where a line ends.
        for text in MalformedRequest.all.map(\.text) + [conversation] {
            let bytes = Data(text.utf8)
            let expected = outcome([bytes])
            for size in bytes.count < 1_000 ? [1, 2, 3, 7] : [bytes.count / 9 + 1] {
                let pieces = stride(from: 0, to: bytes.count, by: size).map {
                    bytes[$0..<min($0 + size, bytes.count)]
                }
                #expect(outcome(pieces) == expected, "\(text), in pieces of \(size)")
            }
        }
    }

    @Test func refusesMalformedRequests() async {
        await forEachRow(MalformedRequest.all, named: \.name) { malformed, comment in
            var reader = HTTPRequestReader([Data(malformed.text.utf8)])
            let text = reader.all().error?.description ?? ""
            #expect(text.contains(malformed.reason), "\(malformed.name): \(text)")
        }
    }

    @Test func reservesNoMemoryForAnAnnouncedLength() {
        let text = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(Int.max)\r\n\r\nhello"
        var reader = HTTPRequestReader([Data(text.utf8)])

        #expect(reader.all().error?.description.contains("connection ended within it") == true)
    }
}
