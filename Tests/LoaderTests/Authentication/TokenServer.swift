import APIKitLiteTesting
import Foundation
import TestSupport

@testable import APIKitLite

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

    var session: MockNetwork { network }

    var refreshCount: Int { token.callCount }

    /// The credential of each request to another path than `/token`, in order.
    var given: [String] {
        data.requests.map {
            $0.header("Authorization") ?? "nobody"
        }
    }

    /// The credential of a user whose token this server refreshes.
    func tokens(
        _ token: Token? = Token(access: "old"),
        for baseURL: URL = URL(string: "https://api.example.com")!,
        refresh: Credentials<Token>.Refresh? = nil, save: Credentials<Token>.Save? = nil
    ) -> Credentials<Token> {
        Credentials(
            token, for: baseURL,
            apply: { try $1.authorization(bearer: $0.access) },
            isStale: { $0.expires <= 1_000_000_000 },
            refresh: { rejection in
                if let refresh { return try await refresh(rejection) }
                return try await refreshedToken(rejection, baseURL)
            }, save: save)
    }
}

/// Refreshes a token as an app does: nil signs the user out.
@Sendable func refreshedToken(
    _ rejection: Credentials<Token>.Rejection,
    _ baseURL: URL = URL(string: "https://api.example.com")!
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
}
