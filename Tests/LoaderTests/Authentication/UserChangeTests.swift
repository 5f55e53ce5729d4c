import APIKitLiteTesting
import TestSupport

@testable import APIKitLite

/// A request of one user is never sent with the credential of another.
@Suite(.limited) struct UserChangeTests {
    /// What the app does while a request waits.
    enum Change: CaseIterable {
        case signIn, signOut, signOutAndIn

        func apply(to tokens: Credentials<Token>) {
            if self != .signIn { tokens.credential = nil }
            if self != .signOut { tokens.credential = Token(access: "other") }
        }
    }

    /// What the request waits for.
    enum Moment: CaseIterable { case load, apply, staleRefresh, refresh, refusal, save, response }

    private func outcome(_ task: Task<(Data, HTTPURLResponse), any Error>) async -> String {
        do {
            let (data, response) = try await task.value
            return response.statusCode == 200 ? data.text : "\(response.statusCode)"
        } catch {
            return (error as? TransportError) == .credentialChanged ? "changed" : "\(error)"
        }
    }

    @Test(arguments: Change.allCases, Moment.allCases)
    func endsTheRequestsThatWait(_ change: Change, _ moment: Moment) async throws {
        let (isReached, mayContinue) = (Gate(), Gate())
        let hold: @Sendable (Moment) async -> Void = { here in
            guard here == moment else { return }
            isReached.open()
            await mayContinue.wait()
        }
        let server = TokenServer(
            accepting: "other",
            onData: { given in if given == "Bearer old" { await hold(.response) } },
            onRefresh: { _ in
                await hold(moment == .staleRefresh || moment == .refusal ? moment : .refresh)
                return moment == .refusal
                    ? .json(#"{"error": "invalid_grant"}"#, status: 400)
                    : .json(encoding: Token(access: "unwanted"))
            })
        let store = Store(.old)
        let tokens = Credentials(
            moment == .load ? nil : moment == .staleRefresh ? Token.expired : .old, for: .api
        ) { token, request in
            await hold(.apply)
            return try request.authorization(bearer: token.access)
        } isStale: {
            $0.expires == 0
        } refresh: { rejection in
            guard rejection.credential != nil else {
                await hold(.load)
                return moment == .load ? .old : nil
            }
            return try await refreshedToken(rejection)
        } save: { token in
            if token?.access == "unwanted" { await hold(.save) }
            try await store.save(token)
        }
        let session = server.session.authenticated(by: tokens)
        let task = Task { try await session.exchange(.test("data", method: "POST")) }
        await isReached.wait()

        change.apply(to: tokens)
        // It does not wait for the closure. For the rest, it must.
        let isDone = ![.apply, .response].contains(moment)
        let result = isDone ? await outcome(task) : ""
        mayContinue.open()

        let isSent = [.refresh, .refusal, .save, .response].contains(moment)
        let expected =
            isSent ? "401" : moment == .load && change == .signIn ? "Bearer other" : "changed"
        #expect((isDone ? result : await outcome(task)) == expected)
        #expect(server.given == (isSent ? ["Bearer old"] : expected == "changed" ? [] : [expected]))
        let last = change == .signOut ? nil : "other"
        #expect(tokens.credential?.access == last)
        #expect(try await tokens.value()?.access == (last ?? (moment == .load ? "old" : nil)))
        await yieldWhile { store.content?.access != tokens.credential?.access }
        #expect(await session.outcome(of: .test("data")) != .otherError)
    }

    /// What sends a request again, or later.
    enum Repetition: CaseIterable { case retry, limit, download, events }

    @Test(arguments: Change.allCases, Repetition.allCases)
    func endsTheRequestsThatWaitOutsideOfTheCredential(
        _ change: Change, _ repetition: Repetition
    ) async throws {
        let (clock, network) = (MockClock(), MockNetwork())
        let lost = MockResponse.error(.networkConnectionLost)
        let stub = network.stub(.any, repetition == .limit ? lost.held : lost)
        let tokens = TokenServer().tokens(.old)
        let session = network.authenticated(by: tokens)
        let limited = session.limited(to: 1)
        let folder = try TemporaryFolder()
        let tasks = await settledTasks(repetition == .limit ? 2 : 1) { _ in
            let request = URLRequest.test("data")
            switch repetition {
            case .limit: _ = try await limited.load(request, as: Data.self)
            case .retry:
                let retrying = session.retrying(clock: clock, random: { 1 })
                _ = try await retrying.load(request, as: Data.self)
            case .events:
                for try await _ in session.events(request, clock: clock, random: { 1 }) {}
            case .download:
                try await session.download(
                    request, to: folder.file, retrying: .standard, clock: clock, random: { 1 })
            }
        }
        await stub.waitForRequests()
        if repetition != .limit { await yieldWhile { clock.pending.isEmpty } }

        change.apply(to: tokens)
        if repetition == .limit { stub.release() } else { await clock.advanceToNextSleeper() }

        let error = await #expect(throws: APIRequestError.self) { try await tasks.last?.value }
        #expect(error?.underlying as? TransportError == .credentialChanged)
        #expect(network.requests.map { $0.header("Authorization") } == ["Bearer old"])
    }

    @Test(arguments: [false, true])
    func aRequestOfNobodyContinuesWithTheUserWhoSignsIn(_ isLate: Bool) async throws {
        let (isWaiting, mayRespond, never) = (Gate(), Gate(), Gate())
        defer { never.open() }
        let server = TokenServer(onData: { given in
            guard given == "nobody", isLate else { return }
            isWaiting.open()
            await mayRespond.wait()
        })
        let tokens = server.tokens(nil) { rejection in
            guard rejection.response != nil else { return nil }
            isWaiting.open()
            await never.wait()
            return nil
        }
        let session = server.session.authenticated(by: tokens)
        async let outcome = session.outcome(of: .test("data"))
        await isWaiting.wait()

        tokens.credential = .good
        mayRespond.open()
        #expect(await outcome == .body("Bearer good"))
        #expect(server.given == ["nobody", "Bearer good"])
    }

    /// The next user signs in by setting the credential, or by a refresh.
    @Test(arguments: [false, true], [false, true])
    func aUserWhoseRefreshIsRefusedHasLeft(_ isThrown: Bool, _ isSet: Bool) async throws {
        let (clock, network) = (MockClock(), MockNetwork())
        network.stub(.get("/data"), .status(503))
        network.stub(.get("/other"), .status(401))
        let tokens = TokenServer().tokens(.old) { rejection in
            if rejection.credential == nil { return Token(access: "other") }
            if isThrown { throw SignOutError(TestError()) }
            return nil
        }
        let session = network.authenticated(by: tokens).retrying(clock: clock, random: { 1 })
        let task = Task { try await session.exchange(.test("data")) }
        await yieldWhile { clock.pending.isEmpty }

        _ = try? await session.exchange(.test("other"))
        if isSet { tokens.credential = Token(access: "other") } else { try await tokens.refresh() }
        #expect(tokens.credential?.access == "other")
        await clock.advanceToNextSleeper()
        await #expect(throws: TransportError.credentialChanged) { try await task.value }
        #expect(!network.requests.contains { $0.header("Authorization") == "Bearer other" })
    }

    /// 4,000 requests of two users, who sign in and out, in random order.
    @Test(arguments: 0..<8)
    func usersDoNotMix(_ seed: Int) async throws {
        let draw = drawing(seed)
        @Sendable func user(_ token: String) -> String { String(token.prefix { $0 != "-" }) }
        let network = MockNetwork()
        network.stub(.any, times: .any) { request in
            let given = user(request.header("Authorization")?.replacing("Bearer ", with: "") ?? "")
            let maker = request.header("X-User") ?? ""
            #expect(given.isEmpty || maker == "nobody" || given == maker)
            for _ in 0..<draw(4) { await Task.yield() }
            return .status([200, 200, 401, 503][draw(4)])
        }
        let numbers = Locked(0)
        let tokens = Credentials<String>(for: .api) { token, request in
            if draw(4) == 0 { await Task.yield() }
            return try request.authorization(bearer: token)
        } isStale: { _ in
            draw(8) == 0
        } refresh: { rejection in
            for _ in 0..<draw(4) { await Task.yield() }
            switch draw(8) {
            case 0: throw TestError()
            case 1: throw SignOutError(TestError())
            case 2: return nil
            case 3: return rejection.credential
            default: return rejection.credential.map { "\(user($0))-\(numbers.next())" }
            }
        } save: { _ in
            for _ in 0..<draw(3) { await Task.yield() }
            if draw(9) == 0 { throw TestError() }
        }
        let session = network.authenticated(by: tokens).limited(to: 20)
            .retrying(clock: ImmediateClock(), random: { 0 })
        // A user changes between requests, not while one is made.
        let change = NSLock()

        try await concurrently(500) { _ in
            for _ in 0..<draw(9) { await Task.yield() }
            switch draw(12) {
            case 0: change.withLock { tokens.credential = "\(["emma", "anne"][draw(2)])-0" }
            case 1: change.withLock { tokens.credential = nil }
            case 2: _ = try? await tokens.value()
            case 3: _ = try? await tokens.refresh()
            default: break
            }
            var options = SendOptions.body
            let maker = change.withLock {
                options.context.begin()
                return tokens.credential.map(user) ?? "nobody"
            }
            let request = try URLRequest.test("data").header("X-User", maker)
            let task = Task { [options] in
                (try? await session.send(request, awaiting: options))?.0.end()
            }
            if draw(9) == 0 { task.cancel() }
            _ = await task.value
        }
    }
}
