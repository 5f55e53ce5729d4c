import TestSupport

/// A request, and the line that its failure offers, pasted.
private struct Pasted: Sendable {
    let request: URLRequest
    let stub: @Sendable (MockNetwork) -> Void

    init(_ request: URLRequest, _ stub: @escaping @Sendable (MockNetwork) -> Void) {
        (self.request, self.stub) = (request, stub)
    }
}

@Suite(.limited) struct SuggestionTests {
    private static let pasted = [
        Pasted(.test("users/42")) { network in network.stub(.get("/users/42"), .json("{}")) },
        Pasted(.url("https://h?b=2&a&b=2&q=%22%C3%A9")) { network in
            network.stub(.get("/").query(["b": "2", "a": "", "b": "2", "q": #""é"#]), .json("{}"))
        },
        Pasted(.test("users", method: "POST", body: #"{ "name": "Emma", "age": 3.0 }"#)) {
            network in
            network.stub(.post("/users").json(#"{"age":3,"name":"Emma"}"#), .json("{}"))
        },
        Pasted(.test("a", method: "POST", body: ###"["\"#", "\\##"]"###)) { network in
            network.stub(.post("/a").json(###"["\"#","\\##"]"###), .json("{}"))
        },
        // The compiler finds a mark that is a part of an emoji.
        Pasted(.test("a", method: "POST", body: ##"{"icon":"#️⃣"}"##)) { network in
            network.stub(.post("/a").json(##"{"icon":"#️⃣"}"##), .json("{}"))
        },
        Pasted(.form("name=Emma+%26&flag")) { network in
            network.stub(.post("/a").form(["name": "Emma &"]), .json("{}"))
        },
        Pasted(.url("https://h/a?line=1%0A2%00")) { network in
            network.stub(.get("/a").query(["line": "1\n2\0"]), .json("{}"))
        },
        Pasted(.url("https://h/a%2Fb/%7Bid%7D")) { network in
            network.stub(.method("GET").path(exactly: "/a%2Fb/%7Bid%7D"), .json("{}"))
        },
        Pasted(.test("a", method: "HEAD")) { network in network.stub(.head("/a"), .status(200)) },
        Pasted(.test("a b", method: "PURGE")) { network in
            network.stub(.method("PURGE").path("/a b"), .json("{}"))
        },
        Pasted(.url("https://h/a?token=hunter2")) { network in
            network.stub(.get("/a").query(["token": "hunter2"]), .json("{}"))
        },
        Pasted(
            // The names, types and boundary are valid.
            try! URLRequest.test("a", method: "POST").multipartBody([
                .text("title", #"a "b""#),
                .file("avatar", fileName: "a.png", contentType: "image/png", data: longData),
                MultipartPart(name: "long", data: longData),
            ])
        ) { network in network.stub(.post("/a"), .json("{}")) },
    ]

    private static let longData = Data(String(repeating: "x", count: 300).utf8)

    @Test func matchesWhatItWasMadeFrom() async throws {
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
            .filter { !$0.isWhitespace }
        await forEachRow(Self.pasted, named: \.request.description) { row, comment in
            let text = try await MockNetwork().mockError(row.request, comment)
            let line = text.components(separatedBy: "\n").first { $0.hasPrefix("  network.stub(") }
            let code = try #require(line, comment).filter { !$0.isWhitespace }
            #expect(source.contains("{networkin\(code)}"), comment)

            let network = MockNetwork()
            row.stub(network)
            let (_, response) = try await network.exchange(row.request)

            #expect(response.statusCode == 200, comment)
        }
    }

    /// A suggested line includes a body of at most 200 bytes.
    @Test(arguments: [(200, true), (201, false), (312, false)])
    func showsABodyUpToALength(_ length: Int, _ isShown: Bool) async throws {
        let body = #"["\#(String(repeating: "x", count: length - 4))"]"#

        let text = try await MockNetwork().mockError(.test("a", method: "POST", body: body))

        #expect(text.contains(#".post("/a").json("#) == isShown, "\(text)")
        guard !isShown else { return }
        #expect(text.hasSuffix(#"stub(.post("/a"), .json("{}"))"#) && text.count < 400, "\(text)")
    }
}
