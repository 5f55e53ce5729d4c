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

    /// A request may leave out the cookies of the network. Foundation on Linux sends them even so.
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
    #endif
}

extension MockNetwork {
    fileprivate var sentCookies: [String?] {
        requests.filter { $0.path == "/a" }.map { $0.header("Cookie") }
    }
}
