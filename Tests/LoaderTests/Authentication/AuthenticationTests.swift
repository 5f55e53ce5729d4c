import APIKitLite
import APIKitLiteTesting
import TestSupport

@Suite(.limited, .usesSockets) struct AuthenticationTests {
    private let server = TokenServer()

    @Test func sendsTheCredentialAlong() async throws {
        let bearer = server.session.authenticated(by: .bearer("good", for: .api))
        let basic = server.session.authenticated(
            by: .basic(user: "Aladdin", password: "open sesame", for: .api))

        #expect(try await bearer.exchange(.test("data")).1.statusCode == 200)
        // Without a refresh, the caller gets the 401.
        #expect(try await basic.exchange(.test("data")).1.statusCode == 401)
        #expect(server.given == ["Bearer good", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="])
    }

    /// As `apply` may sign each request differently, `isSame(as:)` cannot tell.
    @Test func withoutARefreshARejectedRequestIsNotSentAgain() async throws {
        let count = Locked(0)
        let key = Credentials("k", for: .api) { key, request in
            try request.authorization(bearer: "\(key)\(count.next())")
        }

        let session = server.session.authenticated(by: key)
        #expect(try await session.exchange(.test("data")).1.statusCode == 401)
        #expect(server.given == ["Bearer k1"])
    }

    @Test(arguments: [false, true])
    func refreshesARejectedOrStaleCredential(_ isStale: Bool) async throws {
        // At the very second of its expiry it is stale; the clock stands at 1,000,000,000.
        let tokens = server.tokens(
            Token(access: "old", refresh: "r0", expires: 1_000_000_000 + (isStale ? 0 : 1)))
        let session = server.session.authenticated(by: tokens)

        let (data, response) = try await session.exchange(.test("data"))
        #expect(response.statusCode == 200)
        #expect(data.text == "Bearer new1")
        #expect(tokens.credential == Token(access: "new1", refresh: "r1"))
        #expect(server.given == (isStale ? [] : ["Bearer old"]) + ["Bearer new1"])
        let refresh = try #require(server.network.requests.first { $0.path == "/token" })
        #expect(refresh.body.text == "grant_type=refresh_token&refresh_token=r0")
        #expect(refresh.header("Authorization") == nil)
    }

    @Test(arguments: [true, false])
    func sendsTheBodyAgain(_ isFile: Bool) async throws {
        let (server, _, session) = user(.old)
        let folder = try TemporaryFolder()
        var request = URLRequest.test("data", method: "POST", body: isFile ? nil : "the body")
        if isFile { request = try request.fileBody(folder.write("the body")) }

        #expect(try await session.exchange(request).1.statusCode == 200)
        let sent = server.network.requests.filter { $0.path == "/data" }
        #expect(sent.map(\.body.text) == ["the body", "the body"])
    }

    // The server gives out tokens that it does not accept.
    @Test(arguments: [Token.old, .expired], [SendOptions.body, .head()])
    func givesASecondRejectionAsItIs(_ token: Token, _ options: SendOptions) async throws {
        let (server, _, session) = user(
            token, on: TokenServer(onRefresh: { .json(encoding: Token(access: "useless\($0)")) }))

        let (body, response) = try await session.send(.test("data"), awaiting: options)
        #expect(response.statusCode == 401)
        // The refresh of a stale token does not count.
        let (first, last) = token == .old ? ("old", "useless1") : ("useless1", "useless2")
        #expect(try await body.text == "Bearer \(last)")
        #expect(server.given == ["Bearer \(first)", "Bearer \(last)"])
        #expect(server.refreshCount == (token == .old ? 1 : 2))
    }

    @Test func tellsTheClosureWhatToReplace() async throws {
        let (server, asked) = (TokenServer(accepting: "3"), Locked<[String]>([]))
        let tokens = server.tokens(nil) { rejection in
            let status = rejection.response.map { "\($0.statusCode)" } ?? "-"
            let sent = rejection.request?.value(forHTTPHeaderField: "Authorization") ?? "-"
            asked.withLock { $0.append("\(rejection.credential?.access ?? "-") \(status) \(sent)") }
            let count = asked.withLock { $0.count }
            return Token(access: "\(count)", expires: count == 1 ? 0 : 4_000_000_000)
        }
        let session = server.session.authenticated(by: tokens)

        #expect(try await session.exchange(.test("data")).0.text == "Bearer 3")

        // The first one is stale, the second one is rejected.
        #expect(asked.withLock { $0 } == ["- - -", "1 - -", "2 401 Bearer 2"])
        #expect(server.given == ["Bearer 2", "Bearer 3"])
    }

    /// A credential of an app that itself tests each response.
    private func credentials(
        isRejected: @escaping @Sendable (Data, HTTPURLResponse) throws -> Bool,
        refresh: @escaping Credentials<String>.Refresh = { _ in "new" }
    ) -> Credentials<String> {
        Credentials(
            "old", for: .api, apply: { try $1.authorization(bearer: $0) }, isRejected: isRejected,
            refresh: refresh)
    }

    /// How an app reads a response.
    enum Verb: CaseIterable { case load, stream, download }

    /// As S3 does. A body that comes slowly is asked about, too.
    @Test(arguments: Verb.allCases, [#"{"code": "token_expired"}"#, "token_expired at the end"])
    func decidesByTheBodyOfARefusedResponse(_ verb: Verb, _ code: String) async throws {
        let network = MockNetwork()
        network.stub(.any, .text(code, status: 403).chunked(by: 3), times: .any)
        network.stub(.any.header("Authorization", "Bearer new"), .text("there"), times: .any)
        let tokens = credentials {
            $1.statusCode == 403 && $0.text.contains("token_expired")
        } refresh: {
            #expect($0.data.text == code)
            return "new"
        }
        let session = network.authenticated(by: tokens)

        switch verb {
        case .load: #expect(try await session.exchange(.test("data")).0.text == "there")
        case .stream: #expect(try await session.stream(.test("data")).0.text == "there")
        case .download:
            let folder = try TemporaryFolder()
            try await session.download(.test("data"), to: folder.file)
            #expect(folder.content?.text == "there")
        }
    }

    /// Each piece of a refused body that is not about the credential reaches the reader.
    @Test(arguments: [200, 399, 400, 500])
    func aBodyThatIsAskedAboutStaysWhole(_ status: Int) async throws {
        // A prime number of bytes, so that no two pieces are the same.
        var bytes = Data(0..<251)
        while bytes.count < 1_500_000 { bytes += bytes }
        let network = MockNetwork()
        network.stub(.any, .data(bytes, status: status).chunked(by: 100_000))
        let asked = Locked<[Int]>([])
        let tokens = credentials { data, _ in
            asked.withLock { $0.append(data.count) }
            return false
        }

        let (body, response) = try await network.authenticated(by: tokens).stream(.test("data"))
        #expect(response.statusCode == status)
        #expect(try await body.collect() == bytes)
        #expect(asked.withLock { $0 } == [status < 400 ? 0 : 1_024 * 1_024])
    }

    @Test(arguments: [false, true])
    func failsWithTheErrorOfItsTestOfAResponse(_ isStream: Bool) async throws {
        let session = server.session.authenticated(
            by: credentials { _, _ in throw TestError(number: 7) })

        await #expect(throws: TestError(number: 7)) {
            _ = try await session.send(.test("a"), awaiting: isStream ? .head() : .body)
        }
        #expect(server.given == ["Bearer old"])
    }

    // Reading a stream ends it.
    @Test func refreshesForTheNextRequestWhereABodyCannotBeSentAgain() async throws {
        let (server, tokens, session) = user(.old)
        var request = URLRequest.test("data", method: "POST")
        request.httpBodyStream = InputStream(data: Data("once".utf8))

        #expect(try await session.exchange(request).1.statusCode == 401)
        await yieldWhile { tokens.credential?.access == "old" }
        #expect(try await session.exchange(.test("data")).1.statusCode == 200)
        #expect(server.given == ["Bearer old", "Bearer new1"])
    }

    @Test func failsWhereTheCredentialCannotBeApplied() async throws {
        let session = server.session.authenticated(by: .bearer("a\r\nb", for: .api))
        await #expect(throws: RequestBuildingError.self) { try await session.exchange(.test("a")) }
        #expect(server.network.requests.isEmpty)
    }

    @Test(arguments: ["api.example.com", "localhost:8080", "//localhost", "https:///v1"])
    func failsForAURLWithoutASchemeOrHost(_ text: String) async throws {
        let url = try #require(URL(string: text))
        let sessions: [any HTTPSession] = [
            server.session.authenticated(by: .bearer("good", for: url)),
            server.session.authenticated(for: .api, url) { _ in "good" },
        ]
        for session in sessions {
            let error = await #expect(throws: RequestBuildingError.self) {
                try await session.exchange(.test("data"))
            }
            #expect(
                error?.description
                    == """
                    The credential's URL "\(text)" has no host. Begin it with a scheme and a host, \
                    such as https://api.example.com.
                    """)
        }
        #expect(server.network.requests.isEmpty)
    }

    @Test func aStreamGetsItsRejectionAfterSigningOut() async throws {
        let (server, tokens, session) = user(.old, on: TokenServer(holdsRefresh: true))
        async let stream = session.stream(.test("data"))
        await server.token.waitForRequests()

        tokens.credential = nil
        server.token.release()
        #expect(try await stream.1.statusCode == 401)
        #expect(try await stream.0.text == "Bearer old")
        #expect(server.given == ["Bearer old"])
    }

    @Test func isNotRefreshedByALateRejection() async throws {
        let (server, _, session) = user(.old)
        let matcher = RequestMatcher.get("/data").header("Authorization", "Bearer old")
        let rejection = server.network.stub(matcher, .status(401).held, times: .once)
        async let late = session.outcome(of: .test("data"))
        await rejection.waitForRequests()

        #expect(await session.outcome(of: .test("data")) == .body("Bearer new1"))
        rejection.release()
        #expect(await late == .body("Bearer new1"))
        #expect(server.refreshCount == 1)
        #expect(server.given == ["Bearer old", "Bearer new1", "Bearer new1"])
    }

    @Test func isSignedOutOnce() async throws {
        let together = Barrier(5)
        let server = TokenServer(
            onData: { given in if given == "Bearer old" { await together.wait() } },
            onRefresh: { _ in .json(#"{"error": "invalid_grant"}"#, status: 400) })
        let (_, tokens, session) = user(.old, on: server)

        let statuses = try await concurrently(5) { _ in
            try await session.exchange(.test("data")).1.statusCode
        }
        #expect(Set(statuses) == [401])
        #expect(tokens.credential == nil)
        #expect(server.refreshCount == 1)
        #expect(await session.outcome(of: .test("data")) == .body("nobody"))
        #expect(server.refreshCount == 1)
    }
}

/// A chain with two credentials, in which a refresh may need the other credential.
@Suite(.limited) struct TwoCredentialsTests {
    @Test(arguments: Transport.allCases, [Token.old, .expired])
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
        let key = Credentials("k", for: baseURL) { try $1.header("X-API-Key", $0) }
        let session = wire.authenticated(by: key)
            .authenticated(by: TokenServer().tokens(token, for: baseURL))

        let request = try URLRequest("GET", baseURL, path: "/data")
        #expect(await session.outcome(of: request) == .body("there"))
        let refreshes = network.requests.filter { $0.path == "/token" }
        #expect(refreshes.map { $0.header("X-API-Key") } == ["k"])
        #expect(refreshes.map { $0.header("Authorization") } == [nil])
    }

    @Test(arguments: [Token.old, .expired], [Token.old, .expired])
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
        let gateway = Credentials(
            gateway, for: .api, apply: { try $1.header("X-Gateway", $0.access) },
            isStale: { $0.expires == 0 }, isRejected: { $1.statusCode == 407 },
            refresh: {
                _ = try await $0.session.exchange(.test("gateway", method: "POST"))
                return Token(access: "new")
            })
        let session = network.authenticated(by: gateway)
            .authenticated(by: TokenServer().tokens(user))

        #expect(await session.outcome(of: .test("data")) == .body("there"))
        #expect(network.requests.count { $0.path == "/gateway" } == 1)
    }
}
