import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// A chain with two credentials, in which a refresh may need the other credential.
@Suite(.limited) struct TwoCredentialsTests {
    private let baseURL = URL(string: "https://api.example.com")!

    private func gateway(_ token: Token) -> Credentials<Token> {
        Credentials(token, for: baseURL) { token, request in
            try request.header("X-Gateway", token.access)
        } isStale: {
            $0.expires == 0
        } isRejected: {
            $1.statusCode == 407
        } refresh: { rejection in
            _ = try await rejection.session.exchange(.test("gateway", method: "POST"))
            return Token(access: "new")
        }
    }

    @Test(arguments: Transport.allCases, [Token(access: "old"), .expired])
    func aRefreshHasTheOtherCredential(_ transport: Transport, _ token: Token) async throws {
        let network = MockNetwork()
        network.stub(.any, .status(403), times: .any)
        network.stub(.get("/data").header("X-API-Key", "k"), .status(401), times: .any)
        network.stub(
            .get("/data").header("X-API-Key", "k").header("Authorization", "Bearer new"),
            .text("there"))
        network.stub(
            .post("/token").header("X-API-Key", "k"), .json(encoding: Token(access: "new")))
        let (wire, baseURL) = try transport.open(network)
        let key = Credentials<String>("k", for: baseURL) { key, request in
            try request.header("X-API-Key", key)
        }
        let session = wire.authenticated(by: key)
            .authenticated(by: TokenServer().tokens(token, for: baseURL))

        let (data, _) = try await session.exchange(URLRequest("GET", baseURL, path: "/data"))
        #expect(data.text == "there")
        let refreshes = network.requests.filter { $0.path == "/token" }
        #expect(refreshes.map { $0.header("X-API-Key") } == ["k"])
        #expect(refreshes.map { $0.header("Authorization") } == [nil])
    }

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
        let session =
            network
            .authenticated(by: self.gateway(gateway))
            .authenticated(by: TokenServer().tokens(user))

        #expect(await session.outcome(of: .test("data")) == .body("there"))
        #expect(network.requests.count { $0.path == "/gateway" } == 1)
    }
}
