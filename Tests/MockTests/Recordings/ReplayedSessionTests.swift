import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

/// A client that signs in, refreshes and sends back what it received is replayed as it was recorded.
@Suite(.limited, .usesSockets) struct ReplayedSessionTests {
    private let folder: TemporaryFolder
    private var file: URL { folder.url.appending(path: "secrets.har") }
    private static let base = URL(string: "https://api.example.com")!

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Sends requests to a server, and again to a network that responds from their recording.
    private func recordAndReplay(
        _ server: MockNetwork, hiding secrets: [String],
        _ body: (any HTTPSession) async throws -> Void,
        again: ((any HTTPSession) async throws -> Void)? = nil
    ) async throws {
        let recorder = MockNetwork()
        recorder.stub(.any, .passthrough(to: server))
        try await body(recorder)
        try HTTPArchive(recorder.requests).write(to: file)
        let text = try String(contentsOf: file, encoding: .utf8)
        for secret in secrets { #expect(!text.contains(secret)) }

        for transport in [Transport.direct, .urlProtocol] {
            let network = MockNetwork()
            network.stub(try HTTPArchive(contentsOf: file))
            let session = try transport.open(network).session
            if let again { try await again(session) } else { try await body(session) }
            try network.verify()
        }
    }

    private struct Tokens: Codable {
        let accessToken: String
        let refreshToken: String

        enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case refreshToken = "refresh_token"
        }
    }

    /// A server that accepts only the token that it gives, and each refresh token once.
    private static func tokenServer() -> MockNetwork {
        let server = MockNetwork()
        server.stub(
            .post("/token").form(["refresh_token": "refresh-token-1"]),
            .json(#"{"access_token": "access-token-2", "refresh_token": "refresh-token-2"}"#),
            times: .any)
        server.stub(
            .post("/token").form(["refresh_token": "refresh-token-2"]),
            .json(#"{"access_token": "access-token-3", "refresh_token": "refresh-token-3"}"#),
            times: .any)
        server.stub(.get("/{page}"), .json(#"{"error": "expired"}"#, status: 401), times: .any)
        server.stub(
            .get("/{page}").header("Authorization", "Bearer access-token-2"), .text("welcome"),
            times: .any)
        return server
    }

    /// Loads pages as a client does that has an outdated token.
    private static func load(
        _ pages: [String], inParallel: Bool = false, over session: any HTTPSession
    ) async throws {
        let store = Locked(
            Tokens(accessToken: "access-token-1", refreshToken: "refresh-token-1"))
        let client = session.authenticated(for: base) { rejection in
            let known = store.withLock { $0 }
            if known.accessToken != rejection.credential { return known.accessToken }
            let request = try URLRequest("POST", base, path: "/token")
                .formBody(["refresh_token": known.refreshToken])
            let new = try JSONDecoder().decode(
                Tokens.self, from: try await session.exchange(request).0)
            store.withLock { $0 = new }
            return new.accessToken
        }
        guard inParallel else {
            for page in pages {
                #expect(try await client.exchange(.test(page)).0.text == "welcome")
            }
            return
        }
        try await withThrowingTaskGroup(of: String.self) { group in
            for page in pages {
                group.addTask { try await client.exchange(.test(page)).0.text }
            }
            for try await text in group { #expect(text == "welcome") }
        }
    }

    @Test(arguments: 0..<4)
    func aRefreshOfParallelRequestsIsReplayed(_ round: Int) async throws {
        try await recordAndReplay(
            Self.tokenServer(), hiding: ["access-token", "refresh-token"]
        ) { session in
            try await Self.load(["a", "b", "c", "d", "a"], inParallel: true, over: session)
        }
    }

    /// All three requests were rejected. In the replay, one of them already gets the new token.
    @Test func a401ThatTheClientAvoidsIsNotMissed() async throws {
        try await recordAndReplay(Self.tokenServer(), hiding: ["access-token"]) { session in
            for page in ["a", "b"] {
                var request = URLRequest.test(page)
                request.setValue("Bearer access-token-1", forHTTPHeaderField: "Authorization")
                #expect(try await session.exchange(request).1.statusCode == 401)
            }
            try await Self.load(["a", "b"], over: session)
        } again: { session in
            try await Self.load(["a", "b"], over: session)
        }
    }

    /// The opposite: any other response must be used, and so must a 401 whose request never comes.
    @Test func anotherResponseIsMissed() async throws {
        let network = MockNetwork()
        network.stub(
            try folder.archive(
                Self.bearer("REDACTED-1", status: 403), Self.bearer("REDACTED-2"),
                Self.bearer("REDACTED-1", "/b", status: 401)))
        var request = URLRequest.test("a")
        request.setValue("Bearer REDACTED-2", forHTTPHeaderField: "Authorization")
        _ = try await network.exchange(request)

        let error = #expect(throws: VerificationError.self) { try network.verify() }
        #expect(error?.description.components(separatedBy: "Not used: ").count == 3, "\(error!)")
    }

    /// Each archive counts the uses of its own exchanges, also if the newer archive is larger.
    @Test func severalArchivesAreVerified() async throws {
        let network = MockNetwork()
        network.stub(try folder.archive(Self.bearer(nil), Self.bearer(nil, "/b")))
        network.stub(
            try folder.archive(
                Self.bearer(nil, "/c"), Self.bearer(nil, "/d"), Self.bearer(nil, "/e")))
        for path in ["b", "c", "d"] { _ = try await network.exchange(.test(path)) }

        let error = try #require(throws: VerificationError.self) { try network.verify() }
        let paths = error.description.matches(of: /Not used: GET \S*(\/\w)/).map { $0.1 }
        #expect(paths == ["/a", "/e"], "\(error)")

        for path in ["a", "e"] { _ = try await network.exchange(.test(path)) }
        try network.verify()
    }

    private static func bearer(
        _ token: String?, _ path: String = "/a", status: Int = 200, text: String = "{}"
    ) -> String {
        entry("GET", path, status: status, text: text).replacing(
            #""headers": []"#,
            with: token.map { #""headers": [{"name": "Authorization", "value": "\#($0)"}]"# }
                ?? #""headers": []"#, maxReplacements: 1)
    }

    @Test(arguments: [false, true])
    func aSignInByCookieIsReplayed(_ signsInAgain: Bool) async throws {
        let server = MockNetwork()
        server.stub(
            .post("/login"),
            .status(204).header("Set-Cookie", "session=first-session-1; Path=/; HttpOnly"),
            .status(204).header("Set-Cookie", "session=second-session-2; Path=/"), times: .any)
        server.stub(.get("/me"), .status(401), times: .any)
        server.stub(
            .get("/me").where("the first session") {
                $0.header("Cookie")?.contains("session=first-session-1") ?? false
            }, .text("first"), times: .any)
        server.stub(
            .get("/me").where("the second session") {
                $0.header("Cookie")?.contains("session=second-session-2") ?? false
            }, .text("second"), times: .any)
        try await recordAndReplay(server, hiding: ["first-session", "second-session", "hunter2"]) {
            session in
            #expect(try await session.exchange(.test("me")).1.statusCode == 401)
            let login = try URLRequest.test("login", method: "POST").jsonBody([
                "password": "hunter2"
            ])
            _ = try await session.exchange(login)
            #expect(try await session.exchange(.test("me")).0.text == "first")
            guard signsInAgain else { return }
            _ = try await session.exchange(login)
            #expect(try await session.exchange(.test("me")).0.text == "second")
        }
    }

    private struct Token: Codable {
        let token: String
    }

    private static func signIn(_ user: String, over session: any HTTPSession) async throws -> String
    {
        let request = try URLRequest.test("login", method: "POST")
            .jsonBody(["user": user, "password": "pass-word-of-\(user)"])
        return try JSONDecoder().decode(
            Token.self, from: try await session.exchange(request).0
        ).token
    }

    private static func me(_ token: String, over session: any HTTPSession) async throws -> String {
        var request = URLRequest.test("me")
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        request.setValue("the-key-of-the-app", forHTTPHeaderField: "X-Api-Key")
        return try await session.exchange(request).0.text
    }

    @Test func twoUsersGetTheirOwnResponses() async throws {
        let server = MockNetwork()
        for user in ["emma", "zoe"] {
            server.stub(
                .post("/login").json(containing: #"{"user": "\#(user)"}"#),
                .json(#"{"token": "token-of-\#(user)-1"}"#), times: .any)
            server.stub(
                .get("/me").header("Authorization", "Bearer token-of-\(user)-1"), .text(user),
                times: .any)
        }
        try await recordAndReplay(server, hiding: ["pass-word", "token-of", "the-key"]) { session in
            let emma = try await Self.signIn("emma", over: session)
            let zoe = try await Self.signIn("zoe", over: session)
            #expect(try await Self.me(emma, over: session) == "emma")
            #expect(try await Self.me(zoe, over: session) == "zoe")
        } again: { session in
            let zoe = try await Self.signIn("zoe", over: session)
            let emma = try await Self.signIn("emma", over: session)
            #expect(try await Self.me(zoe, over: session) == "zoe")
            #expect(try await Self.me(emma, over: session) == "emma")
        }

        // A request too many does not get the response of the other user.
        let network = MockNetwork()
        network.stub(try HTTPArchive(contentsOf: file))
        let session = network
        let zoe = try await Self.signIn("zoe", over: session)
        #expect(try await Self.me(zoe, over: session) == "zoe")
        let error = await #expect(throws: MockError.self) {
            try await Self.me(zoe, over: session)
        }
        #expect(
            error?.description.contains(
                "came after the only response of the archive (secrets.har, entry 4).") == true)
    }

    @Test func aTokenThatIsNotRecordedGetsResponsesInOrder() async throws {
        let network = MockNetwork()
        network.stub(
            try folder.archive(
                Self.bearer("REDACTED-1", text: "1"), Self.bearer("REDACTED-2", text: "2")))
        for text in ["1", "2"] { #expect(try await Self.get("live", over: network) == text) }
        let error = await #expect(throws: MockError.self) {
            try await Self.get("live", over: network)
        }
        #expect(
            error?.description.hasPrefix(
                """
                GET https://api.example.com/a came after the last of the 2 responses of the \
                archive (users.har, entries 1, 2).
                """) == true)
    }

    @Test func theLastResponseIsThatOfTheToken() async throws {
        let network = MockNetwork()
        network.stub(
            try folder.archive(
                Self.bearer("REDACTED-1", text: "1"), Self.bearer("REDACTED-2", text: "2"),
                Self.bearer("REDACTED-1", text: "3")), then: .repeatLast)
        var texts: [String] = []
        for token in [1, 1, 1, 2, 2] {
            texts.append(try await Self.get("REDACTED-\(token)", over: network))
        }
        #expect(texts == ["1", "3", "3", "2", "2"])
    }

    private static func get(_ token: String?, over network: MockNetwork) async throws -> String {
        var request = URLRequest.test("a")
        request.setValue(token.map { "Bearer \($0)" }, forHTTPHeaderField: "Authorization")
        return try await network.exchange(request).0.text
    }

    @Test(arguments: [#"{"account_number": "12345678"}"#, #"{"account_number": 12345678}"#])
    func anAccountNumberMayBeInAPath(_ json: String) async throws {
        let server = MockNetwork()
        server.stub(.get("/login"), .json(json))
        server.stub(.get("/accounts/{number}"), .text("account"))
        server.stub(.post("/transfers"), .text("done"))
        func body(_ session: any HTTPSession, _ number: String) async throws {
            _ = try await session.exchange(.test("login"))
            #expect(try await session.exchange(.test("accounts/\(number)")).0.text == "account")
            let transfer = URLRequest.test(
                "transfers", method: "POST", body: #"{"from": \#(number), "to": "A-\#(number)"}"#)
            #expect(try await session.exchange(transfer).0.text == "done")
        }
        try await recordAndReplay(server, hiding: ["12345678"]) { session in
            try await body(session, "12345678")
        }
        try await recordAndReplay(server, hiding: ["12345678"]) { session in
            try await body(session, "12345678")
        } again: { session in
            try await body(session, "87654321")
        }
    }
}
