import APIKitLite
import APIKitLiteTesting
import TestSupport

/// The requests of a refresh: they wait for no request that waits for them, and have no credential.
@Suite(.limited, .usesSockets) struct RefreshTests {
    private let server = TokenServer()

    @Test(arguments: [nil, Token(access: "old"), .expired])
    func aRefreshOverItsOwnChainEnds(_ token: Token?) async throws {
        let chain = Later()
        let tokens = server.tokens(token) { rejection in
            try await chain.load(RefreshRequest(), rejection.credential ?? Token(access: ""))
        }
        let session = server.session.authenticated(by: tokens).coalescing()
            .retrying(clock: MockClock())
        chain.lead(to: session)

        let outcomes = try await concurrently(20) { await session.outcome(of: .test("\($0)")) }
        #expect(Set(outcomes) == [.body("Bearer new1")])
        #expect(server.refreshCount == 1)
        let refreshes = server.network.requests.filter { $0.path == "/token" }
        #expect(refreshes.map { $0.header("Authorization") } == [nil])
    }

    /// Outside of the credential, each request has a place in the limit while it waits for the
    /// refresh; inside, a stream has one until its body has ended.
    @Test(arguments: [Token.old, .expired], [false, true])
    func aRefreshUnderAFullLimitEnds(_ token: Token, _ isInside: Bool) async throws {
        let tokens = server.tokens(token)
        let session: any HTTPSession =
            isInside
            ? server.session.limited(to: 1).authenticated(by: tokens)
            : server.session.authenticated(by: tokens).limited(to: 1)

        let outcomes = try await concurrently(20) { number in
            await session.outcome(of: .test("data"), asStream: number.isMultiple(of: 2))
        }
        #expect(Set(outcomes) == [.body("Bearer new1")])
        #expect(server.refreshCount == 1)
    }

    /// Only the beginning of the rejection is read, and the rest has no place in the limit.
    @Test func aRefreshAfterALongRejectionEnds() async throws {
        server.network.stub(.get("/data"), .data(Data(count: 3 << 20), status: 401), .text("ok"))
        let session = server.session.limited(to: 1).authenticated(by: server.tokens())

        #expect(await session.outcome(of: .test("data"), asStream: true) == .body("ok"))
    }

    /// Such as a task that uploads a log: its own requests have the credential.
    @Test func theTasksThatARefreshStartedHaveItsCredential() async throws {
        let (mayContinue, later) = (Gate(), Later())
        let task = Locked<Task<ExchangeOutcome, Never>?>(nil)
        let session = server.session.intercepting { request, next in
            if request.url?.path == "/token" {
                let started = Task {
                    await mayContinue.wait()
                    return await later.outcome(of: .test("log"))
                }
                task.withLock { $0 = started }
            }
            return try await next(request)
        }.authenticated(by: server.tokens())
        later.lead(to: session)

        #expect(await session.outcome(of: .test("a")) == .body("Bearer new1"))
        mayContinue.open()
        #expect(await task.withLock { $0 }?.value == .body("Bearer new1"))
    }

    @Test func aStreamWaitsForARefreshOverAClosureThatAddsTheCredential() async throws {
        let tokens = server.tokens()
        let session = server.session.intercepting { [session = server.session] request, _ in
            try await session.authenticated(by: tokens).send(request, awaiting: .head())
        }

        #expect(await session.outcome(of: .test("a"), asStream: true) == .body("Bearer new1"))
        #expect(server.refreshCount == 1)
    }

    @Test func aRefreshIsExactlyTheRequestOfTheApp() async throws {
        let network = MockNetwork()
        network.stub(.post("/token"), .status(200))
        network.stub(.get("/a"), .status(401), .status(200))
        let sent = URLRequest.test("token", method: "POST")
        let tokens = TokenServer().tokens {
            _ = try await $0.session.exchange(sent)
            return Token(access: "new")
        }

        _ = try await network.authenticated(by: tokens).exchange(.test("a"))
        let refresh = try #require(network.requests.first { $0.path == "/token" })
        #expect(refresh.request == sent)
        #expect(refresh.request.mainDocumentURL == nil)
    }

    @Test func theClosureOfCredentialsMayAskForTheirValue() async throws {
        let later = Locked<Credentials<Token>?>(nil)
        let tokens = server.tokens(nil) { rejection in
            let tokens = later.withLock { $0 }!
            #expect(try await tokens.value() == nil)
            #expect(try await tokens.refresh() == nil)
            return try await rejection.session.load(RefreshRequest(), Token(access: ""))
        }
        later.withLock { $0 = tokens }

        let session = server.session.authenticated(by: tokens)
        #expect(await session.outcome(of: .test("data")) == .body("Bearer new1"))
    }
}

/// A refresh that the app asks for, the session of a refresh, and its errors.
@Suite(.limited, .usesSockets) struct RefreshNowTests {
    @Test(arguments: [false, true])
    func refreshesACredentialThatIsGood(isLoaded: Bool) async throws {
        let (server, store, tokens, session) = user(Store(.good), given: isLoaded ? nil : .good)

        #expect(try await tokens.value() == .good)
        #expect(try await tokens.refresh()?.access == "new1")
        #expect(try await tokens.refresh()?.access == "new2")
        #expect(store.log == (isLoaded ? ["load"] : []) + ["save new1", "save new2"])
        #expect(await session.outcome(of: .test("data")) == .body("Bearer new2"))
        #expect(server.refreshCount == 2)
    }

    @Test func sharesARefreshInProgress() async throws {
        let (server, tokens, session) = user(.old, on: TokenServer(holdsRefresh: true))
        async let outcome = session.outcome(of: .test("data"))
        await server.token.waitForRequests()

        let tasks = await settledTasks(100, isSerial: false) { _ in try await tokens.refresh() }
        server.token.release()
        for task in tasks { #expect(try await task.value?.access == "new1") }
        #expect(await outcome == .body("Bearer new1"))
        #expect(server.refreshCount == 1)
    }

    /// A credential that says when nobody has it anymore.
    private final class Key: Sendable {
        let name: String
        private let isGone: Locked<Bool>

        init(_ name: String, isGone: Locked<Bool> = Locked(false)) {
            (self.name, self.isGone) = (name, isGone)
        }

        deinit { isGone.withLock { $0 = true } }
    }

    @Test(arguments: [nil, "other"])
    func theResultOfARefreshForAnEarlierUserIsIgnored(_ next: String?) async throws {
        let (isAsked, mayEnd, isGone) = (Gate(), Gate(), Locked(false))
        let keys = Credentials(Key("old"), for: .api) { key, request in
            try request.header("X-Key", key.name)
        } refresh: { rejection in
            guard rejection.credential != nil else { return nil }
            isAsked.open()
            await mayEnd.wait()
            return Key("unwanted", isGone: isGone)
        }
        let refreshed = Task { try await keys.refresh()?.name }
        await isAsked.wait()

        keys.credential = next.map { Key($0) }
        #expect(try await refreshed.value == next)
        mayEnd.open()
        await yieldWhile { keys.credential?.name != "unwanted" && !isGone.withLock { $0 } }
        #expect(keys.credential?.name == next)
    }

    /// A sign-in during a refresh, of which a later request knows nothing.
    @Test func aRequestAfterASignInDoesNotWaitForTheEarlierRefresh() async throws {
        let unwanted = MockResponse.json(encoding: Token(access: "unwanted"))
        let (server, tokens, session) = user(
            .old, on: TokenServer(holdsRefresh: true, onRefresh: { _ in unwanted }))
        let refreshed = Task { try await tokens.refresh() }
        await server.token.waitForRequests()

        tokens.credential = .good
        #expect(await session.outcome(of: .test("data")) == .body("Bearer good"))
        #expect(try await refreshed.value == .good)
        server.token.release()
        await server.network.waitForResponses(2)
        #expect(tokens.credential == .good)
    }

    /// The requests get the original error, and the store is told once.
    @Test(arguments: [Token.old, .expired])
    func aRefreshMaySignOutWithAnError(_ token: Token) async throws {
        let refused = TokenServer(holdsRefresh: true, onRefresh: { _ in .status(400) })
        let (server, store, tokens, session) = user(Store(token), given: token, on: refused) {
            do { return try await refreshedToken($0) } catch { throw SignOutError(error) }
        }
        let tasks = await settledTasks(20, isSerial: false) { _ in
            try await session.load(.test("data"), as: Data.self)
        }
        await server.token.waitForRequests()
        server.token.release()

        var count = 0
        for task in tasks {
            let error = await #expect(throws: APIRequestError.self) { try await task.value }
            // A request that is rejected after the sign-out gets its 401.
            if token == .old, error?.statusCode == 401 { continue }
            count += 1
            #expect((error?.underlying as? UnacceptableStatusError)?.statusCode == 400)
            #expect(
                error?.description.contains("\nThe refresh of the credential failed.\n") == true)
        }
        #expect(count > 0)
        #expect(tokens.credential == nil)
        #expect(try await tokens.value() == nil)
        #expect(store.log == ["save -"])
        #expect(server.refreshCount == 1)
    }

    @Test func aRefreshThatFailsKeepsTheCredential() async throws {
        let (_, tokens, _) = user(
            .old, on: TokenServer(onRefresh: { _ in throw URLError(.timedOut) }))
        let error = await #expect(throws: APIRequestError.self) { try await tokens.refresh() }
        #expect((error?.underlying as? URLError)?.code == .timedOut)
        #expect(tokens.credential?.access == "old")
    }

    @Test func withoutARefreshItReturnsTheCredential() async throws {
        #expect(try await Credentials("k", apply: { $1 }).refresh() == "k")
    }

    @Test(arguments: [0, 1], [Token.old, .expired])
    func aRefreshGoesOverTheChainThatNeedsIt(_ first: Int, _ token: Token) async throws {
        let (server, log) = (TokenServer(), Locked<[Int]>([]))
        let tokens = server.tokens(token)
        let chains = (0...1).map { number in
            server.session.intercepting { request, next in
                if request.url?.path == "/token" { log.withLock { $0.append(number) } }
                return try await next(request)
            }.authenticated(by: tokens)
        }

        for number in [first, 1 - first] {
            #expect(await chains[number].outcome(of: .test("data")) == .body("Bearer new1"))
        }
        // Without a request, it goes over the chain that was created last.
        try await tokens.refresh()
        #expect(log.withLock { $0 } == [first, 1])
    }

    /// What an app calls.
    enum Verb: CaseIterable { case load, stream, download }

    private func error(
        _ verb: Verb, over session: any HTTPSession
    ) async throws -> APIRequestError? {
        let folder = try TemporaryFolder()
        return await #expect(throws: APIRequestError.self) {
            switch verb {
            case .load: _ = try await session.load(.test("data"), as: Data.self)
            case .stream: _ = try await session.stream(.test("data"), JSONLines(String.self)).all()
            case .download:
                _ = try await session.download(
                    TextRequest(), "/data", to: folder.file, retrying: .standard,
                    clock: MockClock())
            }
        }
    }

    @Test(arguments: Verb.allCases, [true, false])
    func theErrorOfALoadIsTheOriginalOne(_ verb: Verb, _ isOffline: Bool) async throws {
        let server = TokenServer(onRefresh: { _ in
            if isOffline { throw URLError(.notConnectedToInternet) }
            return .json(#"{"error": "invalid_client"}"#, status: 401)
        })
        // A retry would refresh again, with a token that may have been used.
        let session = server.session.authenticated(by: server.tokens()).retrying(clock: MockClock())

        let error = try #require(try await error(verb, over: session))
        if isOffline {
            #expect((error.underlying as? URLError)?.code == .notConnectedToInternet)
        } else {
            #expect((error.underlying as? UnacceptableStatusError)?.statusCode == 401)
        }
        #expect(error.stage == .transport)
        #expect(error.request?.url?.path == "/data")
        #expect(error.response == nil && error.statusCode == nil)
        #expect(!error.isInvalidGrant)
        #expect(error.cause?.stage == (isOffline ? .transport : .validate))
        #expect(error.cause?.request?.url?.path == "/token")
        #expect(error.cause?.statusCode == (isOffline ? nil : 401))
        #expect(error.cause?.data?.text == (isOffline ? nil : #"{"error": "invalid_client"}"#))
        #expect(error.description.contains("\nThe refresh of the credential failed.\n"))
        #expect(server.refreshCount == 1)

        #expect(error.description.contains("GET https://api.example.com/data got no complete"))
        #expect(error.description.contains("POST https://api.example.com/token"))
        #expect(error.description.components(separatedBy: "curl ").count == 2)
        #expect(
            error.localizedDescription
                == (isOffline
                    ? "The internet connection appears to be offline."
                    : "The server responded with 401 (Unauthorized)."))
    }

    @Test func aRefreshMayWrapTheErrorOfItsLoad() async throws {
        struct SignInError: Error { let reason: any Error }
        let server = TokenServer(onRefresh: { _ in .status(503).header("Retry-After", "7") })
        let tokens = server.tokens {
            do { return try await refreshedToken($0) } catch { throw SignInError(reason: error) }
        }

        let error = try await error(.load, over: server.session.authenticated(by: tokens))
        #expect(error?.underlying is SignInError)
        #expect(error?.localizedDescription == "The sign-in failed.")
        #expect(error?.cause?.statusCode == 503)
        #expect(error?.cause?.retryAfter == .seconds(7))
    }

    @Test func theOriginalErrorIsFoundAtAnyDepth() async throws {
        let server = TokenServer(onRefresh: { _ in throw URLError(.secureConnectionFailed) })
        let gateway = server.tokens(.expired)
        let tokens = server.tokens(.expired) { rejection in
            try await rejection.session.load(.test("user-token"), as: Token.self)
        }
        let session = server.session.authenticated(by: gateway).authenticated(by: tokens)

        let error = await #expect(throws: APIRequestError.self) {
            try await session.load(.test("data"), as: Data.self)
        }
        #expect((error?.underlying as? URLError)?.code == .secureConnectionFailed)
        let text = try #require(error?.description)
        for path in ["data", "user-token", "token"] { #expect(text.contains("com/\(path)")) }
        #expect(text.components(separatedBy: "curl ").count == 2)
    }

    @Test func readsTheBodyOfARejectedStreamForFiveSecondsOfItsClock() async throws {
        let clock = MockClock(patience: .zero)
        let network = MockNetwork(clock: clock)
        network.stub(
            .any,
            .stream(status: 401) { writer in
                try await writer.send("denied")
                _ = try await waitForCancellation()
            })
        network.stub(.any.header("Authorization", "Bearer new1"), .text("there"))
        let tokens = TokenServer().tokens { _ in Token(access: "new1") }
        let session = network.authenticated(by: tokens, clock: clock)

        async let outcome = session.outcome(of: .test("data"), asStream: true)
        await network.waitForRequests()
        await yieldWhile { !clock.pendingDeadlines.contains(.seconds(5)) }
        await clock.advance(by: .seconds(5))
        #expect(await outcome == .body("there"))
    }
}

/// A refresh is redirected to no other origin.
@Suite(.limited, .usesSockets) struct RefreshRedirectTests {
    /// What is between the transport and the credential.
    enum Chain: CaseIterable {
        case nothing, policies
        /// The app follows the redirects of its other requests.
        case redirects

        func around(_ session: any HTTPSession) -> any HTTPSession {
            switch self {
            case .nothing: return session
            case .redirects: return session.redirecting { _, next in next }
            case .policies:
                let clock = MockClock()
                return session.timingOut(after: .seconds(30), clock: clock).limited(to: 2)
                    .coalescing().retrying(RetryPolicy(deadline: .seconds(30)), clock: clock)
                    .intercepting { try await $1($0) }.observed { _ in }
            }
        }
    }

    @Test(arguments: Transport.allCases, Chain.allCases)
    func isNotFollowedElsewhere(_ transport: Transport, _ chain: Chain) async throws {
        let evil = MockNetwork()
        let evilURL = try evil.serve().url
        for status in [301, 302, 303, 307, 308] {
            let network = MockNetwork()
            let (session, baseURL) = try transport.open(network)
            network.stub(.path("/token"), .redirect(to: "\(evilURL)/token", status: status))
            let credentials = TokenServer().tokens(.expired, for: baseURL)

            let error = await #expect(throws: APIRequestError.self) {
                try await chain.around(session).authenticated(by: credentials)
                    .exchange(URLRequest(url: baseURL.appending(path: "data")))
            }

            let refusal = TransportError.refusedRedirect(from: "\(baseURL)", to: "\(evilURL)")
            #expect(error?.underlying as? TransportError == refusal)
            #expect(credentials.credential == .expired)
            #expect(network.requests.count == 1)
        }
        #expect(evil.requests.isEmpty)
    }

    @Test func isFollowedWithinItsOrigin() async throws {
        for transport in [Transport.direct, .urlProtocol] {
            let network = MockNetwork()
            network.stub(.any, .json(encoding: Token(access: "new")))
            network.stub(.get("/data"), .text("data"))
            network.stub(
                .post("/token").host("api.example.com"),
                .redirect(to: "https://api.example.com/v2/token", status: 307))
            let credentials = TokenServer().tokens(.expired)

            let session = try transport.open(network).session.authenticated(by: credentials)
            #expect(await session.outcome(of: .test("data")) == .body("data"))
            #expect(credentials.credential?.access == "new")
        }
    }
}
