// Other platforms cannot start a process.
#if os(macOS) || os(Linux)
import APIKitLite
import APIKitLiteTesting
import TestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What an app does first: each policy, stream and file over `URLSession.shared`, in a process that
/// has made no other session, from a server that sends chunks.
@Suite(.limited, .usesSockets) struct FirstSessionChainTests {
    struct Row: Sendable {
        let name: String
        let check: @Sendable (URLSession, MockNetwork, URLRequest) async throws -> Void
    }

    @Test func worksInTheFirstSession() async {
        await #expect(processExitsWith: .success) {
            try await withFirstSession { session in
                await forEachRow(FirstSessionChainTests.rows, named: \.name) { row, _ in
                    let network = MockNetwork()
                    let url = try network.serveInChunks().url
                    try await row.check(session, network, URLRequest(url: url))
                }
            }
        }
    }

    private static let rows = loads + policies + streams + files
    private static let noDelay = RetryPolicy(baseDelay: .zero, deadline: nil)

    private static let loads: [Row] = [
        // The very first requests of the process are cancelled.
        Row(name: "cancellations") { session, network, request in
            network.stub(.any, .text("hello"), times: .any)
            try await cancelMany(request, over: [session])
        },
        Row(name: "chunks") { session, network, request in
            network.stub(.any, .chunks(["one ", "two"]), times: .any)
            network.stub(.get("/moved"), .redirect(to: "/"), times: .any)
            let moved = URLRequest(url: try #require(request.url).appending(path: "moved"))
            for (request, asStream) in [
                (request, false), (request, true), (moved, false), (moved, true),
            ] {
                let outcome = await session.outcome(of: request, asStream: asStream)
                #expect(outcome == .body("one two"))
            }
        },
        Row(name: "a stream that goes on") { session, network, request in
            let stub = network.stub(.any, .stream())
            var pieces = try await session.stream(request).0.makeAsyncIterator()
            for text in ["one ", "two"] {
                try await stub.send(text)
                #expect(try await pieces.next()?.text == text)
            }
            try await stub.finish()
            #expect(try await pieces.next() == nil)
        },
        // Foundation on Linux would wait forever.
        Row(name: "a refused credential") { session, network, request in
            let realm = #"Basic realm="test""#
            network.stub(.any, .status(401).header("WWW-Authenticate", realm), times: .any)
            let responses = [
                try await session.exchange(request).1, try await session.stream(request).1,
            ]
            #expect(responses.map(\.statusCode) == [401, 401])
        },
    ]

    private static let policies: [Row] = [
        Row(name: "retrying") { session, network, request in
            network.stub(.any, .text("busy", status: 503), .text("a"), .status(503), .text("b"))
            let session = session.retrying(noDelay)
            for (asStream, text) in [(false, "a"), (true, "b")] {
                #expect(await session.outcome(of: request, asStream: asStream) == .body(text))
            }
        },
        Row(name: "timingOut") { session, network, request in
            network.stub(.any, .hanging)
            let clock = MockClock()
            let session = session.timingOut(after: .seconds(30), clock: clock)
            for (count, asStream) in [(1, false), (2, true)] {
                async let outcome = session.outcome(of: request, asStream: asStream)
                await network.waitForRequests(count)
                await clock.advance(by: .seconds(30))
                #expect(await outcome == .error(.timedOut))
            }
            await network.waitForResponses(2)
            #expect(network.requests.map(\.wasCancelled) == [true, true])
        },
        Row(name: "timingOut between two pieces") { session, network, request in
            network.stub(
                .any,
                .stream {
                    try await $0.send("a")
                    await Gate().wait()
                })
            let clock = MockClock()
            let (body, _) =
                try await session
                .timingOut(after: .seconds(5), idle: .seconds(10), clock: clock).stream(request)
            let (text, arrived) = (Locked(""), Gate())
            let reader = Task {
                for try await piece in body {
                    text.withLock { $0 += piece.text }
                    arrived.open()
                }
            }
            await arrived.wait()
            await yieldWhile { clock.pendingDeadlines.last != .seconds(10) }
            await clock.advance(by: .seconds(10))
            await #expect(throws: URLError(.timedOut)) { try await reader.value }
            #expect(text.withLock { $0 } == "a")
        },
        Row(name: "limited, and a stream that keeps its place") { session, network, request in
            let stub = network.stub(.any, .stream(), .text("b"))
            let session = session.limited(to: 1)
            var body: HTTPBody? = try await session.stream(request).0
            async let second = session.outcome(of: request)
            try await stub.send("a")
            #expect(network.requests.count == 1)
            for try await _ in try #require(body) { break }
            body = nil
            #expect(await second == .body("b"))
        },
        Row(name: "limited, and a request that is cancelled") { session, network, request in
            network.stub(.any, .hanging, .text("b"))
            let session = session.limited(to: 1)
            let first = Task { await session.outcome(of: request) }
            await network.waitForRequests()
            async let second = session.outcome(of: request)
            first.cancel()
            #expect(await first.value == .error(.cancelled))
            #expect(await second == .body("b"))
        },
        Row(name: "limitingBodies") { session, network, request in
            network.stub(.any, .chunks(["123", "45"]), times: .any)
            #expect(await session.limitingBodies(to: 5).outcome(of: request) == .body("12345"))
            await #expect(throws: TransportError.bodyTooLarge(limit: 4)) {
                try await session.limitingBodies(to: 4).exchange(request)
            }
        },
        Row(name: "coalescing") { session, network, request in
            let stub = network.stub(.any, .text("a").held)
            let session = session.coalescing()
            let executor = QueueExecutor(isSerial: true)
            let loads = (0..<3).map { _ in executor.start { await session.outcome(of: request) } }
            await executor.settle()
            stub.release()
            for load in loads {
                let outcome = try await load.value
                #expect(outcome == .body("a"))
            }
            #expect(network.requests.count == 1)
        },
        Row(name: "authenticated, with a refresh over the chain") { session, network, request in
            let url = try #require(request.url)
            network.stub(.any, .text("no", status: 401), times: .any)
            network.stub(.any.header("Authorization", "Bearer new"), .text("Emma"), times: .any)
            network.stub(.post("/token"), .json(#"["new"]"#))
            for asStream in [false, true] {
                let tokens = Credentials("old", for: url) { token, request in
                    try request.authorization(bearer: token)
                } refresh: { rejection in
                    let refresh = try URLRequest("POST", url, path: "/token")
                    return try await rejection.session.load(refresh, as: [String].self).first
                }
                let session = session.authenticated(by: tokens)
                #expect(await session.outcome(of: request, asStream: asStream) == .body("Emma"))
            }
            let sent = ["Bearer old", nil, "Bearer new"]
            #expect(network.requests.map { $0.header("Authorization") } == sent + sent)
        },
        Row(name: "intercepting and observed") { session, network, request in
            network.stub(.any.header("X-A", "b"), .text("12345"), times: .any)
            let log = EventLog()
            let session = session.observed(by: log)
                .intercepting { try await $1($0.header("X-A", "b")) }
            for (asStream, end) in [
                (false, ": 200 (OK), 5 bytes, 0.000 s"),
                (true, ": complete after 5 bytes, 0.000 s"),
            ] {
                #expect(await session.outcome(of: request, asStream: asStream) == .body("12345"))
                #expect(log.lines.last?.hasSuffix(end) == true)
            }
        },
        Row(name: "a redirect that the chain refuses") { session, network, request in
            network.stub(.any, .redirect(to: "/b"))
            for asStream in [false, true] {
                let session = session.redirecting(.refuse)
                let response =
                    asStream
                    ? try await session.stream(request).1 : try await session.exchange(request).1
                #expect(response.statusCode == 302)
            }
        },
        Row(name: "all together") { session, network, request in
            network.stub(.any, .status(503), .text("a"), .status(503), .text("b"))
            let clock = MockClock()
            let session = session.limited(to: 1)
                .timingOut(after: .seconds(30), idle: .seconds(30), clock: clock)
                .retrying(noDelay, clock: clock).coalescing().observed(by: EventLog())
                .limitingBodies(to: 1)
            for (asStream, text) in [(false, "a"), (true, "b")] {
                #expect(await session.outcome(of: request, asStream: asStream) == .body(text))
            }
        },
    ]

    private static let streams: [Row] = [
        Row(name: "events that reconnect") { session, network, request in
            network.stub(.any, .events(["a"]), .events(["b"]), .status(204))
            let events = try await session.events(request, reconnecting: noDelay).all()
            #expect(events.map(\.data) == ["a", "b"])
        },
        Row(name: "JSON lines") { session, network, request in
            network.stub(.any, .chunks(["1\n2", "3\n"]))
            let numbers = try await session.stream(request, JSONLines(Int.self)).all()
            #expect(numbers == [1, 23])
        },
        Row(name: "a reader that leaves") { session, network, request in
            let stub = network.stub(.any, .stream(headers: ["Content-Type": "application/jsonl"]))
            async let sent: Void = stub.send("1\n")
            for try await number in session.stream(request, JSONLines(Int.self)) {
                #expect(number == 1)
                break
            }
            try await sent
            #expect(await network.waitForResponses().map(\.wasCancelled) == [true])
        },
        Row(name: "a refusal") { session, network, request in
            network.stub(.any, .text("no such list", status: 404))
            let stream = session.stream(request, JSONLines(Int.self))
            let load = await #expect(throws: APIRequestError.self) {
                try await session.load(request, as: Int.self)
            }
            for error in [await stream.outcome().error, load] {
                #expect(error?.stage == .validate)
                #expect(error?.data?.text == "no such list")
            }
        },
        Row(name: "a connection that is lost") { session, network, request in
            network.stub(.any, .text("abc").failing(afterBytes: 2))
            for asStream in [false, true] {
                let outcome = await session.outcome(of: request, asStream: asStream)
                #expect(outcome == .error(.networkConnectionLost))
            }
        },
    ]

    private static let files: [Row] = [
        Row(name: "a download that resumes") { session, network, request in
            let bytes = Data.pattern(100_000)
            network.stub(.any, .file(bytes).failing(afterBytes: 40_000), .file(bytes))
            let folder = try TemporaryFolder()
            try await session.download(request, to: folder.file, retrying: noDelay)
            #expect(folder.content == bytes)
            #expect(network.requests.map { $0.header("Range") } == [nil, "bytes=40000-"])
        },
        Row(name: "an upload that is retried") { session, network, request in
            network.stub(.put("/"), .status(503), .status(201))
            let folder = try TemporaryFolder()
            let sent = Locked<Int64>(0)
            var request = request
            request.httpMethod = "PUT"
            request = try request.fileBody(folder.write(Data(count: 500_000)))
            let (_, response) = try await session.retrying(noDelay)
                .exchange(request) { bytes, _ in sent.withLock { $0 = bytes } }
            #expect(response.statusCode == 201)
            #expect(network.requests.map(\.body.count) == [500_000, 500_000])
            #expect(sent.withLock { $0 } == 500_000)
        },
        Row(name: "a form") { session, network, request in
            network.stub(.post("/").part("cover", fileName: "a.txt"), .text("stored"))
            let folder = try TemporaryFolder()
            var request = request
            request.httpMethod = "POST"
            request = try request.multipartBody([
                .file("cover", at: folder.write(Data(count: 500_000), "a.txt"))
            ])
            #expect(await session.outcome(of: request) == .body("stored"))
            #expect(network.requests.first?.parts?.map(\.data.count) == [500_000])
        },
        Row(name: "a recording, and its replay") { session, network, request in
            network.stub(.any, .chunks(["one ", "two"]).header("Keep-Alive", "timeout=5"))
            let recorded = MockNetwork()
            recorded.stub(.any, .passthrough(to: session))
            let replayed = MockNetwork()
            #expect(await recorded.outcome(of: request) == .body("one two"))
            replayed.stub(HTTPArchive(recorded.requests))
            #expect(await replayed.outcome(of: request) == .body("one two"))
        },
    ]
}
#endif
