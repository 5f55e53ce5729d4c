import TestSupport

@Suite(.limited, .usesSockets, .mayBlock) struct PassageTests {
    /// The sessions over which networks can pass a request to each other, or to themselves.
    enum Link: CaseIterable {
        case urlSession, direct, policies, chain, closure

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
            case .chain:
                network.timingOut(after: .seconds(60), clock: MockClock()).limited(to: 64)
                    .coalescing().retrying(.never)
            case .closure:
                ClosureSession { [session = network] in
                    let (data, response) = try await session.exchange($0)
                    return (data, response)
                }
            }
        }
    }

    @Test(arguments: Link.allCases, [1, 2, 3, 5])
    func aRingEnds(_ link: Link, _ length: Int) async throws {
        for isMadeByHandler in [false, true] {
            let networks = (0..<length).map { _ in MockNetwork() }
            for (index, network) in networks.enumerated() {
                let next = networks[(index + 1) % length]
                if isMadeByHandler {
                    network.stub(.any, times: .any, fileID: "A/B.swift", line: UInt(index)) {
                        [weak next] _ in .passthrough(to: link.session(to: try #require(next)))
                    }
                } else {
                    network.stub(
                        .any, .passthrough(to: link.session(to: next)), fileID: "A/B.swift",
                        line: UInt(index))
                }
            }

            let error = await #expect(throws: (any Error).self) {
                try await networks[0].urlSession.exchange(.test("a"))
            }

            let last = networks[16 % length]
            let failure = try #require(throws: VerificationError.self) { try last.verify() }
            for text in ["\(try #require(error))", "\(failure)"] {
                #expect(text.contains("would come back to this network forever: the stub for any"))
                #expect(text.contains("(A/B.swift:\(16 % length))"), "\(text)")
            }
            #expect(networks.map(\.requests.count).reduce(0, +) == 17)
        }
    }

    /// The opposite: a long chain is no ring, and neither are many requests at once.
    @Test(arguments: Link.allCases)
    func aChainOfNetworksResponds(_ link: Link) async throws {
        for (length, count) in [(16, 1), (1, 20)] {
            let networks = (0...length).map { _ in MockNetwork() }
            for (network, next) in zip(networks, networks.dropFirst()) {
                network.stub(.any, .passthrough(to: link.session(to: next)))
            }
            networks[length].stub(.any, .text("end"))

            let loads = (0..<count).map { _ in
                Task { try await networks[0].urlSession.exchange(.test("a")).0.text }
            }

            for load in loads { #expect(try await load.value == "end") }
        }
    }

    @Test func mayComeBackOnceForAResponse() async throws {
        let other = MockNetwork()
        let network = MockNetwork(.passthrough(to: other.urlSession), .text("response"))
        other.stub(.any, .passthrough(to: network.urlSession))

        #expect(try await network.urlSession.exchange(.test("a")).0.text == "response")
        #expect(network.requests.map { $0.request.allHTTPHeaderFields ?? [:] } == [[:], [:]])
    }

    /// A session that follows no redirect streams its body, and the client follows it.
    @Test(arguments: [Transport.urlProtocol, .direct])
    func aRedirectThatIsPassedOnIsFollowed(_ transport: Transport) async throws {
        let real = MockNetwork(clock: ContinuousClock())
        real.stub(
            .get("/a"), .text("moved", status: 302, headers: ["Location": "/b"]).chunked(by: 1))
        real.stub(.get("/b"), .chunks(["a", "rrived"], every: .nanoseconds(1)))
        let network = MockNetwork(.passthrough(to: real.redirecting(.refuse)))

        let session = try transport.open(network).session
        #expect(try await session.exchange(.test("a")).0.text == "arrived")
        #expect(network.requests.map(\.path) == ["/a", "/b"])
    }

    /// The next session adds the name of its own host.
    @Test(arguments: [("api.example.com", nil), ("other.example", "other.example")])
    func passesOnTheNameOfAnotherHost(_ host: String, _ passed: String?) async throws {
        let real = MockNetwork(.text("real"))
        let network = MockNetwork(.passthrough(to: real))
        var request = URLRequest.test("a")
        request.setValue(host, forHTTPHeaderField: "Host")

        _ = try await network.exchange(request)

        #expect(real.requests.map { $0.header("Host") } == [passed])
    }

    /// The body of a redirect is passed on as a whole, so its length is known.
    @Test func aRedirectThatIsPassedOnHasALength() async throws {
        let real = MockNetwork(.events(["a"], status: 302, headers: ["Location": "/b"]))
        let network = MockNetwork(.passthrough(to: real.redirecting(.refuse)))
        let client = try network.serve().client(get("/a"))

        let reply = try withExtendedLifetime(network) { try client.reply() }

        #expect(reply.text == "data: a\n\n")
        #expect(reply.header("Content-Length") == "9")
    }

    @Test func aStoppedServersPortIsSomebodyElses() async throws {
        let (network, other) = (MockNetwork(), MockNetwork(.text("other")))
        // A test that runs beside this one may take the port in between, but not every time.
        var server: LoopbackServer?
        for _ in 0..<10 where server == nil {
            let stopped = try network.serve()
            stopped.stop()
            server = try? other.serve(port: stopped.port)
        }
        let url = try #require(server).url
        network.stub(.any, .passthrough(to: URLSession(configuration: .withoutProxy)))

        #expect(try await network.exchange(URLRequest(url: url)).0.text == "other")
    }

    @Test func twoEqualRequestsAtOnceAreNoLoop() async throws {
        let real = MockNetwork()
        let stub = real.stub(.any, .text("real").held)
        let network = MockNetwork(.passthrough(to: real.urlSession))
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
        let real = MockNetwork(.text("real"))
        let network = MockNetwork(.passthrough(to: real))
        let server = try network.serve()

        let client = try server.client(
            "PUT / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nX-Kept: 2\r\n"
                + "TE: trailers\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n")

        #expect(try client.reply().body.text == "real")
        let sent = try #require(real.requests.first)
        #expect(sent.body.text == "a")
        #expect(Set((sent.request.allHTTPHeaderFields ?? [:]).keys) == ["X-Kept"])
    }
}
