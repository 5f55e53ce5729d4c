import APIKitLiteTesting
import TestSupport

@testable import APIKitLite

/// When a credential is saved, and what is in the store afterwards.
@Suite(.limited, .usesSockets) struct CredentialSaveTests {
    @Test func savesEachChange() async throws {
        let (_, store, tokens, session) = user(Store(.old), given: .old)

        #expect(await session.outcome(of: .test("data")) == .body("Bearer new1"))
        for token in [Token(access: "emma"), nil, nil, Token(access: "anne")] {
            tokens.credential = token
            try await tokens.value()
        }

        #expect(store.log == ["save new1", "save emma", "save -", "save -", "save anne"])
        #expect(store.content?.access == "anne")
    }

    @Test(arguments: [Token.old, .expired])
    func isSavedBeforeItIsSent(_ token: Token) async throws {
        let store = Store(token, holding: .save)
        let server = TokenServer(onData: { given in
            if given == "Bearer new1" { #expect(store.content?.access == "new1") }
        })
        let (_, _, tokens, session) = user(store, given: token, on: server)
        async let first = session.outcome(of: .test("data"))
        await store.waitUntilHeld()

        // A request that begins now waits, too.
        #expect(tokens.credential?.access == "new1")
        let second = await settledTask { await session.outcome(of: .test("data")) }
        #expect(!server.given.contains("Bearer new1"))
        store.release()

        #expect(await first == .body("Bearer new1"))
        #expect(try await second.value == .body("Bearer new1"))
        #expect(store.log == ["save new1"])
    }

    @Test func aRefreshThatSignsOutWaitsForItsSave() async throws {
        let (_, store, tokens, _) = user(Store(.old, holding: .save), given: .old) { _ in nil }
        let executor = QueueExecutor(isSerial: true)
        let task = executor.start {
            let refreshed = try await tokens.refresh()
            #expect(refreshed == nil && store.content == nil)
        }
        await store.waitUntilHeld()
        await executor.settle()
        store.release()
        try await task.value
    }

    @Test(arguments: [false, true])
    func aSignOutIsSavedAfterItsRequestHasEnded(_ isCancelled: Bool) async throws {
        let (isAsked, mayReturn) = (Gate(), Gate())
        let (server, store, _, session) = user(Store(.old, holding: .save), given: .old) { _ in
            isAsked.open()
            await mayReturn.wait()
            return nil
        }
        defer { store.release() }
        let task = Task { await session.outcome(of: .test("data")) }
        await isAsked.wait()

        if isCancelled { task.cancel() } else { mayReturn.open() }
        #expect(await task.value == (isCancelled ? .error(.cancelled) : .body("Bearer old")))
        mayReturn.open()
        await store.waitUntilHeld()
        #expect(server.given == ["Bearer old"])
    }

    @Test func aSignOutThatWasNotSavedIsSavedByTheNextRequest() async throws {
        let (isAsked, mayFail, isSaved) = (Gate(), Gate(), Gate())
        let count = Locked(0)
        let key = Credentials("key", for: .api) {
            try $1.authorization(bearer: $0)
        } save: { _ in
            guard count.next() == 1 else { return isSaved.open() }
            isAsked.open()
            await mayFail.wait()
            throw TestError()
        }
        key.credential = nil
        await isAsked.wait()
        let value = await settledTask { try await key.value() }
        mayFail.open()
        await #expect(throws: TestError.self) { try await value.value }

        let session = TokenServer().session.authenticated(by: key)
        #expect(await session.outcome(of: .test("data")) == .body("nobody"))
        await isSaved.wait()
    }

    @Test func aSignInDuringARefreshIsSavedBeforeItIsSent() async throws {
        let store = Store(nil, holding: .save)
        let (isAsked, never) = (Gate(), Gate())
        let server = TokenServer(onData: { given in
            if given == "Bearer good" { #expect(store.content == .good) }
        })
        defer { never.open() }
        let (_, _, tokens, session) = user(store, on: server) { rejection in
            guard rejection.response != nil else { return nil }
            isAsked.open()
            await never.wait()
            return nil
        }
        let executor = QueueExecutor(isSerial: true)
        let task = executor.start { await session.outcome(of: .test("data")) }
        await isAsked.wait()

        tokens.credential = .good
        await store.waitUntilHeld()
        await executor.settle()
        store.release()
        #expect(try await task.value == .body("Bearer good"))
    }

    /// Otherwise a rotated refresh token might be in no store.
    @Test(arguments: [false, true])
    func isSavedBeforeItIsRefreshed(_ isAskedFor: Bool) async throws {
        let (server, store, tokens, session) = user(Store(nil, holding: .save), given: .good)
        tokens.credential = .expired
        await store.waitUntilHeld()

        let task = await settledTask {
            isAskedFor
                ? try await tokens.refresh()?.access
                : try await session.exchange(.test("data")).0.text
        }
        #expect(server.refreshCount == 0)
        store.release()
        #expect(try await task.value == (isAskedFor ? "new1" : "Bearer new1"))
        #expect(store.log == ["save old", "save new1"])
    }

    /// What the app does while the first call of `save` hangs.
    enum Change: CaseIterable { case signOut, signIn, signOutAndIn, refresh }

    @Test(arguments: Change.allCases)
    func aSaveThatHangsStopsNothingButLaterCredentials(_ change: Change) async throws {
        let (server, store, tokens, session) = user(
            Store(.old, holding: .save), given: .old, on: TokenServer(accepting: "good"))
        let waiting = Task { try await session.exchange(.test("data")) }
        await store.waitUntilHeld()

        if change == .signOut || change == .signOutAndIn {
            tokens.credential = nil
            // Neither a request that waited nor a new one waits for the store.
            #expect(try await waiting.value.1.statusCode == 401)
            #expect(await session.outcome(of: .test("data")) == .body("nobody"))
        }
        if change == .signIn || change == .signOutAndIn {
            server.valid.withLock { $0 = "good" }
            tokens.credential = .good
        }
        let refreshed = Task { change == .refresh ? try await tokens.refresh() : nil }
        // A refresh joins the save that hangs. Any other change waits for its own.
        await yieldWhile { change != .refresh && tokens.saving.waitingCount == 0 }
        #expect(store.log == ["save new1"])
        if change != .signOut {
            // It waits its turn, and may leave.
            let next = await settledTask { await session.outcome(of: .test("data")) }
            next.cancel()
            #expect(try await next.value == .error(.cancelled))
            #expect(!server.given.contains("Bearer good") && !server.given.contains("Bearer new1"))
        }
        store.release()

        let last = change == .signOut ? nil : change == .refresh ? "new2" : "good"
        _ = try await refreshed.value
        #expect(try await tokens.value()?.access == last)
        #expect(store.content?.access == last)
        // One at a time, and no credential that was no longer the current one.
        #expect(store.log == ["save new1", "save \(last ?? "-")"])
        if last == "good" {
            #expect(await session.outcome(of: .test("data")) == .body("Bearer good"))
        }
        _ = try await waiting.value
    }

    /// A rotated refresh token must not be lost.
    @Test func aRefreshThatCannotBeSavedIsKept() async throws {
        let (server, store, tokens, session) = user(
            Store(.old, failing: .save, times: .max), given: .old)

        for _ in 0..<2 {
            let error = await #expect(throws: APIRequestError.self) {
                try await session.load(.test("data"), as: Data.self)
            }
            #expect(error?.stage == .transport)
            #expect(error?.underlying is TestError)
            #expect(error?.localizedDescription == "The sign-in could not be saved.")
            #expect(error?.description.contains("\nThe save of the credential failed.\n") == true)
            #expect(tokens.credential?.access == "new1")
        }
        store.stopFailing()
        #expect(try await session.load(.test("data"), as: Data.self).text == "Bearer new1")

        #expect(server.refreshCount == 1)
        #expect(server.given == ["Bearer old", "Bearer new1"])
        // Once for each request.
        #expect(store.log == ["save new1", "save new1", "save new1"])
        #expect(store.content?.access == "new1")
    }

    /// Each request that shares the refresh gets the error of its save.
    @Test func aSaveThatFailsIsNotRepeatedByTheRequestsThatWaitForIt() async throws {
        let (server, store, tokens, session) = user(
            Store(.expired, failing: .save, times: .max), given: .expired,
            on: TokenServer(holdsRefresh: true))
        let tasks = await settledTasks(21, isSerial: false) { number in
            if number == 0 { try await tokens.refresh() }
            return try await session.load(.test("data"), as: Data.self)
        }
        await server.token.waitForRequests()
        server.token.release()

        await #expect(throws: TestError.self) { try await tasks[0].value }
        for task in tasks.dropFirst() {
            let error = await #expect(throws: APIRequestError.self) { try await task.value }
            #expect(error?.description.contains("\nThe save of the credential failed.\n") == true)
        }
        #expect(store.log == ["save new1"])
        #expect(server.given.isEmpty)
        #expect(tokens.credential?.access == "new1")
    }

    /// Only the attempt that fails last is described.
    @Test(arguments: [MockResponse.status(404), .error(.cannotParseResponse)])
    func aLaterAttemptSaysNothingOfTheSave(_ response: MockResponse) async throws {
        let store = Store(.old, failing: .save, with: URLError(.timedOut))
        let (server, _, _, session) = user(store, given: .old)
        server.network.stub(.get("/data").header("Authorization", "Bearer new1"), response)

        let error = await #expect(throws: APIRequestError.self) {
            try await session.retrying(clock: ImmediateClock(), random: { 0 })
                .load(.test("data"), as: Data.self)
        }
        #expect((error?.statusCode == 404) == (error?.stage == .validate))
        #expect(store.log == ["save new1", "save new1"])
        #expect(error?.description.contains("credential") == false)
    }

    @Test func aSignOutThatCannotBeSavedIsReportedAndRepeated() async throws {
        let (_, store, tokens, session) = user(Store(.old, failing: .save, times: 2), given: .old)

        tokens.credential = nil
        await #expect(throws: TestError.self) { for _ in 1...9 { try await tokens.value() } }
        #expect(store.content == .old)
        // It reports nothing, but asks for it.
        for _ in 0..<2 {
            #expect(await session.outcome(of: .test("data")) == .body("nobody"))
            await yieldWhile { store.content != nil && store.log.count < 2 }
        }
        try await tokens.value()

        #expect(store.content == nil)
    }

    @Test func theErrorOfAnEarlierCredentialIsNobodys() async throws {
        let (_, store, tokens, _) = user(Store(nil, holding: .save, failing: .save), given: .old)
        tokens.credential = Token(access: "first")
        await store.waitUntilHeld()

        tokens.credential = Token(access: "second")
        store.release()
        #expect(try await tokens.value()?.access == "second")
        #expect(store.content?.access == "second")
    }

    /// If `save` ran on the thread of the setter, this would not end.
    @Test func aSetterMayHoldALockThatSaveNeeds() async throws {
        let lock = Locked(0)
        let tokens = Credentials("old", apply: { $1 }, save: { _ in lock.next() })

        lock.withLock { _ in tokens.credential = "new" }
        try await tokens.value()
        #expect(lock.withLock { $0 } > 0)
    }

    @Test func aRequestWithoutTheCredentialDoesNotWaitForASave() async throws {
        let store = Store(nil, holding: .save)
        defer { store.release() }
        let tokens = Credentials<Token>(for: .api, apply: { $1 }, save: store.save)
        tokens.credential = .good
        await store.waitUntilHeld()

        let session = TokenServer().session.authenticated(by: tokens)
        #expect(await session.outcome(of: .test("login")) == .body("nobody"))
    }

    /// Such as the registration of a device.
    @Test(arguments: [false, true], [false, true])
    func aRequestOfSaveOverItsOwnChainEnds(_ isChanged: Bool, _ isRefreshed: Bool) async throws {
        let server = TokenServer(accepting: "new1")
        let (chain, later, count) = (Later(), Locked<Credentials<Token>?>(nil), Locked(0))
        let tokens = server.tokens { _ in
            Token(access: "new1")
        } save: { _ in
            guard count.next() < 20 else { return }
            if isChanged { later.withLock { $0 }?.credential = Token(access: "new1", refresh: "s") }
            _ = try await chain.exchange(.test("device"))
        }
        later.withLock { $0 = tokens }
        let session = server.session.authenticated(by: tokens)
        chain.lead(to: session)
        if !isRefreshed { tokens.credential = Token(access: "new1") }

        #expect(await session.outcome(of: .test("data")) == .body("Bearer new1"))
        await yieldWhile { !server.given.contains("nobody") }
        try await tokens.value()
        #expect(tokens.credential?.refresh == (isChanged ? "s" : "r"))
        // What `save` sets is saved.
        #expect(count.withLock { $0 } == 1)
    }
}
