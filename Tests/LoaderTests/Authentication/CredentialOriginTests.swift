import APIKitLite
import APIKitLiteTesting
import TestSupport

/// Where a credential may go.
@Suite(.limited, .usesSockets) struct CredentialOriginTests {
    private let network = MockNetwork()

    /// The places where APIs want their keys.
    enum Place: CaseIterable, Sendable { case authorization, header, query, cookie }

    private func key(_ place: Place) -> @Sendable (String, URLRequest) throws -> URLRequest {
        { key, request in
            switch place {
            case .authorization: return try request.authorization(bearer: key)
            case .header: return try request.header("X-API-Key", key)
            case .cookie: return try request.header("Cookie", "session=\(key)")
            case .query:
                var request = request
                request.url?.append(queryItems: [URLQueryItem(name: "key", value: key)])
                return request
            }
        }
    }

    private let baseURL = URL.api.appending(path: "v1")

    private func mentionsSecret(_ request: RecordedRequest) -> Bool {
        "\(request.request.url!) \(request.request.allHTTPHeaderFields ?? [:])".contains("hunter2")
    }

    @Test(arguments: Place.allCases, [false, true])
    func isNotSentToAnotherOrigin(_ place: Place, isRedirected: Bool) async throws {
        for other in [
            "https://evil.example/a", "http://api.example.com/a", "https://api.example.com:444/a",
        ] {
            for usesURLSession in [false, true] {
                let network = MockNetwork()
                network.stub(.get("/a"), .text("there"))
                network.stub(.get("/v1"), .redirect(to: other), times: .any)
                let inside: any HTTPSession = usesURLSession ? network.urlSession : network
                let session = inside.authenticated(
                    by: Credentials("hunter2", for: baseURL, apply: key(place)))

                let start = isRedirected ? baseURL : URL(string: other)!
                #expect(await session.outcome(of: URLRequest(url: start)) == .body("there"))
                let mentions = network.requests.map(mentionsSecret)
                #expect(mentions == (isRedirected ? [true, false] : [false]))
            }
        }
    }

    // It never saw the credential, so it cannot have rejected it.
    @Test(arguments: [
        "https://cdn.example.com/a", "https://files.example.com/a", "https://api.example.com/a",
    ])
    func isNotRefreshedForAStrangersRejection(_ location: String) async throws {
        let isStranger = !location.contains("api")
        network.stub(.get("/a"), .status(401))
        network.stub(.get("/data"), .redirect(to: location))
        let token = network.stub(.post("/token"), .json(encoding: Token(access: "new")))
        let tokens = Credentials(
            Token.old, for: baseURL, URL(string: "https://files.example.com")!,
            apply: { try $1.authorization(bearer: $0.access) },
            refresh: { try await refreshedToken($0) })
        let session = network.authenticated(by: tokens)

        let direct = URLRequest(url: URL(string: "https://cdn.example.com/a")!)
        #expect(try await session.exchange(.test("data")).1.statusCode == 401)
        #expect(try await session.exchange(direct).1.statusCode == 401)
        #expect(token.callCount == (isStranger ? 0 : 1))
    }

    private typealias Chain = @Sendable (any HTTPSession) -> any HTTPSession

    private static let chain: Chain = {
        $0.authenticated(by: .bearer("hunter2", for: .api)).retrying(clock: MockClock())
    }

    private static let leading: Chain = {
        $0.intercepting { _, next in try await next(URLRequest(url: .api)) }
    }

    private static let www = "https://www.example.com"

    /// With a second credential, for other origins.
    private static func chain(_ origins: String...) -> Chain {
        let urls = origins.map { URL(string: $0)! }
        let outer = Credentials("hunter3", for: urls[0], urls[urls.count - 1]) {
            try $1.authorization(bearer: $0)
        }
        return { chain($0).authenticated(by: outer) }
    }

    /// The chain, the URL and the authorization of a request that is rejected, and the origin to
    /// which no credential was sent.
    private static let hints: [(Chain, url: String, status: Int, own: String?, unsent: String?)] = [
        (chain, "http://api.example.com/a", 401, nil, "http://api.example.com"),
        (chain, "https://api.example.com:444/a", 401, nil, "https://api.example.com:444"),
        (chain, "\(www)/a", 401, nil, www),
        (chain, "http://api.example.com/a", 403, nil, nil),
        (chain, "https://api.example.com/a", 401, nil, nil),
        (chain, "\(www)/a", 401, "own", nil),
        // A session further inside leads the request to the origin of the credential.
        ({ leading(chain($0)) }, "https://placeholder.example/a", 401, nil, nil),
        ({ chain(leading($0)) }, "https://placeholder.example/a", 401, nil, nil),
        // It has a credential of its own, and the inner one is missing.
        (chain(www), "\(www)/a", 401, nil, www),
        (chain(www, "https://api.example.com"), "\(www)/a", 401, nil, www),
    ]

    @Test(arguments: hints.indices)
    func aRejectionNamesTheCredentialThatWasNotSent(_ index: Int) async throws {
        let (chain, url, status, own, unsent) = Self.hints[index]
        network.stub(.any, .status(status), times: .any)
        var request = URLRequest(url: URL(string: url)!)
        request.setValue(own, forHTTPHeaderField: "Authorization")

        let error = await #expect(throws: APIRequestError.self) {
            try await chain(network).load(request, as: Data.self)
        }
        let lines = try #require(error?.description).components(separatedBy: "\n")
        let sentence = "The credential for https://api.example.com was not sent, because the "
        #expect(error?.statusCode == status)
        #expect(
            lines.filter { $0.contains("was not sent") }
                == (unsent.map { ["\(sentence)request goes to \($0)."] } ?? []))
    }

    @Test(arguments: Place.allCases)
    func withoutAURLItBelongsToTheOriginOfEachRequest(_ place: Place) async throws {
        for usesURLSession in [false, true] {
            let network = MockNetwork()
            network.stub(.any, .text("there"))
            network.stub(.get("/moved"), .redirect(to: "https://evil.example/a"), times: .any)
            network.stub(.get("/near"), .redirect(to: "/a"), times: .any)
            let inside: any HTTPSession = usesURLSession ? network.urlSession : network
            let session = inside.authenticated(by: Credentials("hunter2", apply: key(place)))

            for path in ["api.example.com/a", "www.example.com/moved", "www.example.com:81/near"] {
                _ = try await session.exchange(URLRequest(url: URL(string: "https://\(path)")!))
            }

            // A redirect within the origin keeps it, unless it is in the URL.
            let mentions = network.requests.map(mentionsSecret)
            #expect(mentions == [true, true, false, true, place != .query])
        }
    }

    @Test func withoutAURLAStrangersRejectionRefreshesNothing() async throws {
        network.stub(.get("/a"), .status(401), times: .any)
        network.stub(.get("/moved"), .redirect(to: "https://evil.example/a"))
        let count = Locked(0)
        let tokens = Credentials("old") {
            try $1.authorization(bearer: $0)
        } refresh: { _ in
            "new\(count.next())"
        }
        let session = network.authenticated(by: tokens)

        #expect(try await session.exchange(.test("moved")).1.statusCode == 401)
        #expect(count.withLock { $0 } == 0)
        #expect(try await session.exchange(.test("a")).1.statusCode == 401)
        #expect(count.withLock { $0 } == 1)
    }
}
