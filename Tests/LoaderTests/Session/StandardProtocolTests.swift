#if os(Linux)
@testable import APIKitLite
import APIKitLiteTesting
import TestSupport

/// Which class Foundation takes for a request depends on the classes of the configuration, and on
/// those that were registered before and after the first session.
@Suite(.limited, .usesSockets) struct StandardProtocolTests {
    @Test func isKnownInTheFirstSession() async {
        await #expect(processExitsWith: .success) {
            try await withFirstSession { try await expectKnownProtocols(shared: $0) }
        }
    }

    @Test func isKnownAfterARegistration() async {
        await #expect(processExitsWith: .success) {
            try await withFirstSession { session in
                #expect(URLProtocol.registerClass(OwnProtocol.self))
                try await expectKnownProtocols(shared: session)
            }
        }
    }

    @Test func isKnownAfterAnEarlyRegistration() async {
        await #expect(processExitsWith: .success) {
            alarm(1_200)
            _ = URLSessionConfiguration.withoutProxy
            #expect(URLProtocol.registerClass(OwnProtocol.self))
            try await expectKnownProtocols(shared: .shared)
        }
    }

    /// A configuration is the object that its session uses.
    @Test func aStreamUsesTheClassesOfTheMoment() async throws {
        let server = try ClosingServer()
        let session = URLSession(configuration: .withoutProxy)
        let standard = try #require(session.configuration.protocolClasses)
        let request = URLRequest(url: server.url.appending(path: "own"))
        for classes in [standard, [OwnProtocol.self] + standard, standard] {
            session.configuration.protocolClasses = classes
            let outcome = await session.outcome(of: request, asStream: true)
            #expect(outcome == .body(classes.count > standard.count ? "own" : "0"))
        }
    }

    /// Foundation stores no cookie of another protocol, and neither does the library.
    @Test func storesNoCookieOfAnotherProtocol() async throws {
        let configuration = URLSessionConfiguration.withoutProxy
        configuration.protocolClasses = [OwnProtocol.self]
        let session = URLSession(configuration: configuration)
        for asStream in [false, true] {
            let request = URLRequest(url: URL(string: "https://api.example.com/own")!)
            #expect(await session.outcome(of: request, asStream: asStream) == .body("own"))
        }
        #expect(configuration.httpCookieStorage?.cookies == [])
    }

    /// Foundation stores no cookie of HTTP/2, so the library stores the cookies of a stream, once.
    @Test func aCookieThatIsDeletedDuringAStreamStaysDeleted() async throws {
        let configuration = URLSessionConfiguration.withoutProxy
        configuration.protocolClasses = [HeldProtocol.self]
        let storage = try #require(configuration.httpCookieStorage)
        let session = URLSession(configuration: configuration)
        let request = URLRequest(url: URL(string: "https://api.example.com/own")!)
        let stream = URLSessionStream(request, .head(), over: session, isOverConnection: true)

        let outcome = try await stream.outcome(sending: request, over: session)
        guard case .response(let body, _) = outcome else { throw TestError() }
        #expect(storage.cookies?.count == 1)
        for cookie in storage.cookies ?? [] { storage.deleteCookie(cookie) }
        HeldProtocol.finish()
        #expect(try await body.collect().text == "own")
        #expect(storage.cookies == [])
    }
}

/// Responds as `OwnProtocol` does, and then waits for `finish()`.
private final class HeldProtocol: OwnProtocol {
    private static let held = Locked<HeldProtocol?>(nil)

    override func startLoading() {
        Self.held.withLock { $0 = self }
        super.startLoading()
    }

    override func finish() {}

    static func finish() {
        nonisolated(unsafe) let held = held.take()
        held?.task?.transferQueue?.async { held?.client?.urlProtocolDidFinishLoading(held!) }
    }
}

private func expectKnownProtocols(shared: URLSession) async throws {
    let server = try ClosingServer()
    let standard = try #require(URLSessionConfiguration.ephemeral.protocolClasses)
    let lists: [[AnyClass]] = [
        [], [OwnProtocol.self], standard, [OwnProtocol.self] + standard,
        standard + [OwnProtocol.self],
    ]
    let sessions =
        [shared]
        + lists.map { classes in
            let configuration = URLSessionConfiguration.ephemeral
            configuration.protocolClasses = classes
            return URLSession(configuration: configuration)
        }
    for (number, session) in sessions.enumerated() {
        for path in ["own", "other"] {
            let request = URLRequest(url: server.url.appending(path: path))
            let isStandard = session.usesStandardProtocol(for: request)
            for asStream in [false, true] {
                let outcome = await session.outcome(of: request, asStream: asStream)
                #expect(outcome == .body(isStandard ? "0" : "own"), "\(number), \(path)")
            }
        }
    }
}

/// Responds to some requests, and leaves others to Foundation.
private class OwnProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.path == "/own" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
        let response = HTTPURLResponse(
            url: request.url!, statusCode: 200, httpVersion: "HTTP/1.1",
            headerFields: ["Set-Cookie": "id=1; Path=/"])!
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("own".utf8))
        finish()
    }

    func finish() { client?.urlProtocolDidFinishLoading(self) }
}
#endif
