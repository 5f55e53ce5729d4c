import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// Where a credential may go.
@Suite(.limited, .usesSockets) struct CredentialOriginTests {
    /// The places where APIs want their keys.
    enum Place: CaseIterable, Sendable {
        case authorization
        case header
        case query
        case cookie
    }

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

    private let baseURL = URL(string: "https://api.example.com/v1")!

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
                let (data, _) = try await session.exchange(URLRequest(url: start))

                #expect(data.text == "there")
                #expect(
                    network.requests.map(mentionsSecret)
                        == (isRedirected ? [true, false] : [false])
                )
            }
        }
    }

    @Test(arguments: Place.allCases)
    func isSentToEachOfItsOrigins(_ place: Place) async throws {
        let network = MockNetwork()
        network.stub(.any, .text("there"))
        let cdn = URL(string: "https://cdn.example.com")!
        let session = network.authenticated(
            by: Credentials("hunter2", for: baseURL, cdn, apply: key(place)))

        _ = try await session.exchange(URLRequest(url: baseURL))
        _ = try await session.exchange(URLRequest(url: cdn.appending(path: "image")))
        #expect(network.requests.map(mentionsSecret) == [true, true])
    }

    // It never saw the credential, so it cannot have rejected it.
    @Test(arguments: [
        "https://cdn.example.com/a", "https://files.example.com/a", "https://api.example.com/a",
    ])
    func isNotRefreshedForAStrangersRejection(_ location: String) async throws {
        let isStranger = !location.contains("api")
        let network = MockNetwork()
        network.stub(.get("/a"), .status(401), times: .any)
        network.stub(.get("/data"), .redirect(to: location), times: .any)
        let token = network.stub(
            .post("/token"), .json(encoding: Token(access: "new")), times: .any)
        let session = network.authenticated(
            by: Credentials(
                Token(access: "old"), for: baseURL, URL(string: "https://files.example.com")!
            ) { token, request in
                try request.authorization(bearer: token.access)
            } refresh: { rejection in
                try await refreshedToken(rejection)
            })

        let (_, response) = try await session.exchange(.test("data"))
        let (_, direct) = try await session.exchange(
            URLRequest(url: URL(string: "https://cdn.example.com/a")!))
        #expect(response.statusCode == 401)
        #expect(direct.statusCode == 401)
        #expect(token.callCount == (isStranger ? 0 : 1))
    }

    @Test(
        arguments: [
            (
                "http://api.example.com/a", 401,
                "The credential for https://api.example.com:443 was not sent, because the request goes to http://api.example.com:80."
            ),
            (
                "https://api.example.com:444/a", 401,
                "The credential for https://api.example.com:443 was not sent, because the request goes to https://api.example.com:444."
            ),
            (
                "https://www.example.com/a", 401,
                "The credential for https://api.example.com:443 was not sent, because the request goes to https://www.example.com:443."
            ),
            ("http://api.example.com/a", 403, nil), ("https://api.example.com/a", 401, nil),
        ] as [(String, Int, String?)])
    func aRejectionSaysThatAnotherOriginHasNoCredential(
        _ url: String, _ status: Int, _ hint: String?
    ) async throws {
        let network = MockNetwork()
        network.stub(.any, .status(status), times: .any)
        let session = network.authenticated(by: .bearer("hunter2", for: baseURL)).retrying()
        let loader = APIRequestLoader(
            apiRequest: TextRequest(baseURL: URL(string: url)!), urlSession: session)

        let error = await #expect(throws: APIRequestError.self) { try await loader.load("/a") }
        let text = try #require(error?.description)
        #expect(text.contains("was not sent") == (hint != nil))
        #expect(hint.map { text.contains($0) } != false)
    }

    @Test func aRejectionAtTheOriginOfTheCredentialHasNoHint() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(401), times: .any)
        let origin = baseURL
        let session =
            network
            .authenticated(by: .bearer("hunter2", for: baseURL))
            .intercepting { try await $1(URLRequest(url: origin.appending(path: $0.url!.path))) }

        let error = await #expect(throws: APIRequestError.self) {
            try await session.load(
                URLRequest(url: URL(string: "https://placeholder.example/a")!), as: Data.self)
        }
        #expect(error?.statusCode == 401)
        #expect(error?.description.contains("was not sent") == false)
    }

    @Test(arguments: [nil, "https://api.example.com"])
    func aRejectionNamesTheInnerCredentialThatWasNotSent(_ other: String?) async throws {
        let network = MockNetwork()
        network.stub(.any, .status(401), times: .any)
        let www = URL(string: "https://www.example.com")!
        let outer = Credentials("hunter3", for: www, URL(string: other ?? "") ?? www) {
            try $1.authorization(bearer: $0)
        }
        let session =
            network
            .authenticated(by: .bearer("hunter2", for: baseURL)).authenticated(by: outer)

        let error = await #expect(throws: APIRequestError.self) {
            try await session.load(URLRequest(url: www.appending(path: "a")), as: Data.self)
        }
        let text = try #require(error?.description)
        #expect(text.contains("The credential for https://api.example.com:443 was not sent"))
        #expect(!text.contains("The credential for https://www.example.com"))
    }

    @Test func aRejectionOfAnAuthorizationOfItsOwnHasNoHint() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(401), times: .any)
        let session = network.authenticated(by: .bearer("hunter2", for: baseURL))

        let error = await #expect(throws: APIRequestError.self) {
            try await session.load(
                URLRequest(url: URL(string: "https://www.example.com/a")!)
                    .authorization(bearer: "own"), as: Data.self)
        }

        #expect(error?.description.contains("was not sent") == false)
    }

    // MARK: Without a URL

    @Test(arguments: Place.allCases)
    func withoutAURLItBelongsToTheOriginOfEachRequest(_ place: Place) async throws {
        for usesURLSession in [false, true] {
            let network = MockNetwork()
            network.stub(.any, .text("there"))
            network.stub(.get("/moved"), .redirect(to: "https://evil.example/a"), times: .any)
            network.stub(.get("/near"), .redirect(to: "/a"), times: .any)
            let inside: any HTTPSession = usesURLSession ? network.urlSession : network
            let session = inside.authenticated(by: Credentials("hunter2", apply: key(place)))

            for path in ["api.example.com/a", "www.example.com/moved", "www.example.com:8443/near"]
            {
                _ = try await session.exchange(URLRequest(url: URL(string: "https://\(path)")!))
            }

            // A redirect within the origin keeps it, unless it is in the URL.
            #expect(
                network.requests.map(mentionsSecret)
                    == [true, true, false, true, place != .query])
        }
    }

    @Test func withoutAURLAStrangersRejectionRefreshesNothing() async throws {
        let network = MockNetwork()
        network.stub(.get("/a"), .status(401), times: .any)
        network.stub(.get("/moved"), .redirect(to: "https://evil.example/a"))
        let count = Locked(0)
        let tokens = Credentials("old") { token, request in
            try request.authorization(bearer: token)
        } refresh: { _ in
            count.withLock { $0 += 1 }
            return "new"
        }
        let session = network.authenticated(by: tokens)

        #expect(try await session.exchange(.test("moved")).1.statusCode == 401)
        #expect(count.withLock { $0 } == 0)
        #expect(try await session.exchange(.test("a")).1.statusCode == 401)
        #expect(count.withLock { $0 } == 1)
    }
}
