import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// A request that is passed on and comes back to its stub is refused.
@Suite(.limited, .usesSockets) struct PassageTests {
    /// The ways back to the network itself.
    enum Way: CaseIterable {
        case urlSession, direct, policies, chain

        func session(to network: MockNetwork) throws -> any HTTPSession {
            switch self {
            case .urlSession: return network.urlSession
            case .direct: return network
            case .policies:
                return network.urlSession.intercepting { request, next in
                    var request = request
                    request.setValue("1", forHTTPHeaderField: "X-Version")
                    return try await next(request)
                }
            case .chain:
                return network.timingOut(after: .seconds(60)).limited(to: 64)
                    .coalescing().retrying(.never)
            }
        }
    }

    @Test(arguments: Way.allCases, [false, true])
    func doesNotRecurse(_ way: Way, isMadeByHandler: Bool) async throws {
        let network = MockNetwork()
        if isMadeByHandler {
            network.stub(.any, times: .any) { [weak network] _ in
                .passthrough(to: try way.session(to: try #require(network)))
            }
        } else {
            network.stub(.any, .passthrough(to: try way.session(to: network)), times: .any)
        }

        await #expect(throws: (any Error).self) {
            try await network.urlSession.exchange(.test("a"))
        }

        #expect(network.requests.count == 17)
        let failure = try #require(throws: VerificationError.self) { try network.verify() }
        #expect("\(failure)".contains("would come back to this network, for ever"))
    }

    @Test func isNotPassedToItsOwnServer() async throws {
        let network = MockNetwork()
        network.stub(.any, .passthrough(to: URLSession(configuration: .withoutProxy)))
        let (session, baseURL) = try Transport.loopback.open(network)

        let (data, response) = try await session.exchange(URLRequest(url: baseURL))

        #expect(response.statusCode == 500)
        #expect(data.text.contains("would come back to this network"))
        #expect(network.requests.count == 1)
    }

    /// The sessions over which networks can pass a request to each other.
    enum Link: CaseIterable {
        case urlSession, direct, policies, closure

        func session(to network: MockNetwork) -> any HTTPSession {
            switch self {
            case .urlSession: network.urlSession
            case .direct: network
            case .policies:
                // The URL grows at each pass.
                network.urlSession.intercepting { request, next in
                    var request = request
                    request.url?.append(path: "a")
                    return try await next(request)
                }.timingOut(after: .seconds(600)).coalescing().retrying(.never)
            case .closure:
                ClosureSession { [session = network] in
                    let (data, response) = try await session.exchange($0)
                    return (data, response)
                }
            }
        }
    }

    @Test(arguments: Link.allCases, [2, 3, 5])
    func aRingEnds(_ link: Link, _ length: Int) async throws {
        let networks = (0..<length).map { _ in MockNetwork() }
        for (index, network) in networks.enumerated() {
            let next = networks[(index + 1) % length]
            network.stub(
                .any, .passthrough(to: link.session(to: next)), fileID: "A/B.swift",
                line: UInt(index))
        }

        let error = await #expect(throws: (any Error).self) {
            try await networks[0].urlSession.exchange(.test("a"))
        }

        let text = "\(try #require(error))"
        #expect(
            text.contains("would come back to this network, for ever: the stub for any request"))
        #expect(text.contains("(A/B.swift:\(16 % length))"), "\(text)")
        #expect(networks.map(\.requests.count).reduce(0, +) == 17)
        #expect(throws: VerificationError.self) { try networks[16 % length].verify() }
    }

    /// The opposite: a long chain is no ring, and neither are many requests at once.
    @Test(arguments: Link.allCases)
    func aChainOfNetworksAnswers(_ link: Link) async throws {
        let networks = (0...16).map { _ in MockNetwork() }
        for (network, next) in zip(networks, networks.dropFirst()) {
            network.stub(.any, .passthrough(to: link.session(to: next)))
        }
        networks[16].stub(.any, .text("end"))

        let loads = (0..<20).map { _ in
            Task { try await networks[0].urlSession.exchange(.test("a")).0.text }
        }

        for load in loads { #expect(try await load.value == "end") }
    }

    @Test func mayComeBackOnceForAnAnswer() async throws {
        let (network, other) = (MockNetwork(), MockNetwork())
        network.stub(.any, .passthrough(to: other.urlSession), .text("answer"))
        other.stub(.any, .passthrough(to: network.urlSession))

        let (data, _) = try await network.urlSession.exchange(.test("a"))

        #expect(data.text == "answer")
        #expect(network.requests.map { $0.request.allHTTPHeaderFields ?? [:] } == [[:], [:]])
    }

    @Test func aStoppedServersPortIsSomebodyElses() async throws {
        let network = MockNetwork()
        let stopped = try network.serve()
        stopped.stop()
        let other = MockNetwork()
        other.stub(.any, .text("other"))
        let server = try other.serve(port: stopped.port)
        network.stub(.any, .passthrough(to: URLSession(configuration: .withoutProxy)))

        let (data, _) = try await network.exchange(URLRequest(url: server.url))

        #expect(data.text == "other")
    }

    @Test func twoEqualRequestsAtOnceAreNoLoop() async throws {
        let real = MockNetwork()
        let stub = real.stub(.any, .text("real").held)
        let network = MockNetwork()
        network.stub(.any, .passthrough(to: real.urlSession))
        let (session, baseURL) = try Transport.loopback.open(network)
        let loads = (0..<8).map { _ in
            Task { try await session.exchange(URLRequest(url: baseURL)).0.text }
        }

        await stub.waitForRequests(6)
        stub.release()

        for load in loads { #expect(try await load.value == "real") }
    }

    /// As a proxy does. The server of another host would refuse the name of this one.
    @Test func leavesOutTheFieldsOfTheConnection() async throws {
        let real = MockNetwork()
        real.stub(.any, .text("real"))
        let network = MockNetwork()
        network.stub(.any, .passthrough(to: real))
        let server = try network.serve()

        let client = try RawClient(port: server.port)
        client.send(
            """
            PUT / HTTP/1.1\r
            Host: 127.0.0.1\r
            Connection: close, X-Hop\r
            X-Hop: 1\r
            X-Kept: 2\r
            TE: trailers\r
            Transfer-Encoding: chunked\r
            \r
            1\r
            a\r
            0\r
            \r

            """)

        #expect(try client.reply().body.text == "real")
        let sent = try #require(real.requests.first)
        #expect(sent.body.text == "a")
        #expect(Set((sent.request.allHTTPHeaderFields ?? [:]).keys) == ["X-Kept"])
    }

    @Test func addsNothingVisible() async throws {
        let real = MockNetwork()
        real.stub(.any, .text("real"))
        let network = MockNetwork()
        network.stub(.any, .passthrough(to: real.urlSession))

        _ = try await network.urlSession.exchange(.test("a"))

        #expect(real.requests.map { $0.request.allHTTPHeaderFields ?? [:] } == [[:]])
    }
}
