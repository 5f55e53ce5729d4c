import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport

struct Token: Codable, Equatable, Sendable {
    var access: String
    var refresh = "r"
    /// Seconds since 1970; the default lies in 2096.
    var expires = 4_000_000_000.0

    static let expired = Token(access: "old", expires: 0)
}

struct RefreshRequest: APIRequest {
    var baseURL = URL(string: "https://api.example.com")!

    func makeRequest(from token: Token) throws -> URLRequest {
        try URLRequest("POST", baseURL, path: "/token")
            .formBody(["grant_type": "refresh_token", "refresh_token": token.refresh])
    }

    func parseResponse(data: Data) throws -> Token {
        try JSONDecoder().decode(Token.self, from: data)
    }
}

struct TokenAuthenticator: Authenticator {
    var refresh = RefreshRequest()

    func apply(_ token: Token, to request: URLRequest) throws -> URLRequest {
        try request.authorization(bearer: token.access)
    }

    func isStale(_ token: Token, now: Date) -> Bool {
        token.expires <= now.timeIntervalSince1970
    }
}

/// A refresh that another client may send, too.
struct GetRefresh: APIRequest {
    func makeRequest(from token: Token) throws -> URLRequest { .test("token") }
    func parseResponse(data: Data) throws -> Token { Token(access: data.text) }
}

struct GetAuthenticator: Authenticator {
    let refresh = GetRefresh()
    func apply(_ token: Token, to request: URLRequest) throws -> URLRequest {
        try request.authorization(bearer: token.access)
    }
    func isStale(_ token: Token, now: Date) -> Bool { token.access == "old" }
}

/// A server that accepts one token at a time, and gives out `new1`, `new2`, … for a refresh.
struct TokenServer: Sendable {
    let network = MockNetwork()
    let valid: Locked<String>
    private let data: Stub
    let token: Stub

    /// - Parameters:
    ///   - valid: The token that `GET /data` accepts before the first refresh.
    ///   - onData: Runs before `/data` is answered.
    ///   - holdsRefresh: Whether a refresh is answered when the test calls `token.release()`.
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
            let number = count.withLock { count in
                count += 1
                return count
            }
            let other = try await onRefresh(number)
            if other == nil { accepted.withLock { $0 = "new\(number)" } }
            let response =
                other ?? .json(encoding: Token(access: "new\(number)", refresh: "r\(number)"))
            return holdsRefresh ? response.held : response
        }
    }

    var session: MockURLSession { MockURLSession(network) }

    var refreshCount: Int { token.callCount }

    /// The credential of each request to another path than `/token`, in order.
    var given: [String] {
        data.requests.map {
            $0.header("Authorization") ?? "nobody"
        }
    }

    func tokens(
        _ token: Token? = Token(access: "old"), session: (any HTTPSession)? = nil,
        load: (@Sendable () async throws -> Token?)? = nil,
        save: (@Sendable (Token?) async throws -> Void)? = nil
    ) -> Credentials<TokenAuthenticator> {
        Credentials(
            TokenAuthenticator(), for: URL(string: "https://api.example.com")!, credential: token,
            refreshingOver: session, now: { Date(timeIntervalSince1970: 1_000_000_000) },
            load: load, save: save)
    }
}

/// A session that is made after the credentials that refresh over it.
struct Later: HTTPSession {
    let session = Locked<(any HTTPSession)?>(nil)

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        try await session.withLock { $0 }!.send(request, awaiting: options)
    }
}
