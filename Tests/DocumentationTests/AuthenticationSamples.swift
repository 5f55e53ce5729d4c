import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

private struct Tokens: Codable, Equatable {
    var access: String
    var refresh: String
    var expires: Date
}

private struct RefreshTokens: APIRequest {
    typealias ResponseDataType = Tokens

    let baseURL: URL

    func makeRequest(from tokens: Tokens) throws -> URLRequest {
        try URLRequest("POST", baseURL, path: "/oauth/token").formBody([
            "grant_type": "refresh_token", "refresh_token": tokens.refresh,
        ])
    }
}

private struct OAuth: Authenticator {
    let refresh: RefreshTokens

    func apply(_ tokens: Tokens, to request: URLRequest) throws -> URLRequest {
        try request.authorization(bearer: tokens.access)
    }

    func isStale(_ tokens: Tokens, now: Date) -> Bool {
        tokens.expires < now.addingTimeInterval(30)
    }
}

/// The keychain of an app, or a file.
private final class Keychain: Sendable {
    private let stored: Locked<Tokens?>

    init(_ tokens: Tokens?) { stored = Locked(tokens) }

    func tokens() async throws -> Tokens? { stored.withLock { $0 } }
    func store(_ tokens: Tokens?) async throws { stored.withLock { $0 = tokens } }
}

private actor TokenStore {
    private var token: String?
    private let signIn: @Sendable () async throws -> String

    init(signIn: @escaping @Sendable () async throws -> String) {
        self.signIn = signIn
    }

    func token(replacing rejected: String?) async throws -> String {
        if let token, token != rejected { return token }
        let new = try await signIn()
        token = new
        return new
    }
}

/// A server that rejects an expired token with a 403 and a code in the body.
private struct LegacyTokens: Authenticator {
    let refresh: RefreshTokens

    func apply(_ tokens: Tokens, to request: URLRequest) throws -> URLRequest {
        try request.authorization(bearer: tokens.access)
    }

    func rejects(data: Data, response: HTTPURLResponse) -> Bool {
        let problem = try? JSONDecoder().decode([String: String].self, from: data)
        return response.statusCode == 403 && problem?["code"] == "token_expired"
    }
}

private struct APIKey: Authenticator {
    func apply(_ key: String, to request: URLRequest) throws -> URLRequest {
        try request.header("X-API-Key", key)
    }
}

private typealias User = TestingSamples.User
private typealias UserRequest = TestingSamples.UserRequest

/// The samples of Authentication.md.
@Suite(.limited, .usesSockets) private struct AuthenticationSamples {
    let baseURL = URL(string: "https://api.example.com")!
    let old = Tokens(access: "old", refresh: "r0", expires: .distantFuture)
    let new = Tokens(access: "new", refresh: "r1", expires: .distantFuture)

    @Test func renewsTokensThatAreRejected() async throws {
        let network = MockNetwork()
        let user = RequestMatcher.get("/users/{id}")
        network.stub(user.header("Authorization", "Bearer old"), .status(401))
        network.stub(
            user.header("Authorization", "Bearer new"), .json(encoding: User(name: "Emma")))
        let token = network.stub(.post("/oauth/token"), .json(encoding: new), times: .once)

        let keychain = Keychain(old)
        let inner = MockURLSession(network)
        let tokens = Credentials(
            OAuth(refresh: RefreshTokens(baseURL: baseURL)), for: baseURL,
            load: { try await keychain.tokens() },
            save: { try await keychain.store($0) })
        let session = inner.authenticated(by: tokens)
        let loader = APIRequestLoader(
            apiRequest: UserRequest(baseURL: baseURL), urlSession: session)

        #expect(try await loader.load(42) == User(name: "Emma"))
        #expect(tokens.credential == new)
        #expect(try await keychain.tokens() == new)
        #expect(token.callCount == 1)
        try network.verify()
    }

    @Test func refreshesAfterA403() async throws {
        let network = MockNetwork()
        let user = RequestMatcher.get("/users/{id}")
        network.stub(
            user.header("Authorization", "Bearer old"),
            .json(#"{"code": "token_expired"}"#, status: 403))
        network.stub(
            user.header("Authorization", "Bearer new"), .json(encoding: User(name: "Emma")))
        network.stub(.post("/oauth/token"), .json(encoding: new), times: .once)
        let tokens = Credentials(
            LegacyTokens(refresh: RefreshTokens(baseURL: baseURL)), for: baseURL, credential: old)
        let loader = APIRequestLoader(
            apiRequest: UserRequest(baseURL: baseURL),
            urlSession: MockURLSession(network).authenticated(by: tokens))

        #expect(try await loader.load(42) == User(name: "Emma"))
        try network.verify()
    }

    @Test func signsOutWhereTheRefreshIsRefused() async throws {
        let network = MockNetwork()
        network.stub(.get("/users/{id}"), .status(401))
        network.stub(.post("/oauth/token"), .json(#"{"error":"invalid_grant"}"#, status: 400))
        let keychain = Keychain(old)
        let tokens = Credentials(
            OAuth(refresh: RefreshTokens(baseURL: baseURL)), for: baseURL,
            load: { try await keychain.tokens() }, save: { try await keychain.store($0) })
        let loader = APIRequestLoader(
            apiRequest: UserRequest(baseURL: baseURL),
            urlSession: MockURLSession(network).authenticated(by: tokens))
        var showsSignIn = false

        do {
            _ = try await loader.load(42)
            Issue.record("It loaded.")
        } catch {
            let refresh = error.underlying as? AuthenticationError
            if refresh?.requiresSignIn == true { showsSignIn = true }
        }

        #expect(showsSignIn)
        #expect(tokens.credential == nil)
        #expect(try await keychain.tokens() == nil)
    }

    @Test func opensAWebSocketWithAValue() async throws {
        let keychain = Keychain(new)
        let tokens = Credentials(
            OAuth(refresh: RefreshTokens(baseURL: baseURL)), for: baseURL,
            load: { try await keychain.tokens() })
        var request = URLRequest(url: URL(string: "wss://api.example.com/events")!)

        if let token = try await tokens.value() {
            request = try request.authorization(bearer: token.access)
        }

        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer new")
    }

    @Test func asksTheStoreOfTheApp() async throws {
        let network = MockNetwork()
        let user = RequestMatcher.get("/users/{id}")
        network.stub(user.header("Authorization", "Bearer t1"), .status(401))
        network.stub(
            user.header("Authorization", "Bearer t2"), .json(encoding: User(name: "Emma")))
        let count = Locked(0)
        let store = TokenStore {
            count.withLock { count in
                count += 1
                return "t\(count)"
            }
        }
        let inner = MockURLSession(network)

        let session = inner.authenticated(for: baseURL) { rejected in
            try await store.token(replacing: rejected)
        }

        let loader = APIRequestLoader(
            apiRequest: UserRequest(baseURL: baseURL), urlSession: session)
        #expect(try await loader.load(42) == User(name: "Emma"))
    }

    @Test func sendsAFixedToken() async throws {
        let network = MockNetwork()
        network.stub(
            .get("/users/1").header("Authorization", "Bearer t"),
            .json(encoding: User(name: "Emma")))
        let inner = MockURLSession(network)

        let anonymous = inner.retrying()
        let signedIn = inner.authenticated(by: .bearer("t", for: baseURL)).retrying()

        let request = UserRequest(baseURL: baseURL)
        let user = try await APIRequestLoader(apiRequest: request, urlSession: signedIn).load(1)
        #expect(user.name == "Emma")
        await #expect(throws: APIRequestError.self) {
            try await APIRequestLoader(apiRequest: request, urlSession: anonymous).load(1)
        }
    }

    @Test func sendsAnAPIKey() async throws {
        let network = MockNetwork()
        network.stub(.get("/users/1").header("X-API-Key", "k"), .json(encoding: User(name: "Emma")))
        let session = MockURLSession(network).authenticated(
            by: Credentials(APIKey(), for: baseURL, credential: "k"))
        let loader = APIRequestLoader(
            apiRequest: UserRequest(baseURL: baseURL), urlSession: session)

        #expect(try await loader.load(1).name == "Emma")
    }
}
