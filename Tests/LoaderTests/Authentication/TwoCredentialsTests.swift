import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// A chain with two credentials, in which a refresh may need the other credential.
@Suite(.limited) struct TwoCredentialsTests {
    private let baseURL = URL(string: "https://api.example.com")!

    private struct Key: Authenticator {
        func apply(_ key: String, to request: URLRequest) throws -> URLRequest {
            try request.header("X-API-Key", key)
        }
    }

    /// The token of a gateway, which `POST /gateway` gives out.
    private struct Gateway: Authenticator {
        struct Renewal: APIRequest {
            func makeRequest(from token: Token) -> URLRequest { .test("gateway", method: "POST") }
            func parseResponse(data: Data) throws -> Token { Token(access: "new") }
        }
        let refresh = Renewal()

        func apply(_ token: Token, to request: URLRequest) throws -> URLRequest {
            try request.header("X-Gateway", token.access)
        }
        func isStale(_ token: Token, now: Date) -> Bool { token.expires == 0 }
        func rejects(data: Data, response: HTTPURLResponse) -> Bool {
            response.statusCode == 407
        }
    }

    /// Where the credentials of the user are refreshed.
    enum Place: CaseIterable { case insideTheChain, overTheKeyedSession, overTheChain }

    @Test(arguments: Place.allCases, [Token(access: "old"), .expired])
    func aRefreshHasTheOtherCredential(_ place: Place, _ token: Token) async throws {
        let network = MockNetwork()
        network.stub(.any, .status(403), times: .any)
        network.stub(.get("/data").header("X-API-Key", "k"), .status(401), times: .any)
        network.stub(
            .get("/data").header("X-API-Key", "k").header("Authorization", "Bearer new"),
            .text("there"))
        network.stub(
            .post("/token").header("X-API-Key", "k"), .json(encoding: Token(access: "new")))
        let wire = MockURLSession(network)
        let withKey = wire.authenticated(by: Credentials(Key(), for: baseURL, credential: "k"))
        let chain = Later()
        let tokens = Credentials(
            TokenAuthenticator(), for: baseURL, credential: token,
            refreshingOver: [
                .insideTheChain: nil, .overTheKeyedSession: withKey, .overTheChain: chain,
            ][place]!)
        let session = withKey.authenticated(by: tokens)
        chain.session.withLock { $0 = session }

        #expect(await session.outcome(of: .test("data")) == .body("there"))
        let refreshes = network.requests.filter { $0.path == "/token" }
        #expect(refreshes.map { $0.header("X-API-Key") } == ["k"])
        #expect(refreshes.map { $0.header("Authorization") } == [nil])
    }

    // The gateway rejects the refresh of the user's token, too.
    @Test(arguments: [Token(access: "old"), .expired], [Token(access: "old"), .expired])
    func aRefreshWaitsForTheOtherRefresh(_ user: Token, _ gateway: Token) async throws {
        let network = MockNetwork()
        network.stub(.any, .status(407), times: .any)
        network.stub(.post("/gateway"), .status(200))
        network.stub(
            .post("/token").header("X-Gateway", "new"), .json(encoding: Token(access: "new")))
        network.stub(.get("/data").header("X-Gateway", "new"), .status(401), times: .any)
        network.stub(
            .get("/data").header("X-Gateway", "new").header("Authorization", "Bearer new"),
            .text("there"))
        let session = MockURLSession(network)
            .authenticated(by: Credentials(Gateway(), for: baseURL, credential: gateway))
            .authenticated(by: Credentials(TokenAuthenticator(), for: baseURL, credential: user))

        #expect(await session.outcome(of: .test("data")) == .body("there"))
        #expect(network.requests.count { $0.path == "/gateway" } == 1)
    }

    /// Each of two credentials refreshes over a chain with the other one, so each waits for the
    /// other. Three do so in a ring.
    @Test(arguments: [2, 3], [Token(access: "old"), .expired])
    func credentialsThatRefreshOverEachOtherEnd(_ count: Int, _ token: Token) async throws {
        for requests in [1, 20] {
            let network = MockNetwork()
            network.stub(.any, times: .any) { request in
                await Task.yield()
                let given = request.header("Authorization")
                if request.method == "POST", given != "Bearer old" {
                    return .json(encoding: Token(access: "new"))
                }
                return .text(given ?? "", status: given == "Bearer new" ? 200 : 401)
            }
            let others = (0..<count).map { _ in Later() }
            let sessions = others.map { other in
                MockURLSession(network).authenticated(
                    by: Credentials(
                        TokenAuthenticator(), for: baseURL, credential: token,
                        refreshingOver: other))
            }
            for (number, other) in others.enumerated() {
                other.session.withLock { $0 = sessions[(number + 1) % count] }
            }

            await withTaskGroup(of: ExchangeOutcome.self) { group in
                for session in sessions {
                    for number in 0..<requests {
                        group.addTask { await session.outcome(of: .test("\(number)")) }
                    }
                }
                for await outcome in group { #expect(outcome == .body("Bearer new")) }
            }
            for other in others { other.session.withLock { $0 = nil } }
        }
    }
}
