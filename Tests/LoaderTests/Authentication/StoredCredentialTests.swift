import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

/// A credential that is loaded from a store, and saved in it.
@Suite(.limited, .usesSockets) struct StoredCredentialTests {
    private let old = Token(access: "old")

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test(arguments: [Token(access: "good"), Token(access: "old"), .expired])
    func loadsAndSavesOnceFor500Requests(_ token: Token) async throws {
        let server = TokenServer()
        let store = Store(token, holding: .load)
        let tokens = server.tokens(store)
        let session = server.session.authenticated(by: tokens)
        let executor = QueueExecutor(isSerial: false)

        let tasks = (0..<500).map { _ in
            executor.start { await session.outcome(of: .test("data")) }
        }
        await executor.settle()
        #expect(tokens.credential == nil)
        store.release()

        let last = token.access == "good" ? "good" : "new1"
        for task in tasks { #expect(try await task.value == .body("Bearer \(last)")) }
        #expect(store.log == ["load"] + (last == "good" ? [] : ["save new1"]))
        #expect(server.refreshCount == (last == "good" ? 0 : 1))
        #expect(tokens.credential?.access == last)
    }

    @Test func isNotLoadedIfItIsGivenOrSet() async throws {
        let server = TokenServer()
        let store = Store(Token(access: "unwanted"))
        let given = server.tokens(Token(access: "good"), load: store.load)
        let set = server.tokens(nil, load: store.load)
        set.credential = Token(access: "good")

        for tokens in [given, set] {
            let session = server.session.authenticated(by: tokens)
            #expect(await session.outcome(of: .test("data")) == .body("Bearer good"))
        }
        #expect(store.log == [])
    }

    @Test func isLoadedOnceIfNobodyIsSignedIn() async throws {
        let server = TokenServer()
        let store = Store(nil)
        let session = server.session.authenticated(by: server.tokens(store))

        for _ in 0..<2 {
            #expect(await session.outcome(of: .test("data")) == .body("nobody"))
        }
        #expect(store.log == ["load"])
    }

    // If the app ended here, the token that the server just gave out would be lost.
    @Test func isSavedBeforeARequestIsSentWithIt() async throws {
        let server = TokenServer()
        let store = Store(old, holding: .save)
        let session = server.session.authenticated(by: server.tokens(store))

        async let first = session.outcome(of: .test("data"))
        await store.waitUntilHeld()
        async let second = session.outcome(of: .test("data"))
        #expect(!server.given.contains("Bearer new1"))
        store.release()

        #expect(await [first, second] == [.body("Bearer new1"), .body("Bearer new1")])
        #expect(store.log == ["load", "save new1"])
    }

    @Test(arguments: Store.Step.allCases, [TestError() as any Error, CancellationError()])
    func givesTheErrorOfTheStoreToTheCaller(_ step: Store.Step, _ error: any Error) async throws {
        let server = TokenServer()
        let store = Store(old, failing: step, with: error)
        let tokens = server.tokens(store)
        let loader = APIRequestLoader(
            apiRequest: TextRequest(), urlSession: server.session.authenticated(by: tokens))

        let failure = await #expect(throws: APIRequestError.self) { try await loader.load("/data") }
        #expect(failure?.stage == .transport)
        #expect("\(try #require(failure?.underlying))" == "\(error)")
        #expect(tokens.credential?.access == (step == .load ? nil : "new1"))

        // The next request tries it again, and the token that could not be saved is still there.
        #expect(try await loader.load("/data") == "Bearer new1")
        #expect(store.log.suffix(1) == ["save new1"])
        #expect(server.refreshCount == 1)
    }

    @Test(arguments: Store.Step.allCases)
    func oneCancelledRequestLeavesTheOthers(_ step: Store.Step) async throws {
        let server = TokenServer()
        let store = Store(old, holding: step)
        let session = server.session.authenticated(by: server.tokens(store))
        let cancelled = Task { await session.outcome(of: .test("data")) }
        await store.waitUntilHeld()
        let other = Task { await session.outcome(of: .test("data")) }

        cancelled.cancel()
        #expect(await cancelled.value == .error(.cancelled))
        store.release()

        #expect(await other.value == .body("Bearer new1"))
        #expect(store.log == ["load", "save new1"])
    }

    /// What the app does while a step is in progress.
    enum Change: CaseIterable {
        case signIn, signOut, signOutAndIn

        func apply(to tokens: Credentials<TokenAuthenticator>) {
            if self != .signIn { tokens.credential = nil }
            if self != .signOut { tokens.credential = Token(access: "other") }
        }
    }

    enum Moment: CaseIterable { case load, refresh, save, refusal, savingOfARefusal }

    @Test(arguments: Change.allCases, Moment.allCases)
    func continuesWithWhatTheAppSets(_ change: Change, _ moment: Moment) async throws {
        let isRefused = moment == .refusal || moment == .savingOfARefusal
        let refreshes = moment == .refresh || moment == .refusal
        let server = TokenServer(
            accepting: "other", holdsRefresh: refreshes,
            onRefresh: { _ in
                isRefused
                    ? .json(#"{"error": "invalid_grant"}"#, status: 400)
                    : .json(encoding: Token(access: "unwanted"))
            })
        let holds: Store.Step? = moment == .load ? .load : refreshes ? nil : .save
        let store = Store(old, holding: holds)
        let tokens = server.tokens(store)
        let session = server.session.authenticated(by: tokens)
        async let waiting = session.exchange(.test("data"))
        if refreshes { await server.token.waitForRequests() } else { await store.waitUntilHeld() }

        change.apply(to: tokens)
        let expected = change == .signOut ? nil : "other"
        if refreshes { server.token.release() } else { store.release() }

        #expect(try await waiting.1.statusCode == (expected == nil ? 401 : 200))
        #expect(try await tokens.value()?.access == expected)
        #expect(tokens.credential?.access == expected)
        // The last save is the one that counts.
        #expect(store.log.last == "save \(expected ?? "-")")
        #expect(!server.given.contains("Bearer unwanted"))
    }

    // MARK: A refresh that the server refuses

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func aRefusedRefreshSignsOutOnce() async throws {
        let server = TokenServer(
            holdsRefresh: true,
            onRefresh: { _ in .json(#"{"error": "invalid_grant"}"#, status: 400) })
        let store = Store(.expired)
        let tokens = server.tokens(store)
        let session = server.session.authenticated(by: tokens)
        let executor = QueueExecutor(isSerial: false)
        let tasks = (0..<500).map { _ in
            executor.start { try await session.exchange(.test("data")) }
        }
        await executor.settle()
        server.token.release()

        for task in tasks {
            let error = await #expect(throws: AuthenticationError.self) { try await task.value }
            #expect(error?.requiresSignIn == true)
            #expect(error?.underlying.statusCode == 400)
            #expect(error?.localizedDescription == "The sign-in has expired. Sign in again.")
        }
        #expect(tokens.credential == nil)
        #expect(store.log == ["load", "save -"])
        #expect(server.refreshCount == 1)
        #expect(await session.outcome(of: .test("data")) == .body("nobody"))
    }

    @Test func aSignOutThatCannotBeSavedIsSavedByTheNextRequest() async throws {
        let server = TokenServer(
            onRefresh: { _ in .json(#"{"error": "invalid_grant"}"#, status: 400) })
        let store = Store(old, failing: .save, with: TestError(), times: 2)
        let session = server.session.authenticated(by: server.tokens(store))

        await #expect(throws: AuthenticationError.self) { try await session.exchange(.test("a")) }
        await #expect(throws: TestError.self) { try await session.exchange(.test("a")) }
        #expect(await session.outcome(of: .test("a")) == .body("nobody"))
        #expect(store.log == ["load", "save -", "save -", "save -"])
    }

    @Test(arguments: [
        (400, #"{"error": "invalid_grant"}"#, true), (401, #"{"error": "invalid_grant"}"#, true),
        (400, #"{"error": "invalid_client"}"#, false), (400, "", false), (401, "Denied", false),
        (403, #"{"error": "invalid_grant"}"#, false), (503, "", false),
        (500, #"{"error": "invalid_grant"}"#, false), (200, #"{"error": "invalid_grant"}"#, false),
    ])
    func onlyARefusalSignsOut(_ status: Int, _ body: String, _ signsOut: Bool) async throws {
        let server = TokenServer(onRefresh: { _ in .json(body, status: status) })
        let tokens = server.tokens()
        let session = server.session.authenticated(by: tokens)

        let error = await #expect(throws: AuthenticationError.self) {
            try await session.exchange(.test("data"))
        }

        #expect(error?.requiresSignIn == signsOut)
        #expect(tokens.credential == (signsOut ? nil : old))
    }

    @Test func anotherSessionsRefusalDoesNotSignOut() async throws {
        let (server, other) = (
            TokenServer(),
            TokenServer(onRefresh: { _ in .json(#"{"error": "invalid_grant"}"#, status: 400) })
        )
        let archive = other.session.authenticated(by: other.tokens())
        let tokens = server.tokens(save: { _ in _ = try await archive.exchange(.test("data")) })
        let session = server.session.authenticated(by: tokens)

        await #expect(throws: AuthenticationError.self) {
            try await session.exchange(.test("data"))
        }

        #expect(tokens.credential?.access == "new1")
        #expect(await session.outcome(of: .test("data")) == .body("Bearer new1"))
    }

    // MARK: The value

    @Test func returnsAValueWithoutARequest() async throws {
        let server = TokenServer()
        let store = Store(Token(access: "good"))

        #expect(try await server.tokens(store).value()?.access == "good")
        #expect(try await server.tokens(Store(nil)).value() == nil)
        #expect(server.network.requests.isEmpty)
    }

    @Test func refreshesAStaleValueOverTheFirstChain() async throws {
        let (server, other) = (TokenServer(), TokenServer())
        let tokens = server.tokens(.expired)
        _ = server.session.authenticated(by: tokens)
        _ = other.session.authenticated(by: tokens)

        #expect(try await tokens.value()?.access == "new1")
        #expect(server.refreshCount == 1)
        #expect(other.refreshCount == 0)
    }

    @Test func saysThatAStaleValueHasNoSession() async throws {
        let tokens = TokenServer().tokens(.expired)

        let error = await #expect(throws: AuthenticationError.self) { try await tokens.value() }

        #expect(error?.description.contains("call authenticated(by:)") == true)
    }

    @Test func waitsUntilWhatTheAppSetIsSaved() async throws {
        let store = Store(nil, holding: .save)
        let tokens = TokenServer().tokens(store)
        tokens.credential = Token(access: "a")
        await store.waitUntilHeld()
        tokens.credential = Token(access: "b")
        async let value = tokens.value()
        store.release()

        #expect(try await value?.access == "b")
        #expect(store.log == ["save a", "save b"])
    }

    // MARK: Random chains

    @Test(arguments: 0..<40)
    func endsWithWhatWasSetLast(_ seed: Int) async throws {
        let random = Locked(SeededRandom(seed: UInt64(seed)))
        let draw: @Sendable (Int) -> Int = { count in
            random.withLock { Int.random(in: 0..<count, using: &$0) }
        }
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
        let saved = Locked<String?>("unknown")
        let tokens = server.tokens(
            nil,
            load: {
                for _ in 0..<draw(4) { await Task.yield() }
                if draw(3) == 0 { throw TestError() }
                return Token(access: "old")
            },
            save: { token in
                for _ in 0..<draw(4) { await Task.yield() }
                if draw(5) == 0 { throw TestError() }
                saved.withLock { $0 = token?.access }
            })
        var session: any HTTPSession = server.session
        if draw(2) == 0 { session = session.limited(to: 2) }
        session = session.authenticated(by: tokens)
        if draw(2) == 0 { session = session.coalescing() }
        if draw(2) == 0 { session = session.limited(to: 3) }
        if draw(2) == 0 { session = session.authenticated(by: server.tokens(.expired)) }

        await withTaskGroup(of: Void.self) { [session] group in
            for number in 0..<200 {
                group.addTask {
                    switch draw(10) {
                    case 0: tokens.credential = Token(access: "set\(number)")
                    case 1: tokens.credential = nil
                    case 2: _ = try? await tokens.value()
                    case 3:
                        let task = Task { await session.outcome(of: .test("data")) }
                        for _ in 0..<draw(4) { await Task.yield() }
                        task.cancel()
                        _ = await task.value
                    default:
                        _ = await session.outcome(of: .test("data"), asStream: draw(3) == 0)
                    }
                }
            }
        }

        tokens.credential = Token(access: "last")
        while true {
            if let value = try? await tokens.value() {
                #expect(value.access == "last")
                break
            }
        }
        #expect(saved.withLock { $0 } == "last")
    }
}
