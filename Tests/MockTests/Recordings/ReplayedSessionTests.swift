import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

/// A client that signs in, refreshes and sends back what it received is replayed as it was recorded.
@Suite(.limited, .usesSockets) struct ReplayedSessionTests {
    /// Sends requests to a server, and again to a network that responds from their recording.
    @discardableResult
    private func recordAndReplay(
        _ server: MockNetwork, hiding secrets: [String],
        _ body: (any HTTPSession) async throws -> Void,
        again: ((any HTTPSession) async throws -> Void)? = nil
    ) async throws -> HTTPArchive {
        let recorder = MockNetwork()
        recorder.stub(.any, .passthrough(to: server))
        try await body(recorder)
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "secrets.har")
        try HTTPArchive(recorder.requests).write(to: file)
        let text = try String(contentsOf: file, encoding: .utf8)
        let archive = try HTTPArchive(contentsOf: file)
        for secret in secrets { #expect(!text.contains(secret)) }

        for transport in [Transport.direct, .urlProtocol] {
            let network = MockNetwork.replaying(archive)
            let session = try transport.open(network).session
            if let again { try await again(session) } else { try await body(session) }
            try network.verify()
        }
        return archive
    }

    private struct Tokens: Codable {
        let accessToken: String
        let refreshToken: String
    }

    /// A server that accepts only the token that it gives, and each refresh token once.
    private static func tokenServer() -> MockNetwork {
        let server = MockNetwork()
        for (old, new) in [(1, 2), (2, 3)] {
            let tokens = Tokens(
                accessToken: "access-token-\(new)", refreshToken: "refresh-token-\(new)")
            server.stub(
                .post("/token").form(["refresh_token": "refresh-token-\(old)"]),
                .json(encoding: tokens), times: .any)
        }
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
        let store = Locked(Tokens(accessToken: "access-token-1", refreshToken: "refresh-token-1"))
        let base = URL(string: "https://api.example.com")!
        let client = session.authenticated(for: base) { rejection in
            let known = store.withLock { $0 }
            if known.accessToken != rejection.credential { return known.accessToken }
            let request = try URLRequest("POST", base, path: "/token")
                .formBody(["refresh_token": known.refreshToken])
            let new = try await session.load(request, as: Tokens.self)
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
            for page in pages { group.addTask { try await client.exchange(.test(page)).0.text } }
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
                let text = try await Self.get(page, bearer: "access-token-1", over: session)
                #expect(text == #"{"error": "expired"}"#)
            }
            try await Self.load(["a", "b"], over: session)
        } again: { session in
            try await Self.load(["a", "b"], over: session)
        }
    }

    /// The opposite: any other response must be used, and so must a 401 whose request never comes.
    @Test func anotherResponseIsMissed() async throws {
        let network = try MockNetwork.replaying(
            Self.bearer("REDACTED-1", status: 403), Self.bearer("REDACTED-2"),
            Self.bearer("REDACTED-1", "/b", status: 401))
        _ = try await Self.get("a", bearer: "REDACTED-2", over: network)

        let error = #expect(throws: VerificationError.self) { try network.verify() }
        #expect(error?.description.components(separatedBy: "Not used: ").count == 3, "\(error!)")
    }

    /// Each archive counts the uses of its own exchanges, also if the newer archive is larger.
    @Test func severalArchivesAreVerified() async throws {
        let network = MockNetwork()
        network.stub(try .of(entry("GET", "/a"), entry("GET", "/b")))
        network.stub(try .of(entry("GET", "/c"), entry("GET", "/d"), entry("GET", "/e")))
        for path in ["b", "c", "d"] { _ = try await network.exchange(.test(path)) }

        let error = try #require(throws: VerificationError.self) { try network.verify() }
        let paths = error.description.matches(of: /Not used: GET \S*(\/\w)/).map { $0.1 }
        #expect(paths == ["/a", "/e"], "\(error)")

        for path in ["a", "e"] { _ = try await network.exchange(.test(path)) }
        try network.verify()
    }

    private static func bearer(
        _ token: String, _ path: String = "/a", status: Int = 200, text: String = "{}"
    ) -> String {
        entry("GET", path, status: status, text: text).replacing(
            #""headers": []"#,
            with: #""headers": [{"name": "Authorization", "value": "\#(token)"}]"#,
            maxReplacements: 1)
    }

    @Test(arguments: [false, true])
    func aSignInByCookieIsReplayed(_ signsInAgain: Bool) async throws {
        let server = MockNetwork()
        server.stub(
            .post("/login"),
            .status(204).header("Set-Cookie", "session=first-session-1; Path=/; HttpOnly"),
            .status(204).header("Set-Cookie", "session=second-session-2; Path=/"), times: .any)
        server.stub(.get("/me"), .status(401), times: .any)
        for (name, session) in [("first", "first-session-1"), ("second", "second-session-2")] {
            server.stub(
                .get("/me").where("the \(name) session") {
                    $0.header("Cookie")?.contains("session=\(session)") ?? false
                }, .text(name), times: .any)
        }
        try await recordAndReplay(server, hiding: ["first-session", "second-session", "hunter2"]) {
            session in
            #expect(try await session.exchange(.test("me")).1.statusCode == 401)
            let login = URLRequest.api("login", body: #"{"password":"hunter2"}"#)
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

    /// Signs each user in, one after the other, and then loads something with each token.
    private static func signIn(_ users: String..., over session: any HTTPSession) async throws {
        var tokens: [String] = []
        for user in users {
            let request = URLRequest.api(
                "login", body: #"{"user":"\#(user)","password":"pass-word-of-\#(user)"}"#)
            tokens.append(try await session.load(request, as: Token.self).token)
        }
        for (user, token) in zip(users, tokens) {
            #expect(try await get("me", bearer: token, over: session) == user)
        }
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
        let archive = try await recordAndReplay(
            server, hiding: ["pass-word", "token-of", "the-key"]
        ) { session in
            try await Self.signIn("emma", "zoe", over: session)
        } again: { session in
            try await Self.signIn("zoe", "emma", over: session)
        }

        // A request too many does not get the response of the other user.
        let network = MockNetwork.replaying(archive)
        try await Self.signIn("zoe", over: network)
        let me = try #require(network.requests.last?.request)
        let error = await #expect(throws: MockError.self) { try await network.exchange(me) }
        #expect(
            error?.description.contains(
                "came after the only response of the archive (secrets.har, entry 4).") == true)
    }

    @Test func aTokenThatIsNotRecordedGetsResponsesInOrder() async throws {
        let network = try MockNetwork.replaying(
            Self.bearer("REDACTED-1", text: "1"), Self.bearer("REDACTED-2", text: "2"))
        for text in ["1", "2"] {
            #expect(try await Self.get("a", bearer: "live", over: network) == text)
        }
        let error = await #expect(throws: MockError.self) {
            try await Self.get("a", bearer: "live", over: network)
        }
        #expect(
            error?.description == """
                GET https://api.example.com/a came after the last of the 2 responses of the archive \
                (users.har, entries 1, 2).
                If the client polls: network.stub(archive, then: .repeatLast)
                """)
    }

    @Test func theLastResponseIsThatOfTheToken() async throws {
        let network = try MockNetwork.replaying(
            Self.bearer("REDACTED-1", text: "1"), Self.bearer("REDACTED-2", text: "2"),
            Self.bearer("REDACTED-1", text: "3"), then: .repeatLast)
        for (token, text) in [(1, "1"), (1, "3"), (1, "3"), (2, "2"), (2, "2")] {
            let read = try await Self.get("a", bearer: "REDACTED-\(token)", over: network)
            #expect(read == text)
        }
    }

    private static func get(
        _ path: String, bearer token: String, over session: any HTTPSession
    ) async throws -> String {
        let headers = ["Authorization": "Bearer \(token)", "X-Api-Key": "the-key-of-the-app"]
        return try await session.exchange(.api(path, headers)).0.text
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
            let transfer = URLRequest.api(
                "transfers", body: #"{"from": \#(number), "to": "A-\#(number)"}"#)
            #expect(try await session.exchange(transfer).0.text == "done")
        }
        for again in ["12345678", "87654321"] {
            try await recordAndReplay(server, hiding: ["12345678"]) { session in
                try await body(session, "12345678")
            } again: { session in
                try await body(session, again)
            }
        }
    }
}
