import TestSupport

/// The same request through a real session and a socket, and through both mocks: the same outcome,
/// and the same recorded request. A row of a table names what differs.
@Suite(.limited, .usesSockets) struct SameOutcomeTests {
    /// What a client adds to each request that does not name it, so that a mock shows none of it, and
    /// curl sends another.
    private static let addedByTheClient: Set = [
        "host", "accept", "accept-encoding", "accept-language", "connection", "user-agent",
    ]
    /// What says where a body ends, which a mock shows only if the request names it.
    private static let framing: Set = ["content-length", "transfer-encoding"]
    /// What a server adds to each response, so that a mock gives none of it.
    private static let addedByTheServer: Set = ["date", "connection", "transfer-encoding"]

    @Test func recordsTheSameRequest() async {
        await forEachRow(RequestShape.all, named: \.name) { shape, comment in
            let ways = try Ways { $0.stub(.any, .text("ok"), times: .any) }
            let wire = try await ways.exchange(over: ways.wire, shape)
            for mock in ways.mocks {
                let mocked = try await ways.exchange(over: mock, shape)

                let added = Self.addedByTheClient.union(Self.framing)
                let differences = mocked.differencesInTheRequest(from: wire, unless: added)
                #expect(differences == shape.mocks, "\(comment): \(wire), but \(mocked)")
            }
        }
    }

    @Test func receivesTheSameResponse() async {
        await forEachRow(ResponseShape.others, named: \.name) { response, comment in
            try await compare(RequestShape("GET"), response, comment)
        }
    }

    // The whole product would take a minute: only the method and the body of a request decide about
    // its response, so a row of any other kind meets a plain one of the other table.
    @Test func receivesTheSameResponseToEachKindOfRequest() async {
        for request in RequestShape.kinds {
            await forEachRow(ResponseShape.kinds, named: \.name) { response, comment in
                try await compare(request, response, "\(request.name), \(comment)")
            }
        }
    }

    private func compare(
        _ request: RequestShape, _ response: ResponseShape, _ comment: Comment
    ) async throws {
        let ways = try Ways { network in
            response.add(network)
            network.stub(RequestMatcher.path("/b"), .text("there"), times: .any)
        }
        let wire = try await ways.exchange(over: ways.wire, request)
        for mock in ways.mocks {
            let mocked = try await ways.exchange(over: mock, request)
            let differences = mocked.differencesInTheResponse(
                from: wire, unless: Self.addedByTheServer)
            let isProtocol = mock is URLSession
            var expected = response.mocks.union(isProtocol ? response.urlProtocol : [])
            #if canImport(FoundationNetworking)
            if response.isLoss, request.isRepeatedAfterALoss { expected.insert(.arrival) }
            #endif
            #expect(differences == expected, "\(comment): \(wire), but \(mocked)")
        }
    }

    /// What the tests above leave out.
    @Test func showsWhatIsAddedToARequest() async throws {
        let ways = try Ways { $0.stub(.any, .text("ok"), times: .any) }
        for shape in [RequestShape("GET"), RequestShape("POST", "/a", .data("x"))] {
            let wire = try await ways.exchange(over: ways.wire, shape)
            let hasBody = shape.method == "POST"
            let added: Set = hasBody ? ["content-length", "content-type"] : []
            #expect(wire.request?.headerNames == Self.addedByTheClient.union(added))
            for mock in ways.mocks {
                let mocked = try await ways.exchange(over: mock, shape)
                #expect(mocked.request?.headerNames == (hasBody ? ["content-type"] : []))
                let type = hasBody ? "application/x-www-form-urlencoded" : nil
                #expect(mocked.request?[.header("content-type")] == type)
            }
        }
    }

    #if os(macOS) || os(Linux)
    @Test(.enabled(if: hasCurl, "There is no curl on this machine."))
    func curlSendsTheSameRequest() async throws {
        let ways = try Ways { $0.stub(.any, .text("ok"), times: .any) }
        var commands: [String] = []
        for (number, shape) in RequestShape.all.enumerated() {
            var request = try shape.request(port: ways.port)
            request.setValue("\(number)", forHTTPHeaderField: "X-Row")
            // With a session of its own: a refused request ends the connection.
            _ = await Ways.realSession.exchange(request, of: ways.network)
            // The stream has been read.
            let command = request.curlCommand(redacting: .none)
            commands.append(command + " --silent --max-time 900 --noproxy '*' --output /dev/null")
        }
        let sent = ways.network.requests
        // In one process: most of the time of curl is that of its start.
        let first = try #require(commands.first)
        let next = commands.dropFirst().map { $0.replacing(#/^curl /#, with: " --next ") }
        _ = try await shell(first + next.joined())
        let pasted = ways.network.requests.dropFirst(sent.count)

        for (number, shape) in RequestShape.all.enumerated() {
            func request(_ requests: some Sequence<RecordedRequest>) -> Aspects? {
                requests.first { $0.header("X-Row") == "\(number)" }.map(Aspects.init)
            }
            let differences = differences(
                request(pasted), from: request(sent), unless: Self.addedByTheClient,
                in: try shape.request(port: ways.port))
            #expect(differences == shape.curl, "\(shape.name)")
        }
    }
    #endif
}

/// The ways into one network.
private struct Ways {
    let network = MockNetwork()
    let port: Int
    let wire = Self.realSession
    var mocks: [any HTTPSession] { [network.urlSession, network] }

    static var realSession: URLSession { URLSession(configuration: .withoutProxy) }

    init(_ addStubs: (MockNetwork) -> Void) throws {
        addStubs(network)
        port = try network.serve().port
    }

    func exchange(over session: any HTTPSession, _ shape: RequestShape) async throws -> Exchange {
        await session.exchange(try shape.request(port: port), of: network)
    }
}

/// What is known of a request or a response.
private typealias Aspects = [Aspect: String]

extension Aspects {
    fileprivate init(headers: [AnyHashable: Any]?) {
        self.init(
            (headers ?? [:]).map { (.header("\($0)".lowercased()), "\($1)") },
            uniquingKeysWith: { first, _ in first })
    }

    fileprivate init(_ request: RecordedRequest) {
        self.init(headers: request.request.allHTTPHeaderFields)
        self[.method] = request.method
        self[.url] = request.url?.absoluteString
        self[.body] = request.body.base64EncodedString()
    }

    fileprivate var headerNames: Set<String> {
        Set(keys.compactMap { if case .header(let name) = $0 { name } else { nil } })
    }

    /// Returns what differs, except for headers that nobody names.
    fileprivate func differences(
        from other: Aspects, unless ignored: Set<String>, in named: Aspects
    ) -> Set<Aspect> {
        let ignored = ignored.subtracting(named.headerNames).map(Aspect.header)
        return Set(keys).union(other.keys).filter { self[$0] != other[$0] }.subtracting(ignored)
    }
}

private func differences(
    _ new: Aspects?, from old: Aspects?, unless ignored: Set<String>, in request: URLRequest
) -> Set<Aspect> {
    guard let new, let old else { return new == nil && old == nil ? [] : [.arrival] }
    let named = Aspects(headers: request.allHTTPHeaderFields)
    return new.differences(from: old, unless: ignored, in: named)
}

private struct Exchange: CustomStringConvertible {
    let given: URLRequest
    /// The status, or the error.
    var outcome = ""
    var response: Aspects = [:]
    var requests: [RecordedRequest] = []

    var request: Aspects? { requests.first.map(Aspects.init) }
    var description: String {
        "\(outcome) \(response) for \(requests.map(\.description)) \(request ?? [:])"
    }

    func differencesInTheRequest(from other: Exchange, unless added: Set<String>) -> Set<Aspect> {
        let isSame = outcome == other.outcome && response[.body] == other.response[.body]
        return differences(request, from: other.request, unless: added, in: given)
            .union(isSame ? [] : [.outcome])
    }

    func differencesInTheResponse(from other: Exchange, unless added: Set<String>) -> Set<Aspect> {
        let lines = [requests, other.requests].map { $0.map { "\($0) \($0.body)" } }
        let arrival: Set<Aspect> = lines[0] == lines[1] ? [] : [.arrival]
        guard outcome == other.outcome else { return arrival.union([.outcome]) }
        return arrival.union(
            response.differences(from: other.response, unless: added, in: response))
    }
}

extension HTTPSession {
    fileprivate func exchange(_ request: URLRequest, of network: MockNetwork) async -> Exchange {
        let earlier = network.requests.count
        var exchange = Exchange(given: request)
        do {
            let (body, response) = try await self.exchange(request)
            exchange.outcome = "\(response.statusCode)"
            exchange.response = Aspects(headers: response.allHeaderFields)
            exchange.response[.url] = response.url?.absoluteString
            exchange.response[.body] = body.base64EncodedString()
        } catch let error as URLError {
            exchange.outcome = "URLError \(error.code.rawValue)"
        } catch {
            exchange.outcome = "\(error)"
        }
        exchange.requests = Array(network.requests.dropFirst(earlier))
        return exchange
    }
}
