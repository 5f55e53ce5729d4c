import APIKitLite
import APIKitLiteTesting
import TestSupport

@Suite(.limited, .usesSockets) struct InterceptingTests {
    @Test func theLastClosureSeesTheRequestFirst() async throws {
        let network = MockNetwork()
        network.stub(.any, .text("value"))
        @Sendable func adding(_ letter: String, to request: URLRequest) throws -> URLRequest {
            let trail = request.value(forHTTPHeaderField: "Trail") ?? ""
            return try request.header("Trail", trail + letter)
        }
        let session = network.intercepting { try await $1(adding("a", to: $0)) }
            .intercepting { try await $1(adding("b", to: $0)) }

        _ = try await session.exchange(.test("a"))
        #expect(network.requests.first?.header("Trail") == "ba")
    }

    @Test func respondsItselfSendsTwiceAndThrows() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(503), .text("second"))
        let session = network.intercepting { request, next in
            switch request.url?.path {
            case "/self": return try makeResponse(to: request, "own")
            case "/error": throw TestError(number: 7)
            default:
                let first = try await next(request)
                return first.1.statusCode == 503 ? try await next(request) : first
            }
        }

        #expect(try await session.exchange(.test("self")).0.text == "own")
        await #expect(throws: TestError(number: 7)) { try await session.exchange(.test("error")) }
        #expect(network.requests.isEmpty)
        #expect(try await session.exchange(.test("a")).0.text == "second")
        #expect(network.requests.count == 2)
    }
}

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
    func aRedirectThatIsNotFollowedIsTheResponse(_ transport: Transport, _ way: Way) async throws {
        let elsewhere = "https://other.example:81/c"
        network.stub(.get("/a"), .redirect(to: "/b"), times: .any)
        network.stub(.get("/b"), .redirect(to: elsewhere))
        let (session, baseURL) = try transport.open(network)
        let request = URLRequest(url: baseURL.appending(path: "a"))

        let refused = try await load(way, session.redirecting(.refuse), request)
        let other = try await load(way, session.redirecting(.sameOrigin), request)
        #expect((refused.0, refused.1) == (302, "/b"))
        #expect((other.0, other.1) == (302, elsewhere))
        #expect(network.requests.map(\.path) == ["/a", "/a", "/b"])
    }

    @Test(arguments: Transport.allCases, Way.allCases)
    func aClosureDecides(_ transport: Transport, _ way: Way) async throws {
        network.stub(.get("/a"), .redirect(to: "/b"))
        network.stub(.get("/b"), .redirect(to: "/c"))
        network.stub(.get("/changed"), .redirect(to: "/d"))
        let (session, baseURL) = try transport.open(network)
        let request = URLRequest(url: baseURL.appending(path: "a"))
        let changing = session.redirecting { response, next in
            var next = next
            switch next.url?.path {
            case "/c": next.url = baseURL.appending(path: "changed")
            case "/d": return nil
            default: break
            }
            next.setValue(
                response.value(forHTTPHeaderField: "Location"), forHTTPHeaderField: "X-From")
            return next
        }

        let response = try await load(way, changing, request)
        #expect(response.0 == 302)
        #expect(response.1 == "/d")
        #expect(network.requests.map(\.path) == ["/a", "/b", "/changed"])
        #expect(network.requests.map { $0.header("X-From") } == [nil, "/b", "/c"])
    }

    @Test(arguments: Transport.allCases, Way.allCases)
    func theErrorOfAClosureIsThatOfTheExchange(_ transport: Transport, _ way: Way) async throws {
        network.stub(.any, .redirect(to: "/b"))
        let (session, baseURL) = try transport.open(network)

        await #expect(throws: TestError(number: 1)) {
            try await load(
                way, session.redirecting { _, _ in throw TestError(number: 1) },
                URLRequest(url: baseURL))
        }

        #expect(network.requests.count == 1)
    }

    @Test(arguments: Transport.allCases, [RedirectPolicy.sameOrigin, .refuse])
    func noFileIsTakenFromElsewhere(_ transport: Transport, _ policy: RedirectPolicy) async throws {
        network.stub(.get("/a"), .redirect(to: "https://other.example/b"))
        network.stub(.get("/b"), .text("b"), times: .never)
        let (session, baseURL) = try transport.open(network)
        let folder = try TemporaryFolder()
        try folder.write("old")

        let error = await #expect(throws: (any Error).self) {
            try await session.redirecting(policy).fetch(
                URLRequest(url: baseURL.appending(path: "a")), to: folder.file)
        }
        #expect((error as? APIRequestError)?.statusCode == 302)
        #expect(folder.content?.text == "old")
        #expect(network.requests.count == 1)
    }

    @Test(arguments: Transport.allCases)
    func theOutermostPolicyDecides(_ transport: Transport) async throws {
        network.stub(.get("/a"), .redirect(to: "/b"))
        network.stub(.get("/b"), .text("b"))
        let (session, baseURL) = try transport.open(network)
        let request = URLRequest(url: baseURL.appending(path: "a"))
        let refusing = session.redirecting(.refuse).retrying(clock: MockClock()).coalescing()

        let following = refusing.redirecting { _, next in next }
        #expect(try await load(.exchange, following, request).0 == 200)
        #expect(try await load(.exchange, refusing, request).0 == 302)
        #expect(try await load(.exchange, refusing.redirecting(.sameOrigin), request).2 == "b")
    }

    @Test func requestsWithDifferentPoliciesDoNotShareAResponse() async throws {
        let stub = network.stub(.get("/a"), .redirect(to: "/b").held)
        network.stub(.get("/b"), .text("b"))
        let session = network.coalescing()

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
