import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@Suite(.limited, .usesSockets) struct RedirectingTests {
    private let network = MockNetwork()

    enum Way: CaseIterable, Sendable { case exchange, stream }

    /// Returns the status, the location and the body.
    private func load(
        _ way: Way, _ session: any HTTPSession, _ request: URLRequest
    ) async throws -> (Int, String?, String) {
        let (body, response) = try await session.send(
            request, awaiting: way == .stream ? .head() : .body)
        let location = response.value(forHTTPHeaderField: "Location")
        return (response.statusCode, location, try await body.collect().text)
    }

    @Test(arguments: Transport.allCases, Way.allCases)
    func aRefusedRedirectIsTheResponse(_ transport: Transport, _ way: Way) async throws {
        network.stub(.any, .redirect(to: "/new"))
        let (session, baseURL) = try transport.open(network)

        let (status, location, _) = try await load(
            way, session.redirecting(.refuse), URLRequest(url: baseURL))

        #expect(status == 302)
        #expect(location == "/new")
        #expect(network.requests.count == 1)
    }

    @Test(arguments: Transport.allCases, Way.allCases)
    func staysWithinTheOrigin(_ transport: Transport, _ way: Way) async throws {
        network.stub(.get("/a"), .redirect(to: "/b"))
        network.stub(.get("/b"), .redirect(to: "https://other.example:81/c"))
        let (session, baseURL) = try transport.open(network)
        let request = URLRequest(url: baseURL.appending(path: "a"))
        let port = baseURL.port.map { ":\($0)" } ?? ""

        let error = await #expect(throws: TransportError.self) {
            try await load(way, session.redirecting(.sameOrigin), request)
        }

        #expect(
            error
                == .refusedRedirect(
                    from: "\(baseURL.scheme!)://\(baseURL.host()!)\(port)",
                    to: "https://other.example:81"))
        #expect(network.requests.map(\.path) == ["/a", "/b"])
    }

    @Test(arguments: Transport.allCases, [RedirectPolicy.sameOrigin, .refuse])
    func noFileIsTakenFromElsewhere(_ transport: Transport, _ policy: RedirectPolicy) async throws {
        network.stub(.get("/a"), .redirect(to: "https://other.example/b"))
        network.stub(.get("/b"), .text("b"), times: .never)
        let (session, baseURL) = try transport.open(network)
        let folder = try TemporaryFolder()
        try folder.write("old")

        let error = await #expect(throws: (any Error).self) {
            try await session.redirecting(policy).download(
                URLRequest(url: baseURL.appending(path: "a")), to: folder.file)
        }

        #expect((error as? APIRequestError)?.statusCode == (policy == .refuse ? 302 : nil))
        #expect((error is TransportError) == (policy == .sameOrigin))
        #expect(folder.content?.text == "old")
        #expect(network.requests.count == 1)
    }

    /// The chain of an app has a policy, and one request another one.
    @Test(arguments: Transport.allCases)
    func theOutermostPolicyDecides(_ transport: Transport) async throws {
        network.stub(.get("/a"), .redirect(to: "/b"))
        network.stub(.get("/b"), .text("b"))
        let (session, baseURL) = try transport.open(network)
        let request = URLRequest(url: baseURL.appending(path: "a"))
        let refusing = session.redirecting(.refuse).retrying().coalescing()

        #expect(try await load(.exchange, refusing.redirecting(.follow), request).0 == 200)
        #expect(try await load(.exchange, refusing, request).0 == 302)
        #expect(
            try await load(.exchange, refusing.redirecting(.sameOrigin), request).2 == "b")
    }

    @Test func requestsWithDifferentPoliciesDoNotShareAnAnswer() async throws {
        let stub = network.stub(.get("/a"), .redirect(to: "/b").held)
        network.stub(.get("/b"), .text("b"))
        let session = MockURLSession(network).coalescing()

        let refused = Task {
            try await session.redirecting(.refuse).exchange(.test("a")).1.statusCode
        }
        let followed = Task { try await session.exchange(.test("a")).1.statusCode }
        await stub.waitForRequests(2)
        stub.release()

        #expect(try await refused.value == 302)
        #expect(try await followed.value == 200)
    }
}
