import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// A refresh that must not wait for the requests that wait for it.
@Suite(.limited, .usesSockets) struct RefreshCircleTests {
    /// The closure uses the chain of the app in place of the session that it gets.
    @Test(arguments: [nil, Token(access: "old"), .expired])
    func aRefreshOverItsOwnChainEnds(_ token: Token?) async throws {
        let server = TokenServer()
        let chain = Later()
        let tokens = server.tokens(token) { old, _, _ in
            try await chain.load(RefreshRequest(), old ?? Token(access: ""))
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
}
