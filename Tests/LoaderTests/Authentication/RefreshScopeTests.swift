import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// How the requests of a refresh differ from the requests that wait for it.
@Suite(.limited) struct RefreshScopeTests {
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

    /// A closure may add the credential, also for a stream.
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
        let tokens = TokenServer().tokens { _, _, session in
            _ = try await session.exchange(sent)
            return Token(access: "new")
        }

        _ = try await MockURLSession(network).authenticated(by: tokens).exchange(.test("a"))

        let refresh = try #require(network.requests.first { $0.path == "/token" })
        #expect(refresh.request == sent)
        #expect(refresh.request.mainDocumentURL == nil)
    }
}
