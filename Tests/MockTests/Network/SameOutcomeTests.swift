import APIKitLite
import APIKitLiteTesting
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
        await forEachRow(ResponseShape.all, named: \.name) { response, comment in
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
            let length: Set<String> =
                shape.method == "GET" ? [] : ["content-length", "content-type"]
            #expect(
                Set(wire.request?.fields.keys ?? [:].keys) == Self.addedByTheClient.union(length))
            for mock in ways.mocks {
                let mocked = try await ways.exchange(over: mock, shape)
                #expect(
                    mocked.request?.fields.map(\.value)
                        == (shape.method == "GET" ? [] : ["application/x-www-form-urlencoded"]))
            }
        }
    }

    #if os(macOS) || os(Linux)
    @Test(.enabled(if: hasCurl, "There is no curl on this machine."))
    func curlSendsTheSameRequest() async throws {
        let ways = try Ways { $0.stub(.any, .text("ok"), times: .any) }
        var script = ""
        for (number, shape) in RequestShape.all.enumerated() {
            var request = try shape.request(port: ways.port)
            request.setValue("\(number)", forHTTPHeaderField: "X-Row")
            // With a session of its own: a refused request ends the connection.
            _ = await Ways.realSession.exchange(request, of: ways.network)
            // The stream has been read.
            script += request.curlCommand(redacting: .none)
            script += " --silent --max-time 20 --noproxy '*' --output /dev/null\n"
        }
        let sent = ways.network.requests
        _ = try await shell(script)
        let pasted = ways.network.requests.dropFirst(sent.count)

        for (number, shape) in RequestShape.all.enumerated() {
            func request(_ requests: some Sequence<RecordedRequest>) -> Sent? {
                requests.first { $0.header("X-Row") == "\(number)" }.map(Sent.init)
            }
            let differences = Sent.differences(
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

/// A request as a network has recorded it.
private struct Sent {
    var method: String
    var url: String
    var fields: [String: String]
    var body: Data

    init(_ request: RecordedRequest) {
        method = request.method
        url = request.url?.absoluteString ?? ""
        fields = lowercased(request.request.allHTTPHeaderFields)
        body = request.body
    }

    /// Returns what differs in two requests, except for headers that the app does not name.
    static func differences(
        _ new: Sent?, from old: Sent?, unless ignored: Set<String>, in request: URLRequest
    ) -> Set<Aspect> {
        guard let new, let old else { return new == nil && old == nil ? [] : [.arrival] }
        var aspects: Set<Aspect> = []
        if new.method != old.method { aspects.insert(.method) }
        if new.url != old.url { aspects.insert(.url) }
        if new.body != old.body { aspects.insert(.body) }
        let names = lowercased(request.allHTTPHeaderFields).keys
        return aspects.union(
            headers(new.fields, from: old.fields, unless: ignored.subtracting(names)))
    }

    static func headers(
        _ new: [String: String], from old: [String: String], unless ignored: Set<String>
    ) -> Set<Aspect> {
        let names = Set(new.keys).union(old.keys).subtracting(ignored)
        return Set(names.filter { new[$0] != old[$0] }.map(Aspect.header))
    }
}

/// What became of a request.
private struct Exchange: CustomStringConvertible {
    let given: URLRequest
    /// The status, or the error.
    var outcome: String
    var fields: [String: String] = [:]
    var url: URL?
    var body = Data()
    var requests: [RecordedRequest] = []

    var request: Sent? { requests.first.map(Sent.init) }
    var description: String {
        "\(outcome) \(fields) \(body.count) bytes for \(requests.map(\.description)) "
            + "\(request?.fields ?? [:])"
    }

    func differencesInTheRequest(from other: Exchange, unless added: Set<String>) -> Set<Aspect> {
        let isSame = outcome == other.outcome && body == other.body
        return Sent.differences(request, from: other.request, unless: added, in: given)
            .union(isSame ? [] : [.outcome])
    }

    func differencesInTheResponse(from other: Exchange, unless added: Set<String>) -> Set<Aspect> {
        var aspects: Set<Aspect> = []
        let lines = [requests, other.requests].map { $0.map { "\($0) \($0.body)" } }
        if lines[0] != lines[1] { aspects.insert(.arrival) }
        guard outcome == other.outcome else { return aspects.union([.outcome]) }
        if body != other.body { aspects.insert(.body) }
        if url != other.url { aspects.insert(.url) }
        return aspects.union(
            Sent.headers(fields, from: other.fields, unless: added.subtracting(fields.keys)))
    }
}

extension HTTPSession {
    fileprivate func exchange(_ request: URLRequest, of network: MockNetwork) async -> Exchange {
        let earlier = network.requests.count
        var exchange = Exchange(given: request, outcome: "")
        do {
            let (body, response) = try await self.exchange(request)
            exchange.outcome = "\(response.statusCode)"
            exchange.fields = lowercased(response.allHeaderFields as? [String: String])
            (exchange.url, exchange.body) = (response.url, body)
        } catch let error as URLError {
            exchange.outcome = "URLError \(error.code.rawValue)"
        } catch {
            exchange.outcome = "\(error)"
        }
        exchange.requests = Array(network.requests.dropFirst(earlier))
        return exchange
    }
}

private func lowercased(_ fields: [String: String]?) -> [String: String] {
    Dictionary(
        (fields ?? [:]).map { ($0.lowercased(), $1) }, uniquingKeysWith: { first, _ in first })
}
