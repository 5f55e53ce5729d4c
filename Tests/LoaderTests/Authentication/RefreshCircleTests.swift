import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// A refresh over the chain that waits for this refresh.
@Suite(.limited, .usesSockets) struct RefreshCircleTests {
    // A refresh that waited for itself would wait for ever.
    @Test(arguments: [Token(access: "old"), .expired])
    func aRefreshOverItsOwnChainEnds(_ token: Token) async throws {
        let server = TokenServer()
        let chain = Later()
        let session = server.session.authenticated(by: server.tokens(token, session: chain))
            .coalescing().retrying()
        chain.session.withLock { $0 = session }

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

    /// A chain over which its own credentials refresh, by a GET that coalescing could share.
    private func getChain(
        _ network: MockNetwork
    ) -> (session: any HTTPSession, tokens: Credentials<GetAuthenticator>) {
        let chain = Later()
        let tokens = Credentials(
            GetAuthenticator(), for: URL(string: "https://api.example.com")!,
            credential: Token(access: "old"), refreshingOver: chain)
        let session = MockURLSession(network).authenticated(by: tokens).coalescing()
        chain.session.withLock { $0 = session }
        return (session, tokens)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func aRefreshSharesItsResponseWithNoOtherRequest() async throws {
        let network = MockNetwork()
        network.stub(.any, .text("x"), times: .any)
        let token = network.stub(.get("/token"), .text("new").held, .text("new"))
        let (session, _) = getChain(network)

        async let first = session.outcome(of: .test("a"))
        await token.waitForRequests()
        let executor = QueueExecutor(isSerial: true)
        let second = executor.start { await session.outcome(of: .test("token")) }
        await executor.settle()
        token.release()

        #expect(await first == .body("x"))
        #expect(try await second.value == .body("new"))
        #expect(token.requests.map { $0.header("Authorization") } == [nil, "Bearer new"])
    }

    @Test func aRefreshIsSentIfItsOwnRequestCausedIt() async throws {
        let network = MockNetwork()
        network.stub(.get("/token"), .text("new"), times: .any)
        let (session, tokens) = getChain(network)

        // The request that needs the refresh is the same as the refresh.
        #expect(await session.outcome(of: .test("token")) == .body("new"))
        #expect(tokens.credential == Token(access: "new"))
        let given = network.requests.map {
            $0.header("Authorization") ?? "nobody"
        }
        #expect(given == ["nobody", "Bearer new"])
    }

    // Each request has a place in the limit while it waits for the refresh.
    @Test(arguments: [Token(access: "old"), .expired])
    func aRefreshOverTheSameFullLimitEnds(_ token: Token) async throws {
        let server = TokenServer()
        let limit = RequestLimit(1)
        let tokens = server.tokens(token, session: server.session.limited(by: limit))
        let session = server.session.authenticated(by: tokens).limited(by: limit)

        await withTaskGroup(of: ExchangeOutcome.self) { group in
            for _ in 0..<20 { group.addTask { await session.outcome(of: .test("data")) } }
            for await outcome in group { #expect(outcome == .body("Bearer new1")) }
        }
        #expect(server.refreshCount == 1)
    }

    @Test(arguments: [1, 50])
    func twoCredentialsThatRefreshOverOneChainEnd(_ count: Int) async throws {
        let network = MockNetwork()
        network.stub(.any, times: .any) { request in
            if request.method == "POST" {
                await Task.yield()
                return .json(encoding: Token(access: "new"))
            }
            return .text(
                ["Authorization", "X-Gateway"].map {
                    request.request.value(forHTTPHeaderField: $0) ?? "nobody"
                }.joined(separator: ", "))
        }
        struct GatewayAuthenticator: Authenticator {
            let refresh = RefreshRequest()
            func apply(_ token: Token, to request: URLRequest) throws -> URLRequest {
                try request.header("X-Gateway", token.access)
            }
            func isStale(_ token: Token, now: Date) -> Bool { token.access == "old" }
        }
        for _ in 0..<20 {
            let chain = Later()
            let baseURL = URL(string: "https://api.example.com")!
            let user = Credentials(
                TokenAuthenticator(), for: baseURL, credential: .expired, refreshingOver: chain)
            let gateway = Credentials(
                GatewayAuthenticator(), for: baseURL, credential: Token(access: "old"),
                refreshingOver: chain)
            let session = MockURLSession(network).authenticated(by: gateway)
                .authenticated(by: user)
            chain.session.withLock { $0 = session }

            await withTaskGroup(of: ExchangeOutcome.self) { group in
                for number in 0..<count {
                    group.addTask { await session.outcome(of: .test("\(number)")) }
                }
                for await ending in group { #expect(ending == .body("Bearer new, new")) }
            }
        }
    }
}
