import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// A refresh is redirected to no other origin.
@Suite(.limited, .usesSockets) struct RefreshRedirectTests {
    private let api = URL(string: "https://api.example.com")!

    /// A chain of policies around a session, or none.
    enum Chain: CaseIterable, Sendable {
        case none
        case policies

        func around(_ session: any HTTPSession) -> any HTTPSession {
            guard self == .policies else { return session }
            return session.timingOut(after: .seconds(30)).limited(to: 2).coalescing()
                .retrying(RetryPolicy(deadline: .seconds(30)))
                .intercepting { try await $1($0) }.observed { _ in }
        }
    }

    private func error(
        _ session: any HTTPSession, _ baseURL: URL
    ) async -> TransportError? {
        let credentials = TokenServer().tokens(.expired, for: baseURL)
        let error = await #expect(throws: APIRequestError.self) {
            try await session.authenticated(by: credentials)
                .exchange(URLRequest(url: baseURL.appending(path: "data")))
        }
        #expect(credentials.credential == .expired)
        return error?.underlying as? TransportError
    }

    @Test(arguments: [301, 302, 303, 307, 308], Chain.allCases)
    func isNotFollowedElsewhere(_ status: Int, _ chain: Chain) async throws {
        for isURLSession in [false, true] {
            let network = MockNetwork()
            network.stub(
                .host("api.example.com"),
                .redirect(to: "https://evil.example/token", status: status))
            let evil = network.stub(
                .host("evil.example"), .json(encoding: Token(access: "evil")), times: .never)
            let inside: any HTTPSession =
                isURLSession ? network.urlSession : MockURLSession(network)

            let error = await error(chain.around(inside), api)

            #expect(
                error
                    == TransportError.refusedRedirect(
                        from: "https://api.example.com", to: "https://evil.example"))
            #expect(evil.callCount == 0)
            #expect(network.requests.count == 1)
        }
    }

    @Test(arguments: [307, 308])
    func isNotFollowedElsewhereOverTheWire(_ status: Int) async throws {
        let network = MockNetwork()
        let evil = MockNetwork()
        evil.stub(.any, .json(encoding: Token(access: "evil")), times: .any)
        let (server, evilServer) = (try network.serve(), try evil.serve())
        network.stub(
            .any, .redirect(to: evilServer.url.absoluteString + "/token", status: status))

        let error = await error(
            Chain.policies.around(URLSession(configuration: .withoutProxy)), server.url)

        #expect(
            error
                == TransportError.refusedRedirect(
                    from: "http://127.0.0.1:\(server.port)",
                    to: "http://127.0.0.1:\(evilServer.port)"))
        #expect(evil.requests.isEmpty)
    }

    @Test func isFollowedWithinItsOrigin() async throws {
        for isURLSession in [false, true] {
            let network = MockNetwork()
            network.stub(.any, .json(encoding: Token(access: "new")))
            network.stub(.get("/data"), .text("data"))
            network.stub(
                .post("/token").host("api.example.com"),
                .redirect(to: "https://api.example.com/v2/token", status: 307))
            let inside: any HTTPSession =
                isURLSession ? network.urlSession : MockURLSession(network)
            let credentials = TokenServer().tokens(.expired)

            let (data, _) = try await inside.authenticated(by: credentials)
                .exchange(.test("data"))

            #expect(data.text == "data")
            #expect(credentials.credential?.access == "new")
        }
    }

    // Only the request of a refresh is itself a secret.
    @Test func otherRequestsAreFollowedEverywhere() async throws {
        let network = MockNetwork()
        network.stub(.any, .text("elsewhere"))
        network.stub(.get("/data"), .redirect(to: "https://cdn.example.com/a"))

        let (data, _) = try await MockURLSession(network).authenticated(
            by: TokenServer().tokens(Token(access: "good"))
        ).exchange(.test("data"))

        #expect(data.text == "elsewhere")
    }
}
