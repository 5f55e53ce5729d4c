import APIKitLiteTesting
import TestSupport

@testable import APIKitLite

struct Token: Codable, Equatable, Sendable {
    var access: String
    var refresh = "r"
    /// Seconds since 1970; the default lies in 2096.
    var expires = 4_000_000_000.0

    static let old = Token(access: "old")
    static let expired = Token(access: "old", expires: 0)
    static let good = Token(access: "good")
}

struct RefreshRequest: APIRequest {
    var baseURL = URL.api

    func makeRequest(from token: Token) throws -> URLRequest {
        try URLRequest("POST", baseURL, path: "/token")
            .formBody(["grant_type": "refresh_token", "refresh_token": token.refresh])
    }

    func parseResponse(data: Data) throws -> Token {
        try JSONDecoder().decode(Token.self, from: data)
    }
}

/// A server that accepts one token at a time, and gives out `new1`, `new2`, … for a refresh.
struct TokenServer: Sendable {
    let network = MockNetwork()
    let valid: Locked<String>
    private let data: Stub
    let token: Stub

    /// - Parameters:
    ///   - valid: The token that `GET /data` accepts before the first refresh.
    ///   - onData: Runs before `/data` gets a response.
    ///   - holdsRefresh: Whether a refresh gets a response when the test calls `token.release()`.
    ///   - onRefresh: Runs before a token is given out. If it throws, the refresh fails with that
    ///     error.
    init(
        accepting valid: String = "good", holdsRefresh: Bool = false,
        onData: @escaping @Sendable (String) async throws -> Void = { _ in },
        onRefresh: @escaping @Sendable (Int) async throws -> MockResponse? = { _ in nil }
    ) {
        let accepted = Locked(valid)
        let count = Locked(0)
        self.valid = accepted
        data = network.stub(.any, times: .any) { request in
            let given = request.header("Authorization") ?? "nobody"
            let isGood = given == "Bearer " + accepted.withLock { $0 }
            try await onData(given)
            return .text(given, status: isGood ? 200 : 401)
        }
        token = network.stub(.post("/token"), times: .any) { _ in
            let number = count.next()
            let other = try await onRefresh(number)
            if other == nil { accepted.withLock { $0 = "new\(number)" } }
            let response =
                other ?? .json(encoding: Token(access: "new\(number)", refresh: "r\(number)"))
            return holdsRefresh ? response.held : response
        }
    }

    var session: MockNetwork { network }
    var refreshCount: Int { token.callCount }

    /// The credential of each request to another path than `/token`, in order.
    var given: [String] { data.requests.map { $0.header("Authorization") ?? "nobody" } }

    /// The credential of a user whose token this server refreshes.
    func tokens(
        _ token: Token? = .old, for baseURL: URL = .api, refresh: Credentials<Token>.Refresh? = nil,
        save: Credentials<Token>.Save? = nil, load: Credentials<Token>.Load? = nil
    ) -> Credentials<Token> {
        Credentials(
            token, for: baseURL, apply: { try $1.authorization(bearer: $0.access) },
            isStale: { $0.expires <= 1_000_000_000 }, load: load,
            refresh: { rejection in
                if let refresh { return try await refresh(rejection) }
                return try await refreshedToken(rejection, baseURL)
            }, save: save)
    }
}

extension Credentials {
    typealias Load = @Sendable () async throws -> Credential?
    typealias Refresh = @Sendable (_ rejection: Rejection) async throws -> Credential?
    typealias Save = @Sendable (_ credential: Credential?) async throws -> Void
}

/// Refreshes a token as an app does: nil signs the user out.
@Sendable func refreshedToken(
    _ rejection: Credentials<Token>.Rejection, _ baseURL: URL = .api
) async throws -> Token? {
    guard let old = rejection.credential else { return nil }
    do {
        return try await rejection.session.load(RefreshRequest(baseURL: baseURL), old)
    } catch let error where error.isInvalidGrant {
        return nil
    }
}

/// A session that is made after the closure that uses it.
struct Later: HTTPSession {
    let session = Locked<(any HTTPSession)?>(nil)

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        try await session.withLock { $0 }!.send(request, awaiting: options)
    }

    func lead(to session: any HTTPSession) { self.session.withLock { $0 = session } }
}

/// Random numbers below a count, the same ones for the same seed.
func drawing(_ seed: Int) -> @Sendable (_ count: Int) -> Int {
    let random = Locked(SeededGenerator(seed: UInt64(seed)))
    return { count in random.withLock { Int.random(in: 0..<count, using: &$0) } }
}

/// A store of a token in which a step can be slow or fail.
final class Store: Sendable {
    enum Step: CaseIterable { case load, save }

    private let token: Locked<Token?>
    private let steps = Locked<[String]>([])
    private let failures: Locked<Int>
    private let held: Step?
    private let failing: Step?
    private let error: any Error
    private let isHeld = Gate()
    private let mayGo = Gate()

    init(
        _ token: Token?, holding held: Step? = nil, failing: Step? = nil,
        with error: any Error = TestError(), times: Int = 1
    ) {
        self.token = Locked(token)
        (self.held, self.failing, self.error) = (held, failing, error)
        failures = Locked(times)
    }

    /// The token that is in the store.
    var content: Token? { token.withLock { $0 } }

    /// The steps so far, such as `save new1`; `save -` is a sign-out.
    var log: [String] { steps.withLock { $0 } }

    func waitUntilHeld() async { await isHeld.wait() }
    func release() { mayGo.open() }
    func stopFailing() { failures.withLock { $0 = 0 } }

    @Sendable func load() async throws -> Token? {
        try await perform(.load, "load")
        return token.withLock { $0 }
    }

    @Sendable func save(_ new: Token?) async throws {
        try await perform(.save, "save \(new?.access ?? "-")")
        token.withLock { $0 = new }
    }

    private func perform(_ step: Step, _ name: String) async throws {
        steps.withLock { $0.append(name) }
        if step == held {
            isHeld.open()
            await mayGo.wait()
        }
        guard step == failing, failures.withLock({ $0 > 0 }) else { return }
        failures.withLock { $0 -= 1 }
        throw error
    }
}

extension TokenServer {
    /// The credential of a user whose token a store keeps. Without a token, it is loaded.
    func tokens(
        _ store: Store, _ token: Token? = nil, refresh: Credentials<Token>.Refresh? = nil
    ) -> Credentials<Token> {
        tokens(token, refresh: refresh, save: store.save, load: store.load)
    }
}

/// A credential that a store keeps, and a session that sends it.
func user(
    _ store: Store, given token: Token? = nil, on server: TokenServer = TokenServer(),
    refresh: Credentials<Token>.Refresh? = nil
) -> (server: TokenServer, store: Store, tokens: Credentials<Token>, session: any HTTPSession) {
    let tokens = server.tokens(store, token, refresh: refresh)
    return (server, store, tokens, server.session.authenticated(by: tokens))
}

/// A credential that a server refreshes, and a session that sends it.
func user(
    _ token: Token?, on server: TokenServer = TokenServer()
) -> (server: TokenServer, tokens: Credentials<Token>, session: any HTTPSession) {
    let tokens = server.tokens(token)
    return (server, tokens, server.session.authenticated(by: tokens))
}
