import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// A whole response may be as large as the limit, and no byte larger, over every session.
@Suite(.limited, .usesSockets) struct BodyLimitTests {
    enum Kind: CaseIterable { case mocked, mockSession, served, closure, pieces }

    enum Setting: CaseIterable { case options, session, sessionInside, load }

    @Test(arguments: Kind.allCases, Setting.allCases)
    func failsAResponseThatIsLarger(_ kind: Kind, _ setting: Setting) async throws {
        let (session, request, server) = try session(kind, body: String(repeating: "1", count: 10))

        #expect(try await size(of: request, over: session, setting, limit: 10) == 10)
        let error = await #expect(throws: (any Error).self) {
            try await size(of: request, over: session, setting, limit: 9)
        }
        let reason = (error as? APIRequestError)?.underlying ?? error
        #expect(reason as? TransportError == .bodyTooLarge(limit: 9))
        withExtendedLifetime(server) {}
    }

    @Test func theOutermostLimitDecides() async throws {
        let session = FixedSession(Data("0123456789".utf8))

        let (data, _) = try await session.limitingBodies(to: 1).limitingBodies(to: 10)
            .exchange(.test("a"))
        #expect(data.count == 10)
        await #expect(throws: TransportError.bodyTooLarge(limit: 9)) {
            try await session.limitingBodies(to: 10).limitingBodies(to: 9).exchange(.test("a"))
        }
    }

    @Test func requestsWithOtherLimitsShareNoExchange() async throws {
        let network = MockNetwork()
        network.stub(.any, .text("0123456789"), times: .any)
        let session = network.coalescing()

        async let small: Void = {
            await #expect(throws: TransportError.bodyTooLarge(limit: 9)) {
                try await session.limitingBodies(to: 9).exchange(.test("a"))
            }
        }()
        async let large = session.limitingBodies(to: 10).exchange(.test("a")).0.count

        #expect(try await large == 10)
        _ = await small
    }

    @Test(arguments: Kind.allCases)
    func aStreamHasNoSuchLimit(_ kind: Kind) async throws {
        let (session, request, server) = try session(kind, body: "0123456789")
        let (body, _) = try await session.limitingBodies(to: 9).stream(request)
        #expect(try await body.collect().count == 10)
        withExtendedLifetime(server) {}
    }

    @Test func collectStopsAtItsLimit() async throws {
        let body = HTTPBody(unfolding: { Data(count: 10) })
        await #expect(throws: TransportError.bodyTooLarge(limit: 25)) {
            try await body.collect(limit: 25)
        }
    }

    #if os(Linux)
    @Test func endsATransferThatIsLarger() async throws {
        let server = try LargeServer()

        await #expect(throws: TransportError.bodyTooLarge(limit: 1 << 20)) {
            try await URLSession(configuration: .withoutProxy).limitingBodies(to: 1 << 20)
                .exchange(URLRequest(url: server.url))
        }
        await server.hasEnded.wait()
    }
    #endif

    private func session(_ kind: Kind, body: String) throws -> (
        any HTTPSession, URLRequest, Any?
    ) {
        let network = MockNetwork()
        network.stub(.any, .text(body), times: .any)
        let request = URLRequest.test("a")
        switch kind {
        case .mocked: return (network.urlSession, request, network)
        case .mockSession: return (network, request, network)
        case .served:
            let server = try network.serve()
            return (URLSession(configuration: .withoutProxy), URLRequest(url: server.url), server)
        case .closure:
            return (ClosureSession { request in (Data(body.utf8), okay(request)) }, request, nil)
        case .pieces:
            return (PiecesSession(body: body), request, nil)
        }
    }

    /// The number of bytes in the body of the response.
    private func size(
        of request: URLRequest, over session: any HTTPSession, _ setting: Setting, limit: Int
    ) async throws -> Int {
        func exchange(_ session: some HTTPSession) async throws -> Int {
            try await session.exchange(request).0.count
        }
        switch setting {
        case .options:
            return try await session.send(request, awaiting: .body(limit: limit)).0
                .collect(limit: limit).count
        case .session: return try await exchange(session.limitingBodies(to: limit))
        case .sessionInside:
            return try await exchange(session.limitingBodies(to: limit).retrying())
        case .load:
            let number = try await session.limitingBodies(to: limit).load(request, as: Int.self)
            return "\(number)".count
        }
    }
}

/// Returns whole responses in pieces.
private struct PiecesSession: HTTPSession {
    let body: String

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        let pieces = Locked(body.map { Data("\($0)".utf8) })
        let body = HTTPBody(unfolding: {
            pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        })
        return (body, okay(request))
    }
}

private func okay(_ request: URLRequest) -> HTTPURLResponse {
    HTTPURLResponse(url: request.url!, statusCode: 200, httpVersion: nil, headerFields: nil)!
}
