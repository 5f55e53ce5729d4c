import APIKitLite
import APIKitLiteTesting
import TestSupport

@Suite(.limited, .usesSockets) struct InterceptingTests {
    @Test func theLastClosureSeesTheRequestFirst() async throws {
        let network = MockNetwork()
        network.stub(.any, .text("value"))
        let session = ["a", "b"].reduce(network as any HTTPSession) { session, letter in
            session.intercepting { request, next in
                let trail = request.value(forHTTPHeaderField: "Trail") ?? ""
                return try await next(request.header("Trail", trail + letter))
            }
        }

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

    private static let waysToSend = [SendOptions.body, .head()]

    /// Returns the status and the location of a response, and reads its body.
    private func load(
        _ way: SendOptions, _ session: any HTTPSession, _ request: URLRequest
    ) async throws -> (Int, String?) {
        let (body, response) = try await session.send(request, awaiting: way)
        _ = try await body.collect()
        return (response.statusCode, response.value(forHTTPHeaderField: "Location"))
    }

    @Test(arguments: Transport.allCases, waysToSend)
    func aRedirectThatIsNotFollowedIsTheResponse(
        _ transport: Transport, _ way: SendOptions
    ) async throws {
        let elsewhere = "https://other.example:81/c"
        network.stub(.get("/a"), .redirect(to: "/b"), times: .any)
        network.stub(.get("/b"), .redirect(to: elsewhere))
        let client = try TestClient(transport, network)
        for (policy, location) in [(RedirectPolicy.refuse, "/b"), (.sameOrigin, elsewhere)] {
            let session = client.session.redirecting(policy)
            #expect(try await load(way, session, client.request()) == (302, location))
        }
        #expect(network.requests.map(\.path) == ["/a", "/a", "/b"])
    }

    @Test(arguments: Transport.allCases, waysToSend)
    func aClosureDecides(_ transport: Transport, _ way: SendOptions) async throws {
        network.stub(.get("/a"), .redirect(to: "/b"))
        network.stub(.get("/b"), .redirect(to: "/c"))
        network.stub(.get("/changed"), .redirect(to: "/d"))
        let client = try TestClient(transport, network)
        let changing = client.session.redirecting { response, next in
            var next = next
            if next.url?.path == "/c" { next.url = client.baseURL.appending(path: "changed") }
            if next.url?.path == "/d" { return nil }
            let location = response.value(forHTTPHeaderField: "Location")
            next.setValue(location, forHTTPHeaderField: "X-From")
            return next
        }

        #expect(try await load(way, changing, client.request()) == (302, "/d"))
        #expect(network.requests.map(\.path) == ["/a", "/b", "/changed"])
        #expect(network.requests.map { $0.header("X-From") } == [nil, "/b", "/c"])
    }

    @Test(arguments: Transport.allCases, waysToSend)
    func theErrorOfAClosureIsThatOfTheExchange(
        _ transport: Transport, _ way: SendOptions
    ) async throws {
        network.stub(.any, .redirect(to: "/b"))
        let client = try TestClient(transport, network)
        let session = client.session.redirecting { _, _ in throw TestError(number: 1) }

        await #expect(throws: TestError(number: 1)) {
            try await load(way, session, client.request())
        }
        #expect(network.requests.count == 1)
    }

    @Test(arguments: Transport.allCases, [RedirectPolicy.sameOrigin, .refuse])
    func noFileIsTakenFromElsewhere(_ transport: Transport, _ policy: RedirectPolicy) async throws {
        network.stub(.get("/a"), .redirect(to: "https://other.example/b"))
        network.stub(.get("/b"), .text("b"), times: .never)
        let client = try TestClient(transport, network)
        let folder = try TemporaryFolder()
        try folder.write("old")

        let error = await #expect(throws: APIRequestError.self) {
            try await client.session.redirecting(policy).fetch(client.request(), to: folder.file)
        }
        #expect(error?.statusCode == 302)
        #expect(folder.content?.text == "old")
        #expect(network.requests.count == 1)
    }

    @Test(arguments: Transport.allCases)
    func theOutermostPolicyDecides(_ transport: Transport) async throws {
        network.stub(.get("/a"), .redirect(to: "/b"))
        network.stub(.get("/b"), .text("b"))
        let client = try TestClient(transport, network)
        let refusing = client.session.redirecting(.refuse).retrying(clock: MockClock()).coalescing()
        let following: [any HTTPSession] = [
            refusing.redirecting { _, next in next }, refusing.redirecting(.sameOrigin),
        ]

        #expect(try await refusing.exchange(client.request()).1.statusCode == 302)
        for session in following {
            #expect(await session.outcome(of: client.request()) == .body("b"))
        }
    }
}
