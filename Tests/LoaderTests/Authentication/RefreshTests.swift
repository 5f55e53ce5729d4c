import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The requests of a refresh: they wait for no request that waits for them, and have no credential.
@Suite(.limited, .usesSockets) struct RefreshTests {
    @Test(arguments: [nil, Token(access: "old"), .expired])
    func aRefreshOverItsOwnChainEnds(_ token: Token?) async throws {
        let server = TokenServer()
        let chain = Later()
        let tokens = server.tokens(token) { rejection in
            try await chain.load(RefreshRequest(), rejection.credential ?? Token(access: ""))
        }
        let session = server.session.authenticated(by: tokens).coalescing().retrying()
        chain.session.withLock { $0 = session }
        defer { chain.session.withLock { $0 = nil } }

        let answers = await withTaskGroup(of: ExchangeOutcome.self) { group in
            for number in 0..<20 {
                group.addTask { await session.outcome(of: .test("\(number)")) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }

        #expect(answers == Array(repeating: .body("Bearer new1"), count: 20))
        #expect(server.refreshCount == 1)
        let refreshes = server.network.requests.filter { $0.path == "/token" }
        #expect(refreshes.map { $0.header("Authorization") } == [nil])
    }

    /// Outside of the credential, each request has a place in the limit while it waits for the
    /// refresh; inside, a stream has one until its body has ended.
    @Test(arguments: [Token(access: "old"), .expired], [false, true])
    func aRefreshUnderAFullLimitEnds(_ token: Token, _ isInside: Bool) async throws {
        let server = TokenServer()
        let tokens = server.tokens(token)
        let session: any HTTPSession =
            isInside
            ? server.session.limited(to: 1).authenticated(by: tokens)
            : server.session.authenticated(by: tokens).limited(to: 1)

        await withTaskGroup(of: ExchangeOutcome.self) { group in
            for number in 0..<20 {
                group.addTask {
                    await session.outcome(of: .test("data"), asStream: number.isMultiple(of: 2))
                }
            }
            for await outcome in group { #expect(outcome == .body("Bearer new1")) }
        }
        #expect(server.refreshCount == 1)
    }

    /// Such as a task that uploads a log: its own requests have the credential.
    @Test func theTasksThatARefreshStartedHaveItsCredential() async throws {
        let server = TokenServer()
        let mayContinue = Gate()
        let session = Locked<(any HTTPSession)?>(nil)
        let task = Locked<Task<ExchangeOutcome, Never>?>(nil)
        let tokens = server.tokens()
        let chain = server.session.intercepting { request, next in
            if request.url?.path == "/token" {
                let started = Task {
                    await mayContinue.wait()
                    return await session.withLock { $0 }!.outcome(of: .test("log"))
                }
                task.withLock { $0 = started }
            }
            return try await next(request)
        }.authenticated(by: tokens)
        session.withLock { $0 = chain }

        #expect(await chain.outcome(of: .test("a")) == .body("Bearer new1"))
        mayContinue.open()
        #expect(await task.withLock { $0 }?.value == .body("Bearer new1"))
    }

    @Test func aStreamWaitsForARefreshOverAClosureThatAddsTheCredential() async throws {
        let server = TokenServer()
        let tokens = server.tokens()
        let session = server.session.intercepting { [session = server.session] request, _ in
            try await session.authenticated(by: tokens).send(request, awaiting: .head())
        }

        let (body, response) = try await session.stream(.test("a"))
        #expect(response.statusCode == 200)
        var text = ""
        for try await piece in body { text += piece.text }
        #expect(text == "Bearer new1")
        #expect(server.refreshCount == 1)
    }

    @Test func aRefreshIsExactlyTheRequestOfTheApp() async throws {
        let network = MockNetwork()
        network.stub(.post("/token"), .status(200))
        network.stub(.get("/a"), .status(401), .status(200))
        let sent = URLRequest.test("token", method: "POST")
        let tokens = TokenServer().tokens { rejection in
            _ = try await rejection.session.exchange(sent)
            return Token(access: "new")
        }

        _ = try await network.authenticated(by: tokens).exchange(.test("a"))
        let refresh = try #require(network.requests.first { $0.path == "/token" })
        #expect(refresh.request == sent)
        #expect(refresh.request.mainDocumentURL == nil)
    }

    @Test func theClosureOfCredentialsMayAskForTheirValue() async throws {
        let server = TokenServer()
        let later = Locked<Credentials<Token>?>(nil)
        let tokens = server.tokens(nil) { rejection in
            for value in [
                try await later.withLock { $0 }!.value(),
                try await later.withLock { $0 }!.refresh(),
            ] {
                #expect(value == nil)
            }
            return try await rejection.session.load(RefreshRequest(), Token(access: ""))
        }
        later.withLock { $0 = tokens }
        defer { later.withLock { $0 = nil } }

        let session = server.session.authenticated(by: tokens)
        #expect(await session.outcome(of: .test("data")) == .body("Bearer new1"))
    }
}
