import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct MockNetworkTests {
    let network = MockNetwork()

    private func get(_ path: String) async throws -> String {
        try await network.urlSession.exchange(.test(path)).0.text
    }

    @Test func failsEachRequestOfABrokenStub() async throws {
        let responses: [(MockResponse, String)] = [
            (.json("{"), "not JSON"), (.json(encoding: ["x": Double.nan]), "could not encode"),
            (.status(99), "100...599"), (.text("x", status: 600), "100...599"),
        ]
        for (response, part) in responses {
            let network = MockNetwork(response)
            for _ in 0..<2 {
                let text = try await network.urlSession.mockError()
                #expect(text.contains(part) && text.contains("MockNetworkTests.swift:"))
            }
            #expect(network.findings.count == 1)
        }
    }

    @Test func failsOnlyTheRequestOfAnUnusableResponse() async throws {
        network.stub(.get("/a"), .text("one"), .json(""), .text("three"), .status(99))

        #expect(try await get("a") == "one")
        let text = try await network.urlSession.mockError()
        #expect(text.hasPrefix("Response 2 of 4: .json(_:) was given an empty text."))
        #expect(try await get("a") == "three")
        let starts = network.findings.map { "\($0.prefix(16))" }
        #expect(starts == ["Response 2 of 4:", "Response 4 of 4:"])
    }

    /// A predicate may take long, and its client may leave in the meantime.
    @Test func aRequestThatIsCancelledWhileItIsMatchedIsRecordedSo() async throws {
        network.stub(
            .any.where("it cancels its client") { _ in
                withUnsafeCurrentTask { $0?.cancel() }
                return true
            }, .text("a"))
        let load = Task { [network] in try await network.exchange(.test("a")) }

        await #expect(throws: URLError(.cancelled)) { try await load.value }

        #expect(network.requests.map(\.wasCancelled) == [true])
    }

    @Test func recordsWhatCame() async throws {
        network.stub(.post("/users/{id}"), .status(204))
        var request = URLRequest.test("users/a b", method: "POST", body: #"{"name": "Emma"}"#)
        request = try request.query(["q": "1+1"]).header("Accept-Language", "fr")
        request.url = request.url.flatMap { URL(string: "\($0)&plus=a+b") }

        _ = try await network.urlSession.exchange(request)

        let record = try #require(network.requests.first)
        #expect(record.url == request.url)
        #expect(record.method == "POST")
        #expect(record.path == "/users/a b")
        #expect(record.header("accept-language") == "fr")
        #expect(record.header("X-Other") == nil)
        #expect(record.json == #"{"name":"Emma"}"#)
        #expect(RecordedRequest(request: .test("a", body: "no JSON")).json == nil)
        #expect(record.pathValues["id"] == "a b")
        #expect(record.query["q"] == "1+1")
        #expect(
            RecordedRequest(request: .url("https://h/?q=first&q=second&q")).query == ["q": "first"])
        #expect(record.query["plus"] == "a b")
        #expect(record.queryItems.map(\.value) == ["1+1", "a b"])
        #expect(try record.decode([String: String].self) == ["name": "Emma"])
        #expect(!record.wasCancelled)
    }

    // Foundation's own path is empty if an escape is no UTF-8.
    @Test func decodesThePathAndTheQuery() {
        for (url, path) in [
            ("https://h", ""), ("https://h/?a", "/"), ("https://h/a%20b/%2F?c#d", "/a b//"),
            ("https://h/%FF/a", "/\u{FFFD}/a"),
        ] { #expect(RecordedRequest(request: .url(url)).path == path) }
        let record = RecordedRequest(request: .url("https://h/?q=%FF&%FF=1&a"))
        #expect(record.queryItems.map(\.name) == ["q", "\u{fffd}", "a"])
        #expect(record.queryItems.map(\.value) == ["\u{fffd}", "1", nil])
        #expect(record.query["q"] == "\u{fffd}")
    }

    @Test func keepsTheLastTenThousandRequests() async throws {
        let stub = network.stub(.any, .text("x"))

        for index in 0..<10_010 { _ = try await network.exchange(.test("\(index)")) }

        #expect(network.requests.count == 10_000)
        #expect(network.requests.first?.path == "/10")
        #expect(stub.requests.count == 10_000)
        #expect(stub.callCount == 10_010)
        // Those that have left the journal count, too.
        #expect(await network.waitForRequests(10_010).count == 10_000)
    }

    /// The bodies of 1,000 requests and of their responses are kept.
    @Test func forgetsTheBodiesOfOldRequests() async throws {
        network.stub(.get("/pieces")) { _ in .text("abc").chunked(by: 2) }
        network.stub(.any, .text("abc"))

        for _ in 0..<10 { _ = try await network.exchange(.test("pieces")) }
        for _ in 0..<1_000 {
            _ = try await network.exchange(.test("a", method: "POST", body: "{}"))
        }

        let requests = network.requests
        #expect(requests.allSatisfy { $0.response?.statusCode == 200 })
        let kept = requests.map { $0.body.count + $0.sent.reduce(0) { $0 + $1.data.count } }
        #expect(kept == Array(repeating: 0, count: 10) + Array(repeating: 5, count: 1_000))
    }

    /// What an open stream receives after 1,000 further requests is only counted.
    @Test func forgetsWhatAnOldRequestReceivesLater() async throws {
        let stub = network.stub(.get("/stream"), .stream())
        network.stub(.get("/a"), .text("a"))
        let body = try await network.stream(.test("stream")).0
        for _ in 0..<1_000 { _ = try await network.exchange(.test("a")) }

        try await stub.send("late")

        #expect(network.requests.first?.sent == [])
        #expect(network.requests.first?.sentBody.byteCount == 4)
        try await stub.finish()
        #expect(try await body.text == "late")
    }

    // A handler makes a new body for each request.
    @Test func onlyCountsALongBodyOfAHandler() async throws {
        network.stub(.get("/long")) { _ in .data(Data(count: 1_048_577)) }
        network.stub(.get("/short")) { _ in .data(Data(count: 1_048_576)) }

        for path in ["long", "short"] { _ = try await get(path) }

        #expect(network.requests.map(\.sentBody.byteCount) == [1_048_577, 1_048_576])
        #expect(network.requests.map(\.sentBody.pieceCount) == [1, 1])
        #expect(network.requests.map(\.sent.count) == [0, 1])
    }

    @Test func hasOneSession() { #expect(network.urlSession === network.urlSession) }

    @Test func keepsCookiesToItself() async throws {
        network.stub(.get("/login"), .status(204).header("Set-Cookie", "id=7; Path=/"))
        network.stub(.get("/a"), .text("x"))
        let other = MockNetwork(.text("x"))

        for path in ["login", "a"] { _ = try await get(path) }
        _ = try await other.urlSession.exchange(.test("a"))

        #expect(network.requests.last?.request.value(forHTTPHeaderField: "Cookie") == "id=7")
        #expect(other.requests.last?.request.value(forHTTPHeaderField: "Cookie") == nil)
    }

    @Test(
        arguments: ["https", "http", "HTTPS", "ftp", "ws", "app"].map { "\($0)://127.0.0.1:1/a" }
            + ["file:///etc/hostname", "FILE:///etc/hostname", "data:text/plain,hello"])
    func respondsToEveryScheme(_ url: String) async throws {
        network.stub(.any, .text("mine"))

        #expect(try await network.urlSession.data(for: .url(url)).0.text == "mine")
    }
}
