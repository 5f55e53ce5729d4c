import APIKitLite
import APIKitLiteTesting
import TestSupport

/// A session that asks the app's own store for its token.
@Suite(.limited, .usesSockets) struct TokenStoreTests {
    private let server = TokenServer()

    @Test func asksBeforeEachRequest() async throws {
        let user = Locked<String?>(nil)
        let session = server.session.authenticated(for: .api) { _ in user.withLock { $0 } }

        for token in ["good", "other", nil, "good"] {
            user.withLock { $0 = token }
            _ = try await session.exchange(.test("data", method: "PUT"))
        }

        // The other token is rejected, and the store has no better one: nothing is sent again.
        #expect(server.given == ["Bearer good", "Bearer other", "nobody", "Bearer good"])
    }

    /// The store of an app does not know that a refresh is in progress.
    @Test func isToldWhichTokenWasRejected() async throws {
        let store = Locked<(token: String, asked: [String?])>(("old", []))
        let session = server.session.authenticated(for: .api) { [wire = server.session] rejection in
            store.withLock { $0.asked.append(rejection.credential) }
            if rejection.credential == store.withLock({ $0.token }) {
                let token = try await wire.load(RefreshRequest(), .old)
                store.withLock { $0.token = token.access }
            }
            return store.withLock { $0.token }
        }

        for _ in 0..<2 { #expect(await session.outcome(of: .test("data")) == .body("Bearer new1")) }
        #expect(store.withLock { $0.asked } == [nil, "old", nil])
        #expect(server.given == ["Bearer old", "Bearer new1", "Bearer new1"])
    }

    /// The token was rejected before the call began for a request that was sent before, too.
    @Test func aRejectionDuringACallSharesIt() async throws {
        let (isAsked, mayReturn) = (Gate(), Gate())
        let (rejected, network) = (Locked<[String]>([]), MockNetwork())
        network.stub(.get("/a"), .status(401), .text("a"))
        let held = network.stub(.get("/b"), .status(401).held, .text("b"))
        // An event is received in the task that then finds the call.
        let (received, areRejected) = (Locked(0), Gate())
        let observed = network.observed { event in
            if case .received = event.kind, received.next() == 2 { areRejected.open() }
        }
        let session = observed.authenticated(for: .api) { rejection in
            guard let token = rejection.credential else { return "old" }
            rejected.withLock { $0.append(token) }
            isAsked.open()
            await mayReturn.wait()
            return "new"
        }
        let executor = QueueExecutor(isSerial: true)
        let second = executor.start { await session.outcome(of: .test("b")) }
        await held.waitForRequests()
        async let first = session.outcome(of: .test("a"))
        await isAsked.wait()

        held.release()
        await areRejected.wait()
        await executor.settle()
        mayReturn.open()
        #expect(await first == .body("a"))
        #expect(try await second.value == .body("b"))
        #expect(rejected.withLock { $0 } == ["old"])
    }

    @Test func aRequestDuringACallGetsATokenOfALaterCall() async throws {
        let (isAsked, mayReturn) = (Gate(), Gate())
        // The server accepts both tokens, so only the store tells the users apart.
        let network = MockNetwork()
        network.stub(.any) { .text($0.header("Authorization") ?? "nobody") }
        let user = Locked("emma")
        let session = network.authenticated(for: .api) { _ in
            let token = user.withLock { $0 }
            isAsked.open()
            if token == "emma" { await mayReturn.wait() }
            return token
        }

        async let first = session.outcome(of: .test("data"))
        await isAsked.wait()
        user.withLock { $0 = "anne" }
        let others = await settledTasks(2) { _ in await session.outcome(of: .test("data")) }
        mayReturn.open()

        _ = await first
        for other in others { #expect(try await other.value == .body("Bearer anne")) }
    }

    @Test(arguments: [nil, "old"])
    func givesTheStoresErrorToTheCaller(_ rejected: String?) async throws {
        let fails = Locked(true)
        let session = server.session.authenticated(for: .api) { rejection in
            let asked = rejection.credential
            if asked == rejected, fails.withLock({ $0 }) { throw TestError(number: 7) }
            return asked == nil ? "old" : "good"
        }

        let error = await #expect(throws: APIRequestError.self) {
            try await session.load(.test("data"), as: Data.self)
        }
        #expect(error?.underlying as? TestError == TestError(number: 7))
        #expect(error?.description.contains("\nThe refresh of the credential failed.\n") == true)
        fails.withLock { $0 = false }
        #expect(await session.outcome(of: .test("data")) == .body("Bearer good"))
    }

    @Test func asksOnceForRequestsThatAreAllRejected() async throws {
        let server = TokenServer(accepting: "none")
        let (isAsked, mayReturn) = (Gate(), Gate())
        let refreshed = Locked<[String]>([])
        let session = server.session.authenticated(for: .api) { rejection in
            if let rejected = rejection.credential {
                isAsked.open()
                await mayReturn.wait()
                refreshed.withLock { $0.append(rejected) }
            }
            return refreshed.withLock { $0.isEmpty } ? "old" : "new"
        }

        async let first = session.outcome(of: .test("data"))
        await isAsked.wait()
        let second = await settledTask { await session.outcome(of: .test("data")) }
        mayReturn.open()

        #expect(await first == .body("Bearer new"))
        #expect(try await second.value == .body("Bearer new"))
        #expect(server.given == ["Bearer old", "Bearer new", "Bearer new"])
        // Once for each token.
        #expect(refreshed.withLock { $0 } == ["old", "new"])
    }

    /// The first request has a call of its own, and the others share the next one.
    @Test func aCallThatFailsFailsTheRequestsThatWaitForIt() async throws {
        let (mayFail, count) = (Gate(), Locked(0))
        let session = server.session.authenticated(for: .api) { _ in
            await mayFail.wait()
            if count.next() <= 2 { throw TestError(number: 7) }
            return "good"
        }
        let tasks = await settledTasks(50) { _ in try await session.exchange(.test("data")) }
        mayFail.open()

        for task in tasks { await #expect(throws: TestError(number: 7)) { try await task.value } }
        #expect(await session.outcome(of: .test("data")) == .body("Bearer good"))
        #expect(count.withLock { $0 } == 3)
    }

    @Test(arguments: [nil, "old"])
    func aRequestOfTheClosureOverItsOwnChainEnds(_ rejected: String?) async throws {
        let chain = Later()
        let session = server.session.authenticated(for: .api) { rejection in
            if rejection.credential == nil, rejected != nil { return "old" }
            return try await chain.load(RefreshRequest(), Token(access: "")).access
        }
        chain.lead(to: session)

        #expect(await session.outcome(of: .test("data")) == .body("Bearer new1"))
        #expect(server.refreshCount == 1)
    }

    /// No request has the token of a call that began before it, and one call is made at a time.
    @Test(arguments: 0..<10)
    func aTokenIsNeverOlderThanItsRequest(_ seed: Int) async throws {
        let draw = drawing(seed)
        let network = MockNetwork()
        network.stub(.any, times: .any) { request in
            await Task.yield()
            return .text(request.header("Authorization") ?? "", status: draw(3) == 0 ? 401 : 200)
        }
        let (user, running) = (Locked(0), Locked(0))
        let session = network.authenticated(for: .api) { _ in
            #expect(running.next() == 1)
            defer { running.withLock { $0 -= 1 } }
            let token = user.withLock { $0 }
            for _ in 0..<draw(4) { await Task.yield() }
            if draw(9) == 0 { throw TestError() }
            return "\(token)"
        }

        try await concurrently(150) { number in
            let now = number.isMultiple(of: 5) ? user.next() : user.withLock { $0 }
            let task = Task { await session.outcome(of: .test("data")) }
            if draw(6) == 0 { task.cancel() }
            if case .body(let text) = await task.value {
                #expect(Int(text.dropFirst("Bearer ".count)) ?? -1 >= now)
            }
        }
    }
}

/// How a credential is applied to a request, and what a request without one does.
@Suite(.limited, .usesSockets) struct CredentialApplyTests {
    @Test func waitsForASignature() async throws {
        let (server, count) = (TokenServer(accepting: "key2/data"), Locked(0))
        let key = Credentials("key1", for: .api) { key, request in
            // As of a service that holds the key.
            await Task.yield()
            count.next()
            return try request.authorization(bearer: "\(key)\(request.url!.path)")
        } refresh: { rejection in
            #expect(rejection.request?.value(forHTTPHeaderField: "Authorization") != nil)
            return rejection.credential == "key1" ? "key2" : nil
        }
        let session = server.session.authenticated(by: key)

        #expect(await session.outcome(of: .test("data")) == .body("Bearer key2/data"))
        #expect(count.withLock { $0 } == 2)
    }

    /// A way in which `apply` changes a request.
    enum Way: CaseIterable { case not, header, query, body, stream }

    @Test(arguments: Way.allCases, [Token.old, .expired])
    func refreshesOnlyIfTheCredentialWasSent(_ way: Way, _ token: Token) async throws {
        let network = MockNetwork()
        network.stub(.any, .status(401), times: .any)
        let tokens = Credentials(token, for: .api) { token, request in
            var request = request
            switch way {
            case .not: break
            case .header: request.setValue(token.access, forHTTPHeaderField: "X-Key")
            case .query: request.url?.append(queryItems: [URLQueryItem(name: "k", value: "1")])
            case .body: request.httpBody = Data(token.access.utf8)
            case .stream: request.httpBodyStream = InputStream(data: Data(token.access.utf8))
            }
            return request
        } isStale: {
            $0.expires == 0
        } refresh: { _ in
            Token(access: "new")
        }
        let session = network.authenticated(by: tokens)

        for _ in 0..<2 {
            #expect(try await session.exchange(.test("a", method: "POST")).1.statusCode == 401)
        }
        #expect(tokens.credential?.access == (way == .not ? "old" : "new"))
    }

    @Test func aRequestWithoutTheCredentialDoesNotWaitForOne() async throws {
        let tokens = Credentials(Token.expired, for: .api) { _, request in
            if request.url?.path == "/login" { return request }
            throw TestError()
        } isStale: {
            $0.expires == 0
        } refresh: { _ in
            throw URLError(.notConnectedToInternet)
        }
        let session = TokenServer().session.authenticated(by: tokens)

        #expect(await session.outcome(of: .test("login")) == .body("nobody"))
        // One that `apply` cannot sign yet is refreshed first.
        #expect(await session.outcome(of: .test("data")) == .error(.notConnectedToInternet))
    }

    /// Such as one that counts its signatures.
    @Test(arguments: [nil, "key2"])
    func anApplyThatSetsTheCredentialEnds(_ next: String?) async throws {
        let (later, count) = (Locked<Credentials<String>?>(nil), Locked(0))
        let tokens = Credentials("key1", for: .api) { key, request in
            if count.next() < 20 { later.withLock { $0 }?.credential = next }
            return try request.authorization(bearer: key)
        }
        later.withLock { $0 = tokens }

        await #expect(throws: TransportError.credentialChanged) {
            try await TokenServer().session.authenticated(by: tokens).exchange(.test("data"))
        }
        #expect(count.withLock { $0 } == 1)
        #expect(tokens.credential == next)
    }

    @Test func anIsStaleThatSetsTheCredentialRefreshesNothing() async throws {
        let (later, count) = (Locked<Credentials<String>?>(nil), Locked(0))
        let tokens = Credentials<String>("old", for: .api) { key, request in
            try request.authorization(bearer: key)
        } isStale: { key in
            if key == "old" { later.withLock { $0 }?.credential = "other" }
            return key == "old"
        } refresh: { _ in
            "new\(count.next())"
        }
        later.withLock { $0 = tokens }

        #expect(try await tokens.value() == "other")
        #expect(count.withLock { $0 } == 0)
    }

    /// A user who signs in when a request is rejected.
    private func newUser(
        asked: Locked<[String]>
    ) -> (server: TokenServer, tokens: Credentials<Token>, session: any HTTPSession) {
        let server = TokenServer()
        let tokens = server.tokens(nil) { rejection in
            let path = rejection.request?.url?.path ?? "-"
            asked.withLock { $0.append("\(rejection.credential?.access ?? "-") \(path)") }
            guard let response = rejection.response else { return nil }
            #expect(response.statusCode == 401)
            return Token.good
        }
        return (server, tokens, server.session.authenticated(by: tokens))
    }

    @Test func aServerThatAsksForItSignsIn() async throws {
        let asked = Locked<[String]>([])
        let (server, tokens, session) = newUser(asked: asked)
        server.network.stub(.get("/open"), .text("open"), times: .any)

        #expect(await session.outcome(of: .test("open")) == .body("open"))
        #expect(tokens.credential == nil)
        let outcomes = try await concurrently(10) { _ in await session.outcome(of: .test("data")) }
        #expect(Set(outcomes) == [.body("Bearer good")])
        #expect(asked.withLock { $0 } == ["- -", "- /data"])
    }

    /// Otherwise the refresh might load from a store what the sign-out is about to remove.
    @Test(arguments: [false, true], [false, true])
    func aRejectionAfterASignOutAsksForNothing(
        _ wasSignedIn: Bool, _ isWaitedFor: Bool
    ) async throws {
        let asked = Locked<[String]>([])
        let (_, tokens, session) = newUser(asked: asked)

        if wasSignedIn { tokens.credential = Token.good }
        tokens.credential = nil
        if isWaitedFor { #expect(try await tokens.value() == nil) }
        for _ in 0..<3 { #expect(await session.outcome(of: .test("data")) == .body("nobody")) }
        #expect(asked.withLock { $0 } == (isWaitedFor ? ["- -"] : []))
    }
}
