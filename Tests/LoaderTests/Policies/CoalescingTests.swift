import APIKitLite
import APIKitLiteTesting
import TestSupport

@Suite(.limited, .usesSockets) struct CoalescingTests {
    let network = MockNetwork()

    @Test(arguments: [("GET", false), ("HEAD", false), ("QUERY", false), ("GET", true)])
    func sendsManyIdenticalRequestsOnce(_ method: String, _ isLost: Bool) async throws {
        let requests = Array(repeating: URLRequest.test("a", method: method), count: 100)
        let outcomes = try await outcomes(of: requests) { _ in
            isLost ? .error(.networkConnectionLost) : .text("response")
        }
        let text = ExchangeOutcome.body(method == "HEAD" ? "" : "response")
        #expect(Set(outcomes) == [isLost ? .error(.networkConnectionLost) : text])
        #expect(network.requests.count == 1)
    }

    /// The results of requests that are all under way before the first response.
    private func outcomes(
        of requests: [URLRequest], response: @escaping @Sendable (RecordedRequest) -> MockResponse
    ) async throws -> [ExchangeOutcome] {
        let stub = network.stub(.any) { response($0).held }
        let session = network.coalescing()
        let tasks = await settledTasks(requests.count, isSerial: false) { number in
            await session.outcome(of: requests[number])
        }
        stub.release()
        var outcomes: [ExchangeOutcome] = []
        for task in tasks { outcomes.append(try await task.value) }
        return outcomes
    }

    @Test func sharesOnlyWhatIsTheSame() async throws {
        let urls = [
            "https://a.example/p?q=1", "https://a.example/p?q=2", "https://a.example/p",
            "https://a.example/P?q=1", "http://a.example/p?q=1", "https://b.example/p?q=1",
            "https://a.example:8443/p?q=1", "https://me@a.example/p?q=1",
            "https://a.example/p?q=1#part", "https://a.example/p?token=1",
            "https://a.example/p?token=2",
        ]
        let changes: [(inout URLRequest) -> Void] = [
            { $0.httpMethod = "HEAD" }, { $0.setValue("a/c", forHTTPHeaderField: "Accept") },
            { $0.setValue(nil, forHTTPHeaderField: "Accept") },
            { $0.setValue("Bearer anne", forHTTPHeaderField: "Authorization") },
            { $0.setValue("1", forHTTPHeaderField: "X-New") },
            { ($0.httpMethod, $0.httpBody) = ("QUERY", Data("a".utf8)) },
            { ($0.httpMethod, $0.httpBody) = ("QUERY", Data("b".utf8)) },
            { $0.cachePolicy = .reloadIgnoringLocalCacheData }, { $0.timeoutInterval = 1 },
            { $0.httpShouldHandleCookies = false }, { $0.allowsCellularAccess = false },
        ]
        func request(_ url: String) -> URLRequest {
            var request = URLRequest(url: URL(string: url)!)
            request.allHTTPHeaderFields = ["Accept": "a/b", "Authorization": "Bearer emma"]
            return request
        }
        var different = urls.map { request($0) }
        for change in changes {
            different.append(request(urls[0]))
            change(&different[different.count - 1])
        }
        var same = request(urls[0])
        same.allHTTPHeaderFields = ["authorization": "Bearer emma", "ACCEPT": "a/b"]
        same.httpMethod = "GET"

        _ = try await outcomes(of: different + different + [same]) { _ in .status(200) }
        #expect(network.requests.count == different.count)
    }

    #if canImport(FoundationNetworking)
    /// Foundation on Linux keeps two spellings of a name, in any order.
    @Test func comparesBothValuesOfANameInTwoSpellings() async throws {
        let requests = (0..<100).map { number in
            var request = URLRequest.test("a")
            request.allHTTPHeaderFields = ["A": "\(number % 2)", "a": "\(number % 4 / 2)"]
            return request
        }

        let outcomes = try await outcomes(of: requests) {
            .text($0.request.allHTTPHeaderFields?["A"] ?? "")
        }
        #expect(outcomes == (0..<100).map { .body("\($0 % 2)") })
        #expect(network.requests.count == 4)
    }
    #endif

    @Test func sendsEachUnsafeRequestAndEachStreamForItself() async throws {
        let methods = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"]
        let requests = (methods + methods).map { method in
            var request = URLRequest.test("a", method: method)
            // A stream can be read once.
            if method == "QUERY" { request.httpBodyStream = InputStream(data: Data()) }
            return request
        }

        let outcomes = try await outcomes(of: requests) { _ in .text("ok") }
        #expect(outcomes == Array(repeating: .body("ok"), count: requests.count))
        #expect(network.requests.count == requests.count)
    }

    /// Each has its own rule for redirects.
    @Test func sharesNoExchangeWithARuleForRedirects() async throws {
        let stub = network.stub(.get("/a"), .redirect(to: "/b").held)
        network.stub(.get("/b"), .text("b"))
        let session = network.coalescing()
        let tasks = await settledTasks(3) { number in
            let session: any HTTPSession = number < 2 ? session.redirecting(.refuse) : session
            return try await session.exchange(.test("a")).1.statusCode
        }
        stub.release()

        for (task, status) in zip(tasks, [302, 302, 200]) {
            #expect(try await task.value == status)
        }
        #expect(stub.callCount == 3)
    }

    @Test func sendsTheNextRequestAnew() async throws {
        network.stub(.any, .text("one"), .error(.notConnectedToInternet), .text("three"))
        let session = network.coalescing()
        #expect(try await session.exchange(.test("a")).0.text == "one")
        await #expect(throws: URLError.self) { try await session.exchange(.test("a")) }
        #expect(try await session.exchange(.test("a")).0.text == "three")
    }

    /// Inside `authenticated`, a request has its user's token; outside, it has no user.
    @Test(arguments: [(true, "Bearer anne"), (false, "Bearer emma")])
    func tellsUsersApartInsideAuthentication(_ isInside: Bool, _ expected: String) async throws {
        let stub = network.stub(.any) { request in
            MockResponse.text(request.header("Authorization") ?? "nobody").held
        }
        let tokens = Credentials("emma", for: .api) { try $1.authorization(bearer: $0) }
        let session: any HTTPSession =
            isInside
            ? network.coalescing().authenticated(by: tokens)
            : network.authenticated(by: tokens).coalescing()

        async let first = session.outcome(of: .test("a"))
        await stub.waitForRequests()
        tokens.credential = "anne"
        let second = await settledTask { await session.outcome(of: .test("a")) }
        stub.release()

        #expect(await first == .body("Bearer emma"))
        #expect(try await second.value == .body(expected))
    }

    /// The app asks for the same as the refresh, so that the two would wait for each other.
    @Test(arguments: [Token.old, .expired], [false, true])
    func aRefreshOverTheSameChainEnds(_ token: Token, startsElsewhere: Bool) async throws {
        let (server, mayRefresh, chain) = (MockNetwork(), Gate(), Later())
        server.stub(.any) {
            $0.header("Authorization") == "Bearer old" ? .status(401) : .text("new")
        }
        let tokens = TokenServer().tokens(token) { _ in
            await mayRefresh.wait()
            return Token(access: try await chain.exchange(.test("token")).0.text)
        }
        let inner = server.authenticated(by: tokens)
        let session = inner.coalescing()
        chain.lead(to: session)
        async let stream = startsElsewhere ? inner.exchange(.test("other")).0.text : "new"
        let loads = (0..<3).map { _ in Task { try await session.exchange(.test("token")).0.text } }
        for _ in 0..<200 { await Task.yield() }

        mayRefresh.open()
        for load in loads { #expect(try await load.value == "new") }
        #expect(try await stream == "new")
    }

    @Test func theWorkOfAnExchangeDoesNotWaitForItself() async throws {
        network.stub(.any, .text("a"))
        let (chain, count) = (Later(), Locked(0))
        let session = network.intercepting { request, next in
            if count.next() == 1 { _ = try await chain.exchange(request) }
            return try await next(request)
        }.coalescing()
        chain.lead(to: session)

        #expect(try await session.exchange(.test("a")).0.text == "a")
        #expect(network.requests.count == 2)
    }

    @Test func whatIsStartedInAnExchangeSharesLater() async throws {
        network.stub(.get("/a"), .text("a"))
        let stub = network.stub(.get("/b"), .text("b").held)
        let (chain, mayContinue) = (Later(), Gate())
        let started = Locked<[Task<ExchangeOutcome, any Error>]>([])
        let executor = QueueExecutor(isSerial: false)
        let session = network.intercepting { request, next in
            for _ in 0..<(request.url?.path == "/a" ? 2 : 0) {
                let task = executor.start {
                    await mayContinue.wait()
                    return await chain.outcome(of: .test("b"))
                }
                started.withLock { $0.append(task) }
            }
            return try await next(request)
        }.coalescing()
        chain.lead(to: session)

        _ = try await session.exchange(.test("a"))
        await executor.settle()
        mayContinue.open()
        await executor.settle()
        stub.release()

        for task in started.withLock({ $0 }) { #expect(try await task.value == .body("b")) }
        #expect(stub.callCount == 1)
    }

    /// An exchange that stays in the list would keep its result forever.
    @Test func keepsNoResultOfAnEndedExchange() async throws {
        final class Held: Error {
            let onEnd: Gate
            init(_ onEnd: Gate) { self.onEnd = onEnd }
            deinit { onEnd.open() }
        }
        let onEnd = Gate()
        let session = MockURLSession().intercepting { _, _ in throw Held(onEnd) }.coalescing()

        await #expect(throws: Held.self) { try await session.exchange(.test("a")) }
        await onEnd.wait()
    }

    @Test func cancelsOneAlone() async throws {
        let stub = network.stub(.any, .text("response").held)
        let session = network.coalescing()
        // The first caller started the exchange.
        let tasks = await settledTasks(3) { number in
            number == 2
                ? try await session.load(TextRequest(), "/a")
                : try await session.exchange(.test("a")).0.text
        }

        tasks[0].cancel()
        await #expect(throws: URLError(.cancelled)) { try await tasks[0].value }
        tasks[2].cancel()
        let error = await #expect(throws: APIRequestError.self) { try await tasks[2].value }
        stub.release()

        #expect(error?.isCancellation == true)
        #expect(try await tasks[1].value == "response")
        #expect(network.requests.map(\.wasCancelled) == [false])
    }

    @Test func cancelsTheExchangeWithTheLast() async throws {
        let ended = Gate()
        network.stub(.get("/a"), times: .exactly(1)) { _ in
            defer { ended.open() }
            return try await waitForCancellation()
        }
        let session = network.coalescing()
        let tasks = await settledTasks(10, isSerial: false) { _ in
            try await session.exchange(.test("a"))
        }
        await network.waitForRequests()

        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: URLError.self) { try await task.value } }
        // A new caller gets its own exchange, whatever happens to the cancelled exchange.
        network.stub(.get("/a"), .text("second"))
        #expect(try await session.exchange(.test("a")).0.text == "second")

        await ended.wait()
        #expect(network.requests.count == 2)
    }

    /// The end of a cancelled exchange must not remove the one that took its key.
    @Test func aLateEndLeavesTheNextExchangeShared() async throws {
        let stubborn = StubbornSession()
        let stub = network.stub(.any, .text("second").held)
        let count = Locked(0)
        let session = network.intercepting { request, next in
            count.next() == 1
                ? try await stubborn.send(request, awaiting: .body) : try await next(request)
        }.coalescing()
        func start() async -> Task<ExchangeOutcome, any Error> {
            await settledTask { await session.outcome(of: .test("a")) }
        }

        let first = await start()
        await stubborn.arrived.wait()
        first.cancel()
        let second = await start()
        stubborn.mayRespond.open()
        #expect(try await first.value == .error(.cancelled))
        let third = await start()
        stub.release()

        #expect(try await second.value == .body("second"))
        #expect(try await third.value == .body("second"))
        #expect(stub.callCount == 1)
    }

    @Test func givesEachItsOwnUnderCancellation() async throws {
        network.stub(.get("/{n}")) { request in
            await Task.yield()
            return .text(request.pathValues["n"]!)
        }
        let session = network.urlSession.coalescing()

        try await concurrently(1_000) { number in
            let name = "\(number / 100)"
            let task = Task { await session.outcome(of: .test(name)) }
            if number.isMultiple(of: 3) { task.cancel() }
            let outcome = await task.value
            let isCancelled = number.isMultiple(of: 3) && outcome == .error(.cancelled)
            #expect(isCancelled || outcome == .body(name))
        }
    }
}
