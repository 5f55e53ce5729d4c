import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// A session that asks the app's own store for its token.
@Suite(.limited, .usesSockets) struct TokenStoreTests {
    /// A store as an app writes it. It does not know that a refresh is in progress.
    private actor TokenStore {
        private(set) var token: String?
        private(set) var asked: [String?] = []
        private let renew: @Sendable () async throws -> String?

        init(_ token: String?, renew: @escaping @Sendable () async throws -> String?) {
            (self.token, self.renew) = (token, renew)
        }

        func token(replacing rejected: String?) async throws -> String? {
            asked.append(rejected)
            guard token == rejected || token == "stale" else { return token }
            token = try await renew()
            return token
        }
    }

    private let baseURL = URL(string: "https://api.example.com")!

    private func store(_ token: String?, _ server: TokenServer) -> TokenStore {
        TokenStore(token) { [session = server.session] in
            try await session.load(RefreshRequest(), Token(access: "")).access
        }
    }

    private func session(_ server: TokenServer, _ store: TokenStore) -> any HTTPSession {
        server.session.authenticated(for: baseURL) { rejection in
            try await store.token(replacing: rejection.credential)
        }
    }

    @Test(arguments: ["old", "stale"])
    func refreshesOnceFor500Requests(_ token: String) async throws {
        let together = Barrier(500)
        let server = TokenServer(onData: { given in
            if given == "Bearer old" { await together.wait() }
        })
        let store = store(token, server)
        let session = session(server, store)

        await withTaskGroup(of: ExchangeOutcome.self) { group in
            for _ in 0..<500 { group.addTask { await session.outcome(of: .test("data")) } }
            for await outcome in group { #expect(outcome == .body("Bearer new1")) }
        }
        #expect(server.refreshCount == 1)
        let asked = await store.asked
        #expect(asked.count { $0 == "old" } == (token == "old" ? 1 : 0))
    }

    @Test func asksBeforeEachRequest() async throws {
        let server = TokenServer()
        let user = Locked<String?>(nil)
        let session = server.session.authenticated(for: baseURL) { _ in user.withLock { $0 } }

        for token in ["good", "other", nil, "good"] {
            user.withLock { $0 = token }
            _ = try await session.exchange(.test("data", method: "PUT"))
        }

        // The other token is rejected, and the store has no better one: nothing is sent again.
        #expect(server.given == ["Bearer good", "Bearer other", "nobody", "Bearer good"])
    }

    @Test func isToldWhichTokenWasRejected() async throws {
        let server = TokenServer()
        let store = store("old", server)
        let session = session(server, store)

        #expect(await session.outcome(of: .test("data")) == .body("Bearer new1"))
        #expect(await session.outcome(of: .test("data")) == .body("Bearer new1"))
        #expect(await store.asked.prefix(2) == [nil, "old"])
        #expect(await !store.asked.dropFirst(2).contains("new1"))
        #expect(server.given == ["Bearer old", "Bearer new1", "Bearer new1"])
    }

    @Test func aRequestDuringACallGetsATokenOfALaterCall() async throws {
        let server = TokenServer()
        let (isAsked, mayAnswer) = (Gate(), Gate())
        let user = Locked("emma")
        let session = server.session.authenticated(for: baseURL) { _ in
            let answer = user.withLock { $0 }
            isAsked.open()
            if answer == "emma" { await mayAnswer.wait() }
            return answer
        }

        async let first = session.outcome(of: .test("data"))
        await isAsked.wait()
        user.withLock { $0 = "good" }
        let second = Task { await session.outcome(of: .test("data")) }
        mayAnswer.open()

        #expect(await second.value == .body("Bearer good"))
        _ = await first
    }

    @Test func sendsNothingWithoutATokenToOtherOrigins() async throws {
        let server = TokenServer()
        let files = URL(string: "https://files.example.com")!
        let session = server.session.authenticated(for: baseURL, files) { _ in "good" }

        for url in ["https://api.example.com/a", "https://files.example.com/a"] {
            _ = try await session.exchange(URLRequest(url: URL(string: url)!))
        }
        for url in ["http://api.example.com/a", "https://evil.example/a"] {
            _ = try await session.exchange(URLRequest(url: URL(string: url)!))
        }

        #expect(server.given == ["Bearer good", "Bearer good", "nobody", "nobody"])
    }

    @Test(arguments: [nil, "old"])
    func givesTheStoresErrorToTheCaller(_ rejected: String?) async throws {
        let server = TokenServer()
        let fails = Locked(true)
        let session = server.session.authenticated(for: baseURL) { rejection in
            let asked = rejection.credential
            if asked == rejected, fails.withLock({ $0 }) { throw TestError(number: 7) }
            return asked == nil ? "old" : "good"
        }

        await #expect(throws: TestError(number: 7)) { try await session.exchange(.test("data")) }
        fails.withLock { $0 = false }
        #expect(await session.outcome(of: .test("data")) == .body("Bearer good"))
    }

    @Test func getsTheResponseThatRejectedItsToken() async throws {
        let network = MockNetwork()
        let challenge = #"Bearer resource_metadata="https://auth.example.com""#
        network.stub(.any, .status(401).header("WWW-Authenticate", challenge), times: .any)
        network.stub(.any.header("Authorization", "Bearer new"), .text("there"), times: .any)
        let session = network.authenticated(for: baseURL) { rejection in
            guard let rejected = rejection.credential else { return "old" }
            #expect(rejected == "old")
            #expect(rejection.request?.url?.path == "/data")
            #expect(rejection.response?.value(forHTTPHeaderField: "WWW-Authenticate") == challenge)
            return "new"
        }

        #expect(await session.outcome(of: .test("data")) == .body("there"))
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func asksOnceForRequestsThatAreAllRejected() async throws {
        let server = TokenServer(accepting: "none")
        let (isAsked, mayAnswer) = (Gate(), Gate())
        let refreshed = Locked<[String]>([])
        let session = server.session.authenticated(for: baseURL) { rejection in
            if let rejected = rejection.credential {
                isAsked.open()
                await mayAnswer.wait()
                refreshed.withLock { $0.append(rejected) }
            }
            return refreshed.withLock { $0.isEmpty } ? "old" : "new"
        }

        async let first = session.outcome(of: .test("data"))
        await isAsked.wait()
        let executor = QueueExecutor(isSerial: true)
        let second = executor.start { await session.outcome(of: .test("data")) }
        await executor.settle()
        mayAnswer.open()

        #expect(await first == .body("Bearer new"))
        #expect(try await second.value == .body("Bearer new"))
        #expect(server.given == ["Bearer old", "Bearer new", "Bearer new"])
        #expect(refreshed.withLock { $0 } == ["old"])
    }

    @Test func aStoreWithoutAnotherTokenGivesTheRejectionToTheCaller() async throws {
        let server = TokenServer()
        for answer in [nil, "old"] {
            let session = server.session.authenticated(for: baseURL) { rejection in
                rejection.credential == nil ? "old" : answer
            }

            #expect(try await session.exchange(.test("data")).1.statusCode == 401)
        }
        // No token is sent again that was just rejected.
        #expect(server.given == ["Bearer old", "Bearer old"])
    }
}
