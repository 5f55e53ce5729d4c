import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@Suite(.limited, .usesSockets) struct CookieTests {
    @Test(arguments: Transport.allCases)
    func keepsSeveralOfOneAnswer(_ transport: Transport) async throws {
        let network = MockNetwork()
        network.stub(
            .get("/login"),
            .status(204)
                .header("Set-Cookie", "a=1; Path=/; Expires=Wed, 01 Jan 2098 00:00:00 GMT")
                .header("Set-Cookie", "b=2; Path=/"))
        network.stub(.get("/a"), .text("x"))
        let (session, baseURL) = try transport.open(network)

        for path in ["login", "a"] {
            _ = try await session.exchange(URLRequest(url: baseURL.appending(path: path)))
        }

        let sent = network.requests.last?.request.value(forHTTPHeaderField: "Cookie") ?? ""
        #expect(Set(sent.split(separator: "; ")) == ["a=1", "b=2"])
    }

    /// A cookie is replaced or deleted before the body of the answer that set it has ended.
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
        let network = MockNetwork()
        network.stub(.get("/login"), .text("x").header("Set-Cookie", "a=1; Path=/; Max-Age=60"))
        network.stub(
            .get("/logout"), .text("x").header("Set-Cookie", "a=1; Path=/; Max-Age=\(age)"))
        network.stub(.get("/a"), .text("x"))
        let (session, baseURL) = try transport.open(network)

        for path in ["login", "a", "logout", "a"] {
            _ = try await session.exchange(URLRequest(url: baseURL.appending(path: path)))
        }

        let sent = network.requests.filter { $0.path == "/a" }.map { $0.header("Cookie") }
        #expect(sent == ["a=1", nil])
    }

    /// As a `URLSession` does over a network.
    @Test(arguments: Transport.allCases)
    func aStoredCookieReplacesTheRequestsOwn(_ transport: Transport) async throws {
        let network = MockNetwork()
        network.stub(.get("/login"), .text("x").header("Set-Cookie", "a=1; Path=/"))
        network.stub(.get("/a"), .text("x"))
        let (session, baseURL) = try transport.open(network)
        let request = try URLRequest(url: baseURL.appending(path: "a")).header("Cookie", "b=2")

        _ = try await session.exchange(request)
        _ = try await session.exchange(URLRequest(url: baseURL.appending(path: "login")))
        _ = try await session.exchange(request)

        let sent = network.requests.filter { $0.path == "/a" }.map { $0.header("Cookie") }
        #expect(sent == ["b=2", "a=1"])
    }

    #if canImport(FoundationNetworking)
    /// As over a real network, a session uses its own storage if it has one.
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
        _ = await loadWithoutExchange(.test("login"), session)

        let sent = network.requests.filter { $0.path == "/a" }.map { $0.header("Cookie") }
        #expect(sent == Array(repeating: hasStorage ? "a=1" : nil, count: 3))
        #expect(storage?.cookies?.count == (hasStorage ? 1 : 0))
    }

    private func loadWithoutExchange(_ request: URLRequest, _ session: URLSession) async -> Data? {
        await withCheckedContinuation { continuation in
            session.dataTask(with: request) { data, _, _ in continuation.resume(returning: data) }
                .resume()
        }
    }
    #endif
}
