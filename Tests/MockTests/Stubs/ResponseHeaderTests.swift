import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct ResponseHeaderTests {
    private func response(
        _ transport: Transport, _ response: MockResponse
    ) async throws -> HTTPURLResponse {
        let client = try TestClient(transport, MockNetwork(response))
        return try await client.session.exchange(client.request()).1
    }

    private static let headers: KeyValuePairs = [
        "X-A": "1", "Content-Type": "a/b", "x-a": "2", "X-B": "",
    ]

    @Test(arguments: Transport.allCases)
    func everyFormTakesHeaders(_ transport: Transport) async throws {
        let (headers, encoder) = (Self.headers, JSONEncoder())
        let responses: [MockResponse] = [
            .json("{}", status: 201, headers: headers),
            .json(encoding: [1], status: 201, headers: headers, encoder: encoder),
            .text("x", status: 201, headers: headers), .text("", status: 201, headers: headers),
            .data(Data("x".utf8), contentType: "x/y", status: 201, headers: headers),
            .status(201, headers: headers), .chunks(["a", "b"], status: 201, headers: headers),
        ]
        for response in responses {
            let http = try await self.response(transport, response)

            #expect(http.statusCode == 201)
            #expect(http.value(forHTTPHeaderField: "X-A") == "1, 2")
            #expect(http.value(forHTTPHeaderField: "Content-Type") == "a/b")
        }
    }

    @Test(arguments: Transport.allCases)
    func refusesAHeaderThatWouldBreakTheMessage(_ transport: Transport) async throws {
        let lineBreak = "has a line break or another control character in its value. Remove it."
        let noToken = "is not one word. Use letters, digits and hyphens."
        let noHead = "the response is an error or .hanging, so it has no body and no head."
        let rows: [(MockResponse, String)] = [
            (.text("x").header("X-A", "hunter2\r\nX-B: 1"), "The header \"X-A\" \(lineBreak)"),
            (.text("x").header("X-A", "hunter2\n"), "The header \"X-A\" \(lineBreak)"),
            (.text("x").addingHeader("X-A", "hunter2\0"), "The header \"X-A\" \(lineBreak)"),
            (.text("x").header("X-B", "a=1\u{7f}"), "The header \"X-B\" \(lineBreak)"),
            (.json("{}", headers: ["X-A": "\u{1}"]), "The header \"X-A\" \(lineBreak)"),
            (.redirect(to: "/a\n"), "The header \"Location\" \(lineBreak)"),
            (.data(Data(), contentType: "a\rb"), "The header \"Content-Type\" \(lineBreak)"),
            (.text("x").header("X A", "1"), "The header \"X A\" \(noToken)"),
            // Only the first error is reported.
            (.text("x").header("X A", "1").header("X-B", "\n"), "The header \"X A\" \(noToken)"),
            (.text("x").header("X-A:", "1"), "The header \"X-A:\" \(noToken)"),
            (.text("x").header("", "1"), "The header \"\" \(noToken)"),
            (.status(200, headers: ["X\nA": "1"]), "The header \"X\\nA\" \(noToken)"),
            (.text("x", headers: ["Transfer-Encoding": "chunked"]), Self.framing),
            (.stream(headers: ["Transfer-Encoding": "gzip"]), Self.framing),
            (.text("x").header("Transfer-Encoding", "chunked").chunked(by: 1), Self.framing),
            (.hanging.header("ETag", "1"), "header(\"ETag\", …): \(noHead)"),
            (.error(.timedOut).addingHeader("ETag", "1"), "header(\"ETag\", …): \(noHead)"),
            (.hanging.acceptingRanges, "acceptingRanges: \(noHead)"),
            (.error(.timedOut).acceptingRanges, "acceptingRanges: \(noHead)"),
        ]
        for (response, text) in rows {
            let client = try TestClient(
                transport, MockNetwork(response, fileID: "A/B.swift", line: 7))

            let (status, message) = await client.outcome(of: client.request())

            #expect(status == (transport == .loopback ? 500 : nil))
            let expected = "\(text) (A/B.swift:7)"
            #expect(message.trimmingCharacters(in: .newlines) == expected)
            #expect(client.network.findings == [expected])
        }
    }

    private static let framing =
        "The header \"Transfer-Encoding\" cannot be written here: the mock decides how it sends the "
        + "body. Remove it."

    @Test(arguments: Transport.allCases, [false, true])
    func refusesALengthThatIsNotTrue(_ transport: Transport, isMadeByHandler: Bool) async throws {
        let none = "a stream has none, unlike .data(_:).chunked(by:)"
        let eight: KeyValuePairs = ["content-length": "8"]
        let rows: [(method: String, MockResponse, reason: String)] = [
            ("GET", .text("abc", headers: eight), "the length is 3"),
            ("GET", .text("abc").chunked(by: 1).header("content-length", "8"), "the length is 3"),
            ("GET", .text("abc", headers: eight).delayed(by: .seconds(1)), "the length is 3"),
            ("GET", .text("abc", headers: eight).acceptingRanges, "the length is 3"),
            ("GET", .chunks(["a", "b"], headers: eight), "the length is 2"),
            ("GET", .text("12345678", headers: eight).failing(afterBytes: 8), "the length is 9"),
            ("GET", .text("abc", headers: eight).failing(afterBytes: 1), "the length is 3"),
            ("GET", .status(200, headers: eight), "the length is 0"),
            ("GET", .redirect(to: "/b").header("content-length", "8"), "the length is 0"),
            ("HEAD", .text("abc", headers: eight), "the length is 3"),
            ("GET", .status(204, headers: eight), "a 204 has none"),
            ("HEAD", .status(204, headers: eight), "a 204 has none"),
            ("GET", .events(["abc"], headers: eight), none), ("GET", .stream(headers: eight), none),
            ("GET", .stream().header("content-length", "8"), none),
            ("GET", .stream(headers: eight) { try await $0.send("12345678") }, none),
            ("HEAD", .stream(headers: eight) { _ in }, none),
        ]
        for row in rows {
            let client = try TestClient(transport)
            if isMadeByHandler {
                client.network.stub(.any, fileID: "A/B.swift", line: 7) { _ in row.1 }
            } else {
                client.network.stub(.any, row.1, fileID: "A/B.swift", line: 7)
            }

            let (status, message) = await client.outcome(of: client.request(method: row.method))

            let text =
                "The header \"Content-Length\" is \"8\", and \(row.reason). Remove it. (A/B.swift:7)"
            #expect(status == (transport == .loopback ? 500 : nil), "\(row)")
            let hasBody = transport != .loopback || row.method != "HEAD"
            if hasBody { #expect(message == text + (transport == .loopback ? "\n" : ""), "\(row)") }
            #expect(client.network.findings == [text], "\(row)")
        }
    }

    @Test(arguments: Transport.allCases)
    func deliversEachHeaderAsItIsWritten(_ transport: Transport) async throws {
        let headers: KeyValuePairs = [
            "Connection": "Keep-Alive", "Keep-Alive": "timeout=5", "Content-Encoding": "identity",
            "Content-Length": "3", "Trailer": "X-A", "Upgrade": "h2c", "Date": "today", "TE": "a",
            "Server": "s", "Accept-Ranges": "none", "Proxy-Connection": "close",
        ]
        for response in [
            .text("abc", headers: headers), .chunks(["a", "bc"], headers: headers),
            .text("abc").headers(headers).delayed(by: .seconds(1)),
        ] as [MockResponse] {
            let http = try await self.response(transport, response)

            for (name, value) in headers {
                #expect(http.value(forHTTPHeaderField: name) == value, "\(name)")
            }
        }
        for value in ["close", "Close", "keep-alive, X-A"] {
            let http = try await response(transport, .text("x", headers: ["Connection": value]))
            #expect(http.value(forHTTPHeaderField: "Connection") == value)
        }
    }

    @Test(arguments: Transport.allCases)
    func keepsAnUnusualHeader(_ transport: Transport) async throws {
        let http = try await response(
            transport, .text("x").header("X_!#$%&'*+.^`|~1", "a\tb, \"ä\""))

        #expect(http.value(forHTTPHeaderField: "X_!#$%&'*+.^`|~1")?.hasPrefix("a\tb, ") == true)
        let blank = try await response(transport, .text("x").header("X-A", " \t1 2\t "))
        #expect(blank.value(forHTTPHeaderField: "X-A") == "1 2")
    }
}
