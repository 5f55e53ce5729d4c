import TestSupport

@Suite(.limited, .usesSockets) struct CookieTests {
    @Test(arguments: Transport.allCases)
    func keepsSeveralOfOneResponse(_ transport: Transport) async throws {
        let client = try TestClient(transport)
        client.network.stub(
            .get("/login"),
            .status(204).header("Set-Cookie", "a=1; Path=/; Expires=Wed, 01 Jan 2098 00:00:00 GMT")
                .header("set-cookie", "b=2; Path=/"))
        client.network.stub(.get("/a"), .text("x"))

        for path in ["login", "a"] { _ = try await client.load(path) }

        let sent = client.network.requests.last?.header("Cookie") ?? ""
        #expect(Set(sent.split(separator: "; ")) == ["a=1", "b=2"])
    }

    @Test(arguments: Transport.allCases, CookieChange.allCases)
    func isStoredOnce(_ transport: Transport, _ change: CookieChange) async throws {
        for isStream in [true, false] {
            let network = MockNetwork()
            let (session, baseURL) = try transport.open(network)
            let configuration =
                transport == .loopback
                ? (session as? URLSession)?.configuration : network.configuration

            let values = try await change.storedValues(
                network, over: session, in: try #require(configuration?.httpCookieStorage),
                asStream: isStream, hasOld: false
            ) { baseURL.appending(path: $0) }

            #expect(values == change.expectedValues, "as a stream: \(isStream)")
        }
    }

    /// Foundation on Linux ignores `Max-Age` in what it stores itself, over the loopback.
    @Test(arguments: Transport.allCases, ["0", "-1", "-99999999999"])
    func deletesACookieByItsAge(_ transport: Transport, _ age: String) async throws {
        let client = try TestClient(transport)
        for (path, time) in [("/login", "60"), ("/logout", age)] {
            let cookie = "a=1; Path=/; Max-Age=\(time)"
            client.network.stub(.get(path), .text("x").header("Set-Cookie", cookie))
        }
        client.network.stub(.get("/a"), .text("x"))

        for path in ["login", "a", "logout", "a"] { _ = try await client.load(path) }

        #expect(client.network.sentCookies == ["a=1", nil])
    }

    @Test(arguments: Transport.allCases)
    func aStoredCookieReplacesTheRequestsOwn(_ transport: Transport) async throws {
        let client = try TestClient(transport)
        client.network.stub(.get("/login"), .text("x").header("Set-Cookie", "a=1; Path=/"))
        client.network.stub(.get("/a"), .text("x"))

        for request in [
            client.request(headers: ["Cookie": "b=2"]), client.request("login"),
            client.request(headers: ["Cookie": "b=2"]),
        ] { _ = try await client.session.exchange(request) }

        #expect(client.network.sentCookies == ["b=2", "a=1"])
    }

    /// A request may leave out the cookies of the network. Foundation on Linux sends them even so,
    /// over every other transport.
    @Test func isNotSentWithARequestThatHandlesNone() async throws {
        let client = try TestClient(.direct)
        client.network.stub(.get("/login"), .text("x").header("Set-Cookie", "a=1; Path=/"))
        client.network.stub(.get("/a"), .text("x"))
        _ = try await client.load("login")
        var request = client.request()

        for handlesCookies in [true, false] {
            request.httpShouldHandleCookies = handlesCookies
            _ = try await client.session.exchange(request)
        }

        #expect(client.network.sentCookies == ["a=1", nil])
    }

    #if canImport(FoundationNetworking)
    @Test(arguments: [true, false])
    func usesTheStorageOfTheSession(_ hasStorage: Bool) async throws {
        let network = MockNetwork()
        network.stub(.get("/login"), .redirect(to: "/a").header("Set-Cookie", "a=1; Path=/"))
        network.stub(.get("/a"), .text("x"))
        let configuration = network.configuration
        let storage = URLSessionConfiguration.ephemeral.httpCookieStorage
        configuration.httpCookieStorage = hasStorage ? storage : nil
        let session = URLSession(configuration: configuration)

        for path in ["login", "a"] { _ = try await session.exchange(.test(path)) }
        _ = try await session.data(for: .test("login"))

        #expect(network.sentCookies == Array(repeating: hasStorage ? "a=1" : nil, count: 3))
        #expect(storage?.cookies?.count == (hasStorage ? 1 : 0))
    }

    /// A setting of a session or a request, the names of the cookies that are sent with a request, with
    /// a redirected one and with the one that follows, and the names that are stored in the end.
    private static let settings: KeyValuePairs<String, (sent: [String], stored: String)> = [
        "none": (["ac", "ac", "abc"], "abc"), "session accepts none": (["c", "c", "c"], "c"),
        "session sends none": (["", "", ""], "abc"),
        // Foundation on Linux ignores this setting.
        "request handles none": (["ac", "ac", "abc"], "abc"),
    ]

    @Test(arguments: [Transport.urlProtocol, .loopback], settings.indices)
    func obeysTheSameSettings(_ transport: Transport, _ row: Int) async throws {
        let (setting, expected) = Self.settings[row]
        let network = MockNetwork()
        network.stub(.get("/login"), .text("x").header("Set-Cookie", "a=1; Path=/"))
        network.stub(.get("/old"), .redirect(to: "/a").header("Set-Cookie", "b=1; Path=/"))
        network.stub(.get("/a"), .text("x"))
        let (_, baseURL) = try transport.open(network)
        let configuration = transport == .loopback ? .withoutProxy : network.configuration
        if setting == "session accepts none" { configuration.httpCookieAcceptPolicy = .never }
        if setting == "session sends none" { configuration.httpShouldSetCookies = false }
        let storage = try #require(configuration.httpCookieStorage)
        let host = try #require(baseURL.host())
        let cookie = HTTPCookie(properties: [.name: "c", .value: "1", .domain: host, .path: "/"])
        storage.setCookie(try #require(cookie))
        let session = URLSession(configuration: configuration)

        for path in ["login", "a", "old"] {
            var request = URLRequest(url: baseURL.appending(path: path))
            request.httpShouldHandleCookies = setting != "request handles none"
            _ = try await session.exchange(request)
        }

        let sent = network.requests.dropFirst().map { request in
            (request.header("Cookie") ?? "").split(separator: "; ").map { $0.prefix(1) }.sorted()
                .joined()
        }
        #expect(sent == expected.sent, "\(setting)")
        let stored = storage.cookies?.map(\.name).sorted().joined()
        #expect(stored == expected.stored, "\(setting)")
    }
    #endif
}

extension MockNetwork {
    fileprivate var sentCookies: [String?] {
        requests.filter { $0.path == "/a" }.map { $0.header("Cookie") }
    }
}
