import APIKitLite
import APIKitLiteTesting
import TestSupport

private struct Tokens: Codable, Equatable {
    var access: String
    var refresh: String?
    var expires: Date
}

/// The response of RFC 6749, sections 5.1 and 6.
private struct TokenResponse: Decodable {
    var access: String
    var refresh: String?
    var seconds: Double?

    enum CodingKeys: String, CodingKey {
        case access = "access_token"
        case refresh = "refresh_token"
        case seconds = "expires_in"
    }

    // Some servers, such as Google's, don't repeat the refresh token.
    func tokens(replacing old: Tokens? = nil) -> Tokens {
        Tokens(
            access: access, refresh: refresh ?? old?.refresh,
            expires: seconds.map { Date(timeIntervalSinceNow: $0) } ?? .distantFuture)
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

    init(signIn: @escaping @Sendable () async throws -> String) { self.signIn = signIn }

    func token(replacing rejected: String?) async throws -> String {
        if let token, token != rejected { return token }
        let new = try await signIn()
        token = new
        return new
    }
}

private func tokenRequest(_ baseURL: URL, _ form: RequestItems) throws -> URLRequest {
    try URLRequest("POST", baseURL, path: "/oauth/token").formBody(form)
}

/// An app with a user, who signs in and out.
private struct Account {
    let baseURL: URL
    let session: any HTTPSession
    let keychain: Keychain
    let tokens: Credentials<Tokens>
    let signedIn: any HTTPSession

    init(
        _ baseURL: URL, over session: any HTTPSession, _ keychain: Keychain,
        showSignedIn: @escaping @Sendable (Bool) async -> Void = { _ in }
    ) async throws {
        let saved = try await keychain.tokens()
        let tokens = Credentials(saved, for: baseURL) { tokens, request in
            try request.authorization(bearer: tokens.access)
        } isStale: { tokens in
            tokens.expires < Date(timeIntervalSinceNow: 30)
        } refresh: { rejection in
            guard let old = rejection.credential, let token = old.refresh else { return nil }
            let form: RequestItems = ["grant_type": "refresh_token", "refresh_token": token]
            do {
                return try await rejection.session.load(
                    tokenRequest(baseURL, form), as: TokenResponse.self
                ).tokens(replacing: old)
            } catch let error as APIRequestError where error.isInvalidGrant {
                throw SignOutError(error)
            }
        } save: { tokens in
            await showSignedIn(tokens != nil)
            try await keychain.store(tokens)
        }
        let signedIn = session.authenticated(by: tokens)

        (self.baseURL, self.session, self.keychain) = (baseURL, session, keychain)
        (self.tokens, self.signedIn) = (tokens, signedIn)
    }

    // Placeholders: an app makes 32 random bytes, and their SHA-256, in Base64 for URLs.
    func randomVerifier() -> String { String(repeating: "v", count: 43) }
    func challenge(_ verifier: String) -> String { "sha256" }

    func signInURL(_ challenge: String) throws -> URL {
        try URL(
            baseURL, path: "/oauth/authorize",
            query: [
                "response_type": "code", "client_id": "app", "redirect_uri": "app://signed-in",
                "code_challenge": challenge, "code_challenge_method": "S256",
            ])
    }

    func code(in callback: URL) -> String? {
        URLComponents(url: callback, resolvingAgainstBaseURL: true)?
            .queryItems?.first { $0.name == "code" }?.value
    }

    func signIn(_ browser: (URL) async throws -> URL) async throws {
        let verifier = randomVerifier()
        let callback = try await browser(signInURL(challenge(verifier)))
        let request = try tokenRequest(
            baseURL,
            [
                "grant_type": "authorization_code", "code": code(in: callback),
                "redirect_uri": "app://signed-in", "client_id": "app", "code_verifier": verifier,
            ])
        tokens.credential = try await session.load(request, as: TokenResponse.self).tokens()
        try await tokens.value()
    }

    func signOut() async throws {
        tokens.credential = nil
        try await tokens.value()
    }
}

private typealias User = TestingSamples.User
private typealias UserRequest = TestingSamples.UserRequest

/// The samples of Authentication.md.
@Suite(.limited) private struct AuthenticationSamples {
    let baseURL = URL(string: "https://api.example.com")!
    let old = Tokens(access: "old", refresh: "r0", expires: .distantFuture)
    let new = Tokens(access: "new", refresh: "r1", expires: .distantFuture)
    let response = MockResponse.json(#"{"access_token": "new", "refresh_token": "r1"}"#)
    let emma = MockResponse.json(encoding: User(name: "Emma"))
    let network = MockNetwork()
    var session: any HTTPSession { network }

    /// A server that accepts one token.
    private func stubUsers(token: String = "new") {
        network.stub(.get("/users/{id}"), .status(401), times: .any)
        network.stub(.get("/users/{id}").header("Authorization", "Bearer \(token)"), emma)
    }

    private func name(over session: any HTTPSession) async throws -> String {
        try await session.load(UserRequest(), 42).name
    }

    @Test(arguments: [Date.distantFuture, .distantPast])
    func renewsTokensThatAreRejectedOrStale(_ expires: Date) async throws {
        stubUsers()
        let token = network.stub(
            .post("/oauth/token").form(["grant_type": "refresh_token", "refresh_token": "r0"]),
            response)
        let keychain = Keychain(Tokens(access: "old", refresh: "r0", expires: expires))
        let account = try await Account(baseURL, over: network, keychain)

        #expect(try await name(over: account.signedIn) == "Emma")

        #expect(account.tokens.credential == new)
        #expect(try await keychain.tokens() == new)
        #expect(token.callCount == 1)
        #expect(network.requests.count == (expires == .distantPast ? 2 : 3))
    }

    @Test func testsARefresh() async throws {
        let account = try await Account(baseURL, over: network, Keychain(old))
        let (signedIn, tokens) = (account.signedIn, account.tokens)

        network.stub(.get("/users/{id}"), .status(401))
        network.stub(
            .get("/users/{id}").header("Authorization", "Bearer new"), .json(#"{"name": "Emma"}"#))
        network.stub(
            .post("/oauth/token").form(["refresh_token": "r0"]),
            .json(#"{"access_token": "new", "refresh_token": "r1"}"#))

        let user = try await signedIn.load(UserRequest(), 42)

        #expect(user.name == "Emma")
        #expect(tokens.credential == new)
        try network.verify()
    }

    @Test func signsOutWhereTheRefreshIsRefused() async throws {
        stubUsers()
        network.stub(.post("/oauth/token"), .json(#"{"error":"invalid_grant"}"#, status: 400))
        let keychain = Keychain(old)
        let shown = Locked<[Bool]>([])
        let account = try await Account(baseURL, over: network, keychain) { isSignedIn in
            shown.withLock { $0.append(isSignedIn) }
        }

        let error = await #expect(throws: APIRequestError.self) {
            try await name(over: account.signedIn)
        }

        #expect(error?.cause?.isInvalidGrant == true)
        #expect(try await account.tokens.value() == nil)
        #expect(try await keychain.tokens() == nil)
        #expect(shown.withLock { $0 } == [false])
    }

    /// A server that issues a new refresh token each time, and one that never does.
    @Test(arguments: [#", "refresh_token": "r1""#, ""])
    func keepsTheRefreshTokenThatAServerDoesNotReplace(_ issued: String) async throws {
        network.stub(.get("/users/{id}"), .status(401), emma)
        let issuedTokens = #"{"access_token": "new", "expires_in": 3600\#(issued)}"#
        let stub = network.stub(.post("/oauth/token"), .json(issuedTokens))
        let keychain = Keychain(old)
        let account = try await Account(baseURL, over: network, keychain)
        let start = Date()

        #expect(try await name(over: account.signedIn) == "Emma")
        let tokens = try #require(try await keychain.tokens())
        try await account.tokens.refresh()

        #expect(tokens.access == "new")
        #expect(tokens.refresh == (issued.isEmpty ? "r0" : "r1"))
        #expect((start + 3_600...Date() + 3_600).contains(tokens.expires))
        #expect(stub.callCount == 2)
        #expect(stub.requests.last?.body.text.hasSuffix(tokens.refresh ?? "") == true)
    }

    @Test func asksTheUserToSignInWhereNothingCanBeRefreshed() async throws {
        stubUsers()
        let keychain = Keychain(Tokens(access: "old", expires: .distantFuture))
        let account = try await Account(baseURL, over: network, keychain)

        await #expect(throws: APIRequestError.self) { try await name(over: account.signedIn) }
        #expect(try await account.tokens.value() == nil)
    }

    @Test func signsInAndOut() async throws {
        stubUsers()
        let verifier = String(repeating: "v", count: 43)
        let form: RequestItems = ["code": "c", "code_verifier": verifier]
        network.stub(.post("/oauth/token").form(form), response)
        let keychain = Keychain(nil)
        let account = try await Account(baseURL, over: network, keychain)

        try await account.signIn { page in
            #expect(page.query()?.contains("code_challenge=sha256") == true)
            return URL(string: "app://signed-in?code=c")!
        }
        #expect(try await name(over: account.signedIn) == "Emma")
        #expect(try await keychain.tokens() == new)
        try await account.signOut()

        await #expect(throws: APIRequestError.self) { try await name(over: account.signedIn) }
        #expect(network.requests.last?.header("Authorization") == nil)
        #expect(try await keychain.tokens() == nil)
    }

    @Test func aServiceGetsItsFirstTokenAndTheNext() async throws {
        stubUsers()
        network.stub(
            .post("/oauth/token").header("Authorization", "Basic c2VydmljZTpzJTJCdA=="),
            .json(#"{"access_token": "old"}"#), response)
        let secret = "s+t"
        let tokens = Credentials<Tokens>(for: baseURL) { tokens, request in
            try request.authorization(bearer: tokens.access)
        } refresh: { rejection in
            let request = try tokenRequest(baseURL, ["grant_type": "client_credentials"])
                .authorization(clientID: "service", clientSecret: secret)
            return try await rejection.session.load(request, as: TokenResponse.self).tokens()
        }

        #expect(try await name(over: network.authenticated(by: tokens)) == "Emma")
        let paths = ["/oauth/token", "/users/42", "/oauth/token", "/users/42"]
        #expect(network.requests.map(\.path) == paths)
    }

    @Test func asksTheStoreOfTheApp() async throws {
        stubUsers(token: "t2")
        let count = Locked(0)
        let store = TokenStore {
            count.withLock { count in
                count += 1
                return "t\(count)"
            }
        }

        let signedIn = session.authenticated(for: baseURL) { rejection in
            try await store.token(replacing: rejection.credential)
        }

        #expect(try await name(over: signedIn) == "Emma")
        let sent = network.requests.map { $0.header("Authorization") }
        #expect(sent == ["Bearer t1", "Bearer t2"])
    }

    @Test func sendsAFixedToken() async throws {
        network.stub(.get("/users/42").header("Authorization", "Bearer t"), emma)

        let signedIn = session.authenticated(by: .bearer("t", for: baseURL)).retrying()

        #expect(try await name(over: signedIn) == "Emma")
        await #expect(throws: APIRequestError.self) { try await name(over: session.retrying()) }
    }

    /// A server that asks for a token, a second factor and a consent.
    @Test func respondsToThreeChallenges() async throws {
        let user = RequestMatcher.get("/users/{id}")
        for (token, status, asked) in [("old", 401, "t"), ("t", 403, "otp"), ("otp", 403, "yes")] {
            network.stub(
                user.header("Authorization", "Bearer \(token)"),
                .status(status).header("WWW-Authenticate", asked), times: .any)
        }
        network.stub(user.header("Authorization", "Bearer yes"), emma)
        let challenge = Locked<String?>(nil)
        let tokens = Credentials("old", for: baseURL) { token, request in
            try request.authorization(bearer: token)
        } refresh: { rejection in
            rejection.response?.value(forHTTPHeaderField: "WWW-Authenticate")
                ?? challenge.withLock { $0 }
        }

        let signedIn = session.authenticated(by: tokens).intercepting { request, next in
            var (body, response) = try await next(request)
            for _ in 0..<3 where response.statusCode == 403 {
                challenge.withLock { $0 = response.value(forHTTPHeaderField: "WWW-Authenticate") }
                try await tokens.refresh()
                (body, response) = try await next(request)
            }
            return (body, response)
        }

        #expect(try await name(over: signedIn) == "Emma")
        #expect(network.requests.count == 4)
    }

    @Test func signsAFile() async throws {
        func hash(of file: URL) throws -> String { "hash of \(try Data(contentsOf: file).count)" }
        @Sendable func signature(_ key: String, _ hash: String) -> String { "\(key), \(hash)" }
        let folder = try TemporaryFolder()
        let file = try folder.write("bytes")
        let apiKey = "k"
        network.stub(
            .put("/files/1").header("X-Signature", "k, hash of 5").body(Data("bytes".utf8)),
            .status(201))

        let upload = try URLRequest("PUT", baseURL, path: "/files/1")
            .header("X-Content-SHA256", hash(of: file)).fileBody(file)
        let key = Credentials(apiKey, for: baseURL) { key, request in
            let hash = request.value(forHTTPHeaderField: "X-Content-SHA256") ?? ""
            return try request.header("X-Signature", signature(key, hash))
        }

        _ = try await network.authenticated(by: key).load(upload, as: Data.self)
    }

    @Test func sendsAnAPIKey() async throws {
        network.stub(.get("/users/42").header("X-API-Key", "k"), emma)
        let apiKey = "k"

        let key = Credentials(apiKey, for: baseURL) { key, request in
            try request.header("X-API-Key", key)
        }

        #expect(try await name(over: network.authenticated(by: key)) == "Emma")
    }
}
