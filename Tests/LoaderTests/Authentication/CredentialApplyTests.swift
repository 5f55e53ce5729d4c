import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// How a credential is applied to a request, and what a request without one does.
@Suite(.limited, .usesSockets) struct CredentialApplyTests {
    private let baseURL = URL(string: "https://api.example.com")!

    /// A signer of the app, such as a service that holds the key.
    private actor Signer {
        private(set) var count = 0

        func signature(of request: URLRequest, with key: String) async throws -> String {
            count += 1
            await Task.yield()
            return "\(key)\(request.url!.path)"
        }
    }

    @Test func waitsForASignature() async throws {
        let server = TokenServer(accepting: "key2/data")
        let signer = Signer()
        let key = Credentials("key1", for: baseURL) { key, request in
            try request.authorization(bearer: await signer.signature(of: request, with: key))
        } refresh: { rejection in
            #expect(rejection.request?.value(forHTTPHeaderField: "Authorization") != nil)
            return rejection.credential == "key1" ? "key2" : nil
        }
        let session = server.session.authenticated(by: key)

        #expect(await session.outcome(of: .test("data")) == .body("Bearer key2/data"))
        #expect(await signer.count == 2)
    }

    /// A way in which `apply` changes a request.
    enum Way: CaseIterable { case not, header, query, body, stream }

    @Test(arguments: Way.allCases, [Token(access: "old"), .expired])
    func refreshesOnlyIfTheCredentialWasSent(_ way: Way, _ token: Token) async throws {
        let network = MockNetwork()
        network.stub(.any, .status(401), times: .any)
        let count = Locked(0)
        let tokens = Credentials(token, for: baseURL) { token, request in
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
            count.withLock { $0 += 1 }
            return Token(access: "new")
        }
        let session = network.authenticated(by: tokens)

        for _ in 0..<2 {
            #expect(try await session.exchange(.test("a", method: "POST")).1.statusCode == 401)
        }
        #expect(tokens.credential?.access == (way == .not ? "old" : "new"))
        #expect((count.withLock { $0 } == 0) == (way == .not))
    }

    @Test func aRequestWithoutTheCredentialDoesNotWaitForOne() async throws {
        let network = MockNetwork()
        network.stub(.post("/login"), .text("in"))
        let tokens = Credentials(Token.expired, for: baseURL) { token, request in
            if request.url?.path == "/login" { return request }
            guard token.expires > 0 else { throw TestError() }
            return try request.authorization(bearer: token.access)
        } isStale: {
            $0.expires == 0
        } refresh: { _ in
            throw URLError(.notConnectedToInternet)
        }
        let session = network.authenticated(by: tokens)

        #expect(await session.outcome(of: .test("login", method: "POST")) == .body("in"))
        // One that `apply` cannot sign yet is refreshed first.
        #expect(await session.outcome(of: .test("data")) == .error(.notConnectedToInternet))
    }

    @Test(arguments: [nil, "anne"])
    func aCredentialThatChangedWhileItWasAppliedIsNotSent(_ next: String?) async throws {
        let server = TokenServer(accepting: "anne")
        let (isApplied, mayContinue) = (Gate(), Gate())
        let tokens = Credentials("emma", for: baseURL) { token, request in
            if token == "emma" {
                isApplied.open()
                await mayContinue.wait()
            }
            return try request.authorization(bearer: token)
        }
        let session = server.session.authenticated(by: tokens)

        async let outcome = session.outcome(of: .test("data"))
        await isApplied.wait()
        tokens.credential = next
        mayContinue.open()
        #expect(await outcome == .body(next.map { "Bearer \($0)" } ?? "nobody"))
        #expect(server.given.count == 1)
    }

    // MARK: Before the first sign-in

    private func asked(by server: TokenServer, _ asked: Locked<[String]>) -> Credentials<Token> {
        server.tokens(nil) { rejection in
            let path = rejection.request?.url?.path ?? "-"
            asked.withLock {
                $0.append("\(rejection.credential?.access ?? "-") \(path)")
            }
            guard let response = rejection.response else { return nil }
            #expect(response.statusCode == 401)
            return Token(access: "good")
        }
    }

    @Test func aServerThatAsksForItSignsIn() async throws {
        let server = TokenServer(accepting: "good")
        let asked = Locked<[String]>([])
        let tokens = self.asked(by: server, asked)
        let session = server.session.authenticated(by: tokens)
        server.network.stub(.get("/open"), .text("open"), times: .any)

        #expect(await session.outcome(of: .test("open")) == .body("open"))
        #expect(tokens.credential == nil)
        await withTaskGroup(of: ExchangeOutcome.self) { group in
            for _ in 0..<10 { group.addTask { await session.outcome(of: .test("data")) } }
            for await outcome in group { #expect(outcome == .body("Bearer good")) }
        }

        #expect(asked.withLock { $0 } == ["- -", "- /data"])
    }

    /// Otherwise the refresh might load from a store what the sign-out is about to remove.
    @Test(arguments: [false, true])
    func aRejectionAfterASignOutAsksForNothing(_ wasSignedIn: Bool) async throws {
        let server = TokenServer(accepting: "good")
        let asked = Locked<[String]>([])
        let tokens = self.asked(by: server, asked)
        let session = server.session.authenticated(by: tokens)

        if wasSignedIn { tokens.credential = Token(access: "good") }
        tokens.credential = nil
        for _ in 0..<3 { #expect(await session.outcome(of: .test("data")) == .body("nobody")) }
        #expect(asked.withLock { $0 } == [])
    }
}
