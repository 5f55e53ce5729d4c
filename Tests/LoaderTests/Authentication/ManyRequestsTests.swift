import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

/// Many requests, one credential.
@Suite(.limited, .usesSockets) struct AuthenticationRaceTests {
    @Test(arguments: [Token.old, .expired])
    func refreshesOnceForHundredsOfRequests(_ token: Token) async throws {
        // All are sent with the old token before the first one is rejected.
        let together = Barrier(300)
        let server = TokenServer(onData: { given in
            if given == "Bearer old" { await together.wait() }
        })
        let tokens = server.tokens(token)
        // Two chains that share the credential.
        let sessions = (0..<2).map { _ in server.session.authenticated(by: tokens) }

        let responses = try await concurrently(300) { number in
            try await sessions[number % 2].exchange(.test("data")).0.text
        }
        #expect(Set(responses) == ["Bearer new1"])
        #expect(server.refreshCount == 1)
        #expect(server.given.count == (token == .expired ? 300 : 600))
    }

    @Test func cancelsOneWaitingRequestAlone() async throws {
        let (server, _, session) = user(.expired, on: TokenServer(holdsRefresh: true))
        // The first request started the refresh.
        let tasks = await settledTasks(10) { _ in await session.outcome(of: .test("data")) }

        for number in [0, 5] {
            tasks[number].cancel()
            #expect(try await tasks[number].value == .error(.cancelled))
        }
        server.token.release()

        for number in 1..<10 where number != 5 {
            #expect(try await tasks[number].value == .body("Bearer new1"))
        }
        #expect(server.refreshCount == 1)
        #expect(server.given.count == 8)
    }

    // A refresh token that was used up for nothing would sign the user out.
    @Test func finishesARefreshThatNobodyWaitsForAnyMore() async throws {
        let isKept = Gate()
        let server = TokenServer(holdsRefresh: true)
        let tokens = server.tokens { rejection in
            defer { isKept.open() }
            return try await refreshedToken(rejection)
        }
        let session = server.session.authenticated(by: tokens)
        let task = Task { try await session.exchange(.test("data")) }
        await server.token.waitForRequests()

        task.cancel()
        await #expect(throws: URLError.self) { try await task.value }
        server.token.release()
        await isKept.wait()
        #expect(await session.outcome(of: .test("data")) == .body("Bearer new1"))
        #expect(server.refreshCount == 1)
    }

    @Test func endsEachRequestOnceUnderCancellation() async throws {
        let (server, _, session) = user(.old, on: TokenServer(onData: { _ in await Task.yield() }))

        try await concurrently(1_000) { number in
            let task = Task { await session.outcome(of: .test("data")) }
            if number.isMultiple(of: 3) { task.cancel() }
            let outcome = await task.value
            let isCancelled = number.isMultiple(of: 3) && outcome == .error(.cancelled)
            #expect(isCancelled || outcome == .body("Bearer new1"))
        }

        #expect(server.refreshCount == 1)
    }
}

/// Authentication inside and outside of something that repeats.
@Suite(.limited, .usesSockets) struct AuthenticationAndRetryTests {
    /// Repeats refused requests and lost requests.
    private func repeating(_ session: any HTTPSession) -> any HTTPSession {
        session.intercepting { request, next in
            for _ in 0..<2 {
                let response = try? await next(request)
                if let response, response.1.statusCode < 500 { return response }
            }
            return try await next(request)
        }
    }

    /// The order of the requests: `data old`, `token`.
    private func log(_ network: MockNetwork) -> [String] {
        network.requests.map { request in
            let given = request.header("Authorization")?.dropFirst("Bearer ".count)
            return request.path.dropFirst() + (given.map { " \($0)" } ?? "")
        }
    }

    private func chain(_ network: MockNetwork, retryIsInside: Bool) -> any HTTPSession {
        let tokens = TokenServer().tokens()
        return retryIsInside
            ? repeating(network).authenticated(by: tokens)
            : repeating(network.authenticated(by: tokens))
    }

    @Test(arguments: [true, false])
    func repeatsADataRequestThatFails(retryIsInside: Bool) async throws {
        let network = MockNetwork()
        network.stub(.get("/data"), .status(503), .status(401), .status(503), .text("there"))
        network.stub(.post("/token"), .json(encoding: Token(access: "new")))
        let session = chain(network, retryIsInside: retryIsInside)

        #expect(try await session.exchange(.test("data")).0.text == "there")
        #expect(log(network) == ["data old", "data old", "token", "data new", "data new"])
    }

    @Test(arguments: [true, false])
    func repeatsARefreshThatFails(retryIsInside: Bool) async throws {
        let network = MockNetwork()
        network.stub(.get("/data").header("Authorization", "Bearer old"), .status(401))
        network.stub(.get("/data").header("Authorization", "Bearer new"), .text("there"))
        network.stub(.post("/token"), .error(.timedOut), .json(encoding: Token(access: "new")))
        let session = chain(network, retryIsInside: retryIsInside)

        #expect(try await session.exchange(.test("data")).0.text == "there")
        // From outside the repetition starts over, with the token that is still the old one.
        let outside = retryIsInside ? [] : ["data old"]
        #expect(log(network) == ["data old", "token"] + outside + ["token", "data new"])
    }
}

/// A credential that the closure loads from a store, and saves in it.
@Suite(.limited, .usesSockets) struct StoredCredentialTests {
    @Test(arguments: [Token.good, .old, .expired])
    func loadsAndSavesOnceForHundredsOfRequests(_ token: Token) async throws {
        let (server, store, tokens, session) = user(Store(token, holding: .load))
        let tasks = await settledTasks(200, isSerial: false) { _ in
            await session.outcome(of: .test("data"))
        }
        #expect(tokens.credential == nil)
        store.release()

        let last = token.access == "good" ? "good" : "new1"
        for task in tasks { #expect(try await task.value == .body("Bearer \(last)")) }
        #expect(store.log == ["load"] + (last == "good" ? [] : ["save new1"]))
        #expect(server.refreshCount == (last == "good" ? 0 : 1))
        #expect(tokens.credential?.access == last)
    }

    @Test func isNotLoadedIfItIsGivenOrSet() async throws {
        let (server, store, tokens, session) = user(Store(Token(access: "unwanted")))
        tokens.credential = .good

        for session in [server.session.authenticated(by: server.tokens(store, .good)), session] {
            #expect(await session.outcome(of: .test("data")) == .body("Bearer good"))
        }
        #expect(store.log == ["save good"])
    }

    @Test func isNotLoadedForEachRequestIfNobodyIsSignedIn() async throws {
        let statuses = Locked<[Int?]>([])
        let (_, store, _, session) = user(Store(nil)) { rejection in
            statuses.withLock { $0.append(rejection.response?.statusCode) }
            return nil
        }

        for _ in 0..<5 { #expect(await session.outcome(of: .test("data")) == .body("nobody")) }
        #expect(store.log == ["load"])
        // The first rejection asks for a sign-in.
        #expect(statuses.withLock { $0 } == [nil, 401])

        let key = Credentials<Token>(
            for: .api, apply: { try $1.authorization(bearer: $0.access) }, load: store.load)
        for _ in 0..<5 { #expect(try await key.value() == nil) }
        #expect(store.log == ["load", "load"])
    }

    @Test(arguments: Store.Step.allCases, [TestError() as any Error, CancellationError()])
    func givesTheErrorOfTheStoreToTheCaller(_ step: Store.Step, _ error: any Error) async throws {
        let (_, store, tokens, session) = user(Store(.old, failing: step, with: error, times: .max))
        let failure = await #expect(throws: APIRequestError.self) {
            try await session.load(TextRequest(), "/data")
        }
        #expect(failure?.stage == .transport)
        #expect("\(try #require(failure?.underlying))" == "\(error)")
        #expect(tokens.credential?.access == (step == .load ? nil : "new1"))

        // The next request starts again.
        store.stopFailing()
        #expect(await session.outcome(of: .test("data")) == .body("Bearer new1"))
        #expect(store.log.count { $0 == "load" } == (step == .load ? 2 : 1))
        #expect(store.log.last == "save new1")
    }

    @Test(arguments: Store.Step.allCases)
    func oneCancelledRequestLeavesTheOthers(_ step: Store.Step) async throws {
        let (_, store, _, session) = user(Store(.old, holding: step))
        let cancelled = Task { await session.outcome(of: .test("data")) }
        await store.waitUntilHeld()
        let other = Task { await session.outcome(of: .test("data")) }

        cancelled.cancel()
        #expect(await cancelled.value == .error(.cancelled))
        store.release()
        #expect(await other.value == .body("Bearer new1"))
        #expect(store.log == ["load", "save new1"])
    }

    @Test(arguments: 0..<40)
    func endsWithWhatWasSetLast(_ seed: Int) async throws {
        let draw = drawing(seed)
        let server = TokenServer(
            onData: { _ in await Task.yield() },
            onRefresh: { _ in
                for _ in 0..<draw(4) { await Task.yield() }
                switch draw(6) {
                case 0: return .json(#"{"error": "invalid_grant"}"#, status: 400)
                case 1: throw URLError(.networkConnectionLost)
                default: return nil
                }
            })
        let stored = Locked<(content: String?, running: Int)>((nil, 0))
        let tokens = server.tokens(nil) { rejection in
            for _ in 0..<draw(4) { await Task.yield() }
            if draw(3) == 0 { throw TestError() }
            if rejection.credential == nil { return Token(access: "old") }
            return try await refreshedToken(rejection)
        } save: { token in
            // One call at a time.
            stored.withLock { stored in
                stored.running += 1
                #expect(stored.running == 1)
            }
            for _ in 0..<draw(4) { await Task.yield() }
            let fails = draw(9) == 0
            stored.withLock { $0 = (fails ? $0.content : token?.access, $0.running - 1) }
            if fails { throw TestError() }
        }
        var session: any HTTPSession = server.session
        if draw(2) == 0 { session = session.limited(to: 2) }
        session = session.authenticated(by: tokens)
        if draw(2) == 0 { session = session.coalescing() }
        if draw(2) == 0 { session = session.limited(to: 3) }
        if draw(2) == 0 { session = session.authenticated(by: server.tokens(.expired)) }

        await withTaskGroup(of: Void.self) { [session] group in
            for number in 0..<100 {
                group.addTask {
                    switch draw(12) {
                    case 0: tokens.credential = Token(access: "set\(number)")
                    case 1: tokens.credential = nil
                    case 2: _ = try? await tokens.value()
                    case 4: _ = try? await tokens.refresh()
                    case 3:
                        let task = Task { await session.outcome(of: .test("data")) }
                        for _ in 0..<draw(4) { await Task.yield() }
                        task.cancel()
                        _ = await task.value
                    default: _ = await session.outcome(of: .test("data"), asStream: draw(3) == 0)
                    }
                }
            }
        }

        tokens.credential = Token(access: "last")
        for _ in 1...99 where stored.withLock({ $0.content }) != "last" {
            _ = try? await tokens.value()
        }
        #expect(tokens.credential?.access == "last")
        #expect(stored.withLock { $0.content } == "last")
        #expect(await session.outcome(of: .test("data")) != .error(.cancelled))
    }
}
