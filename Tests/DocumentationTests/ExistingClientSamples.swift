import APIKitLite
import APIKitLiteTesting
import TestSupport

/// The samples of ExistingClient.md. Those of its streams are in StreamsSamples.swift.
@Suite(.limited) struct ExistingClientSamples {
    typealias User = TestingSamples.User

    let baseURL = URL(string: "https://api.example.com")!
    let network = MockNetwork()

    @Test func loadsAURLRequest() async throws {
        network.stub(.get("/users/42"), .json(#"{"name": "Emma"}"#))
        let session: any HTTPSession = network
        let request = try URLRequest("GET", baseURL, path: "/users/42")

        let (data, response) = try await session.data(for: request)
        let user = try await session.load(request, as: User.self, name: "user")

        #expect(user == User(name: "Emma"))
        #expect(try JSONDecoder().decode(User.self, from: data) == user)
        #expect(response.statusCode == 200)
    }

    private actor TokenStore {
        private var token = "old"

        func token(replacing rejected: String?) throws -> String {
            if rejected == token { token = "new" }
            return token
        }
    }

    @Test func keepsItsFunctions() async throws {
        network.stub(.any, .status(401))
        network.stub(
            .get("/users/42").header("Authorization", "Bearer new"), .status(425),
            .json(#"{"name": "Emma"}"#))
        let (client, store) = (network, TokenStore())

        let session = ClosureSession { request in try await client.data(for: request) }
            .authenticated(for: baseURL) { rejection in
                try await store.token(replacing: rejection.credential)
            }
            .retrying(clock: MockClock()) { attempt in
                attempt.response?.statusCode == 425 ? .retry(after: .zero) : attempt.decision
            }

        let request = try URLRequest("GET", baseURL, path: "/users/42")
        #expect(try await session.load(request, as: User.self) == User(name: "Emma"))
        let sent = network.requests.map { $0.header("Authorization") }
        #expect(sent == ["Bearer old", "Bearer new", "Bearer new"])
    }
}
