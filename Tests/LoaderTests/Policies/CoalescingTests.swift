import APIKitLite
import APIKitLiteTesting
import TestSupport

@Suite(.limited, .usesSockets) struct CoalescingTests {
    let network = MockNetwork()

    @Test(
        arguments: [
            ("GET", .body("response")), ("HEAD", .body("")), ("QUERY", .body("response")),
            ("GET", .error(.networkConnectionLost)),
        ] as [(String, ExchangeOutcome)])
    func sendsManyIdenticalRequestsOnce(
        _ method: String, _ outcome: ExchangeOutcome
    ) async throws {
        let requests = Array(repeating: URLRequest.test("a", method: method), count: 100)
        let outcomes = try await outcomes(of: requests) { _ in
            guard case .body(let text) = outcome else { throw URLError(.networkConnectionLost) }
            return .text(text)
        }
        #expect(Set(outcomes) == [outcome])
        #expect(network.requests.count == 1)
    }

    /// The results of requests that are all under way before the first response.
    private func outcomes(
        of requests: [URLRequest],
        response: @escaping @Sendable (RecordedRequest) throws -> MockResponse
    ) async throws -> [ExchangeOutcome] {
        let mayRespond = Gate()
        network.stub(.any) { request in
            await mayRespond.wait()
            return try response(request)
        }
        let session = network.coalescing()
        let executor = QueueExecutor(isSerial: false)
        let tasks = requests.map { request in
            executor.start { await session.outcome(of: request) }
        }
        await executor.settle()
        mayRespond.open()
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
            { $0.httpMethod = "HEAD" },
            { $0.setValue("a/c", forHTTPHeaderField: "Accept") },
            { $0.setValue(nil, forHTTPHeaderField: "Accept") },
            { $0.setValue("Bearer anne", forHTTPHeaderField: "Authorization") },
            { $0.setValue("1", forHTTPHeaderField: "X-New") },
            { ($0.httpMethod, $0.httpBody) = ("QUERY", Data("a".utf8)) },
            { ($0.httpMethod, $0.httpBody) = ("QUERY", Data("b".utf8)) },
            { $0.cachePolicy = .reloadIgnoringLocalCacheData },
            { $0.timeoutInterval = 1 },
            { $0.httpShouldHandleCookies = false },
            { $0.allowsCellularAccess = false },
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

        let outcomes = try await outcomes(of: requests) { request in
            .text(request.request.allHTTPHeaderFields?["A"] ?? "")
        }
        #expect(outcomes == (0..<100).map { .body("\($0 % 2)") })
        #expect(network.requests.count == 4)
    }
    #endif

    @Test func sendsEachUnsafeRequestAndEachStreamForItself() async throws {
        var requests = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"].flatMap { method in
            Array(repeating: URLRequest.test("a", method: method), count: 2)
        }
        // A stream can be read once.
        for index in requests.indices.suffix(2) {
            requests[index].httpBodyStream = InputStream(data: Data())
        }

        let outcomes = try await outcomes(of: requests) { _ in .text("ok") }
        #expect(outcomes == Array(repeating: .body("ok"), count: requests.count))
        #expect(network.requests.count == requests.count)
    }

    /// Each has its own rule for redirects.
    @Test func sharesNoExchangeWithARuleForRedirects() async throws {
        let stub = network.stub(.any, .text("ok").held)
        let session = network.coalescing().redirecting(.refuse)
        let executor = QueueExecutor(isSerial: true)
        let tasks = (0..<2).map { _ in executor.start { await session.outcome(of: .test("a")) } }
        await executor.settle()
        stub.release()

        for task in tasks { #expect(try await task.value == .body("ok")) }
        #expect(stub.callCount == 2)
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
        let executor = QueueExecutor(isSerial: false)

        let first = executor.start { try await session.exchange(.test("a")).0.text }
        await stub.waitForRequests()
        tokens.credential = "anne"
        let second = executor.start { try await session.exchange(.test("a")).0.text }
        await executor.settle()
        stub.release()

        #expect(try await first.value == "Bearer emma")
        #expect(try await second.value == expected)
    }

    /// The app asks for the same as the refresh, so that the two would wait for each other.
    @Test(arguments: [Token.old, .expired], [false, true])
    func aRefreshOverTheSameChainEnds(_ token: Token, startsElsewhere: Bool) async throws {
        let (server, mayRefresh, chain) = (MockNetwork(), Gate(), Later())
        server.stub(.any) { request in
            request.header("Authorization") == "Bearer old" ? .status(401) : .text("new")
        }
        let tokens = TokenServer().tokens(token) { _ in
            await mayRefresh.wait()
            return Token(access: try await chain.exchange(.test("token")).0.text)
        }
        let inner = server.authenticated(by: tokens)
        let session = inner.coalescing()
        chain.session.withLock { $0 = session }
        defer { chain.session.withLock { $0 = nil } }
        async let stream = startsElsewhere ? inner.exchange(.test("other")).0.text : "new"
        let loads = (0..<3).map { _ in Task { try await session.exchange(.test("token")).0.text } }
        for _ in 0..<200 { await Task.yield() }

        mayRefresh.open()
        for load in loads { #expect(try await load.value == "new") }
        #expect(try await stream == "new")
    }

    @Test func theWorkOfAnExchangeDoesNotWaitForItself() async throws {
        network.stub(.any, .text("a"))
        let chain = Later()
        let count = Locked(0)
        let session = network.intercepting { request, next in
            if count.next() == 1 { _ = try await chain.exchange(request) }
            return try await next(request)
        }.coalescing()
        chain.session.withLock { $0 = session }
        defer { chain.session.withLock { $0 = nil } }

        #expect(try await session.exchange(.test("a")).0.text == "a")
        #expect(network.requests.count == 2)
    }

    @Test func whatIsStartedInAnExchangeSharesLater() async throws {
        let mayContinue = Gate()
        network.stub(.get("/a"), .text("a"))
        let stub = network.stub(.get("/b"), .text("b").held)
        let chain = Later()
        let started = Locked<[Task<String, any Error>]>([])
        let executor = QueueExecutor(isSerial: false)
        let session = network.intercepting { request, next in
            if request.url?.path == "/a" {
                let tasks = (0..<2).map { _ in
                    executor.start {
                        await mayContinue.wait()
                        return try await chain.exchange(.test("b")).0.text
                    }
                }
                started.withLock { $0 = tasks }
            }
            return try await next(request)
        }.coalescing()
        chain.session.withLock { $0 = session }
        defer { chain.session.withLock { $0 = nil } }

        _ = try await session.exchange(.test("a"))
        await executor.settle()
        mayContinue.open()
        await executor.settle()
        stub.release()

        for task in started.withLock({ $0 }) { #expect(try await task.value == "b") }
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
        let executor = QueueExecutor(isSerial: true)
        // The first caller started the exchange.
        let first = executor.start { try await session.exchange(.test("a")).0.text }
        let second = executor.start { try await session.exchange(.test("a")).0.text }
        let third = executor.start { try await session.load(TextRequest(), "/a") }
        await executor.settle()

        first.cancel()
        let error = await #expect(throws: URLError.self) { try await first.value }
        third.cancel()
        let loadError = await #expect(throws: APIRequestError.self) { try await third.value }
        stub.release()

        #expect(error?.code == .cancelled)
        #expect(loadError?.isCancellation == true)
        #expect(try await second.value == "response")
        #expect(network.requests.map(\.wasCancelled) == [false])
    }

    @Test func cancelsTheExchangeWithTheLast() async throws {
        let ended = Gate()
        network.stub(.get("/a"), times: .exactly(1)) { _ in
            defer { ended.open() }
            return try await waitForCancellation()
        }
        let session = network.coalescing()
        let executor = QueueExecutor(isSerial: false)
        let tasks = (0..<10).map { _ in executor.start { try await session.exchange(.test("a")) } }
        await executor.settle()
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
        let executor = QueueExecutor(isSerial: true)
        func start() -> Task<ExchangeOutcome, any Error> {
            executor.start { await session.outcome(of: .test("a")) }
        }

        let first = start()
        await stubborn.arrived.wait()
        first.cancel()
        let second = start()
        await executor.settle()
        stubborn.mayRespond.open()
        #expect(try await first.value == .error(.cancelled))
        let third = start()
        await executor.settle()
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
