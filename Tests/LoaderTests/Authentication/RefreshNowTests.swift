import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// A refresh that the app asks for, the session of a refresh, and its errors.
@Suite(.limited, .usesSockets) struct RefreshNowTests {
    private let baseURL = URL(string: "https://api.example.com")!

    @Test func refreshesACredentialThatIsGood() async throws {
        let server = TokenServer(accepting: "good")
        let store = Store(nil)
        let tokens = server.tokens(store, Token(access: "good", refresh: "r0"))
        let session = server.session.authenticated(by: tokens)

        #expect(try await tokens.refresh()?.access == "new1")
        #expect(try await tokens.refresh()?.access == "new2")
        #expect(store.log == ["save new1", "save new2"])
        #expect(await session.outcome(of: .test("data")) == .body("Bearer new2"))
        #expect(server.refreshCount == 2)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func sharesARefreshInProgress() async throws {
        let server = TokenServer(holdsRefresh: true)
        let tokens = server.tokens()
        let session = server.session.authenticated(by: tokens)
        let executor = QueueExecutor(isSerial: false)
        let request = Task { await session.outcome(of: .test("data")) }
        await server.token.waitForRequests()

        let tasks = (0..<100).map { _ in executor.start { try await tokens.refresh() } }
        await executor.settle()
        server.token.release()
        for task in tasks { #expect(try await task.value?.access == "new1") }
        #expect(await request.value == .body("Bearer new1"))
        #expect(server.refreshCount == 1)
    }

    @Test func aRefreshDuringWhichTheUserSignsOutReturnsNobody() async throws {
        let server = TokenServer(holdsRefresh: true)
        let tokens = server.tokens()
        _ = server.session.authenticated(by: tokens)
        let refreshed = Task { try await tokens.refresh() }
        await server.token.waitForRequests()

        tokens.credential = nil
        #expect(try await refreshed.value == nil)
        server.token.release()
        #expect(try await tokens.value() == nil)
    }

    @Test func aRefreshThatFailsKeepsTheCredential() async throws {
        let server = TokenServer(onRefresh: { _ in throw URLError(.timedOut) })
        let tokens = server.tokens()
        _ = server.session.authenticated(by: tokens)

        let error = await #expect(throws: APIRequestError.self) { try await tokens.refresh() }
        #expect((error?.underlying as? URLError)?.code == .timedOut)
        #expect(tokens.credential?.access == "old")
    }

    @Test func withoutARefreshItReturnsTheCredential() async throws {
        let key = Credentials<String>("k") { key, request in try request.header("X-Key", key) }
        #expect(try await key.refresh() == "k")
    }

    // MARK: The session

    @Test(arguments: [0, 1], [Token(access: "old"), .expired])
    func aRefreshGoesOverTheChainThatWasCreatedLast(_ first: Int, _ token: Token) async throws {
        let (server, log) = (TokenServer(), Locked<[String]>([]))
        func wire(_ name: String) -> any HTTPSession {
            server.session.intercepting { request, next in
                if request.url?.path == "/token" { log.withLock { $0.append(name) } }
                return try await next(request)
            }
        }
        let tokens = server.tokens(token)
        let chains = [
            wire("files").timingOut(after: .seconds(600)).authenticated(by: tokens),
            wire("api").timingOut(after: .seconds(30)).authenticated(by: tokens),
        ]

        #expect(await chains[first].outcome(of: .test("data")) == .body("Bearer new1"))
        #expect(await chains[1 - first].outcome(of: .test("data")) == .body("Bearer new1"))
        try await tokens.refresh()
        #expect(log.withLock { $0 } == ["api", "api"])
    }

    // MARK: Errors

    /// What an app calls.
    enum Verb: CaseIterable { case load, loader, stream, download }

    private func error(
        _ verb: Verb, over session: any HTTPSession
    ) async throws -> APIRequestError? {
        let folder = try TemporaryFolder()
        return await #expect(throws: APIRequestError.self) {
            switch verb {
            case .load: _ = try await session.load(.test("data"), as: Data.self)
            case .loader:
                _ = try await APIRequestLoader(apiRequest: TextRequest(), urlSession: session)
                    .load("/data")
            case .stream:
                for try await _ in session.stream(StreamedTextRequest(), ()) {}
            case .download:
                _ = try await session.download(
                    TextRequest(), "/data", to: folder.url.appending(path: "file"),
                    retrying: .standard, clock: MockClock())
            }
        }
    }

    private struct StreamedTextRequest: StreamedAPIRequest {
        func makeRequest(from: Void) throws -> URLRequest { .test("data") }
        func makeParser(for response: HTTPURLResponse) throws -> JSONLines<String> { JSONLines() }
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
        #expect(server.refreshCount == 1)
        // The text has the request that failed, once.
        #expect(error.description.contains("GET https://api.example.com/data got no complete"))
        #expect(error.description.contains("POST https://api.example.com/token"))
        #expect(error.description.components(separatedBy: "curl ").count == 2)
        #expect(
            error.localizedDescription
                == (isOffline
                    ? "The internet connection appears to be offline."
                    : "The server answered 401 (Unauthorized)."))
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

    // MARK: The clock

    @Test func readsTheBodyOfARejectedStreamForFiveSecondsOfItsClock() async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        network.stub(
            .any,
            .stream(status: 401) { writer in
                try await writer.send("denied")
                for await _ in AsyncStream<Never>.makeStream().stream {}
            }, times: .any)
        network.stub(.any.header("Authorization", "Bearer new1"), .text("there"), times: .any)
        let tokens = TokenServer().tokens { _ in Token(access: "new1") }
        let session = network.authenticated(by: tokens, clock: clock)

        async let outcome = session.outcome(of: .test("data"), asStream: true)
        await network.waitForRequests()
        await yieldWhile { !clock.pendingDeadlines.contains(.seconds(5)) }
        await clock.advance(by: .seconds(5))
        #expect(await outcome == .body("there"))
    }
}
