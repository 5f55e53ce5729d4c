import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// A refresh is redirected to no other origin.
@Suite(.limited, .usesSockets) struct RefreshRedirectTests {
    /// What is between the transport and the credential.
    enum Chain: CaseIterable, Sendable {
        case nothing
        case policies
        /// The app follows the redirects of its other requests.
        case redirects

        func around(_ session: any HTTPSession) -> any HTTPSession {
            switch self {
            case .nothing: return session
            case .redirects: return session.redirecting(.follow)
            case .policies:
                return session.timingOut(after: .seconds(30)).limited(to: 2).coalescing()
                    .retrying(RetryPolicy(deadline: .seconds(30)))
                    .intercepting { try await $1($0) }.observed { _ in }
            }
        }
    }

    @Test(arguments: Transport.allCases, Chain.allCases)
    func isNotFollowedElsewhere(_ transport: Transport, _ chain: Chain) async throws {
        let evil = MockNetwork()
        let evilURL = try evil.serve().url
        for status in [301, 302, 303, 307, 308] {
            let network = MockNetwork()
            let (session, baseURL) = try transport.open(network)
            network.stub(.path("/token"), .redirect(to: "\(evilURL)/token", status: status))
            let credentials = TokenServer().tokens(.expired, for: baseURL)

            let error = await #expect(throws: APIRequestError.self) {
                try await chain.around(session).authenticated(by: credentials)
                    .exchange(URLRequest(url: baseURL.appending(path: "data")))
            }

            let port = baseURL.port.map { ":\($0)" } ?? ""
            #expect(
                error?.underlying as? TransportError
                    == TransportError.refusedRedirect(
                        from: "\(baseURL.scheme!)://\(baseURL.host()!)\(port)", to: "\(evilURL)"))
            #expect(credentials.credential == .expired)
            #expect(network.requests.count == 1)
        }
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
            let inside: any HTTPSession = isURLSession ? network.urlSession : network
            let credentials = TokenServer().tokens(.expired)

            let (data, _) = try await inside.authenticated(by: credentials).exchange(.test("data"))

            #expect(data.text == "data")
            #expect(credentials.credential?.access == "new")
        }
    }

    // Only the request of a refresh is itself a secret.
    @Test func otherRequestsAreFollowedEverywhere() async throws {
        let network = MockNetwork()
        network.stub(.any, .text("elsewhere"))
        network.stub(.get("/data"), .redirect(to: "https://cdn.example.com/a"))

        let (data, _) = try await network.authenticated(
            by: TokenServer().tokens(Token(access: "good"))
        ).exchange(.test("data"))
        #expect(data.text == "elsewhere")
    }
}
