import APIKitLite
import APIKitLiteTesting
import TestSupport

/// Streams that are compressed, empty, malformed or many.
@Suite(.limited, .usesSockets) struct HardStreamTests {
    private let network = MockNetwork()

    /// Only what comes from a socket is decompressed.
    @Test(arguments: Transport.allCases)
    func decompressesAStreamOrSaysThatNothingDid(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        // `data: one` and `data: two`, compressed with gzip.
        let bytes = Data(base64Encoded: "H4sIAAAAAAACA0tJLEm0UsjPS+XiSgEzS8rzubgAog1KPxYAAAA=")!
        let encoding = ["Content-Encoding": "gzip"] as KeyValuePairs
        network.stub(.any, .data(bytes, contentType: "text/event-stream", headers: encoding))
        let stream = session.stream(URLRequest(url: baseURL), ServerSentEvents())
        let (events, error) = await stream.outcome()
        let isDecompressed = transport == .loopback
        #expect(events.map(\.data) == (isDecompressed ? ["one", "two"] : []))
        #expect(error?.stage == (isDecompressed ? nil : .parse))
        #expect(error?.underlying as? StreamError == (isDecompressed ? nil : .compressed))
    }

    @Test(arguments: Transport.allCases)
    func anEmptyBodyHasNoElements(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.any, .text("", headers: ["Content-Type": "text/event-stream"]))
        let events = await session.stream(URLRequest(url: baseURL), ServerSentEvents()).outcome()
        #expect(events.elements.isEmpty)
        #expect(events.error == nil)
        // Where the end is marked, a body without the mark was cut.
        let words = await session.stream(WordsRequest(baseURL: baseURL), "/words").outcome()
        #expect(words.elements.isEmpty)
        #expect(words.error?.stage == .parse)
        #expect(words.error?.underlying as? StreamError == .unfinished(elementCount: 0))
    }

    /// `Benchmarks streams` has 5,000 streams over each transport.
    @Test(arguments: Transport.allCases)
    func endsEachStreamOnce(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/words"), .words("a", "b", "c"), times: .any)
        let request = WordsRequest(baseURL: baseURL)
        let limited = session.limited(to: 8)

        try await concurrently(150) { number in
            let task = Task {
                await limited.stream(request, "/words").outcome(limit: number % 5 == 0 ? 1 : .max)
            }
            for _ in 0..<(number * 7 % 41) { await Task.yield() }
            if number % 3 == 0 { task.cancel() }
            let (words, error) = await task.value
            if let error {
                #expect(error.isCancellation && number % 3 == 0, "\(error)")
                #expect(["a", "b", "c"].starts(with: words.map(\.text)))
            } else {
                #expect(words.map(\.text) == (number % 5 == 0 ? ["a"] : ["a", "b", "c"]))
            }
        }

        // Every place is free again.
        for _ in 1...8 {
            #expect(await limited.stream(request, "/words").outcome().elements.count == 3)
        }
    }

    private struct Problem: Decodable, Equatable {
        struct Details: Decodable, Equatable { var code: Int }
        var error: Details
    }

    private static let problem = #"{"jsonrpc":"2.0","id":1,"error":{"code":-32600}}"#

    private func response(_ pieces: [String]) -> MockResponse { .chunks(pieces, contentType: "") }

    @Test func failsAndHasTheBodyAndIsNotSentAgain() async throws {
        for pieces in [[Self.problem], Self.problem.map { "\($0)" }] {
            network.stub(.any, response(pieces), .status(204))
            let events = await network.events(.test("a"), clock: ImmediateClock()).outcome()
            network.stub(.any, response(pieces), .status(204))
            let parser = ServerSentEvents().until(data: "[DONE]").json(Problem.self)
            let stream = await network.stream(.test("a"), parser).outcome()

            for error in [try #require(events.error), try #require(stream.error)] {
                #expect(error.stage == .parse)
                #expect(error.underlying as? StreamError == .unexpectedJSON(Self.problem))
                #expect(try error.decodeBody(Problem.self).error.code == -32600)
                #expect(error.description.contains("\nJSON: \(Self.problem)\n"))
            }
        }
        #expect(network.requests.count == 4)
    }

    @Test func keepsNoBodyOfAStreamThatHasBegun() async throws {
        network.stub(.any, response(["data: a\n\n", "event: error\ndata: b\n\n"]))
        let parser = ServerSentEvents().json(Data.self)
        let error = await network.stream(.test("a"), parser).outcome().error
        #expect(error?.stage == .parse)
        #expect(error?.data == nil)
    }

    @Test func keepsTheBeginningOfALongBody() async throws {
        let line = String(repeating: "x", count: 60_000) + "\n"
        network.stub(.any, response([line, line, line, line]))
        let error = await network.events(.test("a")).outcome().error
        // It came as one piece.
        #expect((error?.data?.count ?? 0) >= 65_536)
    }
}

/// Where a request is made and its stream parsed.
@Suite(.limited) struct StreamIsolationTests {
    /// Its elements are the places where each function ran.
    private struct PlacesRequest: StreamedAPIRequest {
        func makeRequest(from: Void) -> URLRequest { .test("places/\(RunningPlace.current)") }
        func makeParser(for response: HTTPURLResponse) -> PlaceParser { PlaceParser() }
    }

    /// A request that no other task may use.
    private final class ConfinedRequest: StreamedAPIRequest {
        func makeRequest(from: Void) -> URLRequest { PlacesRequest().makeRequest(from: ()) }
        func makeParser(for response: HTTPURLResponse) -> PlaceParser { PlaceParser() }
    }

    private struct PlaceParser: StreamParser {
        let start = RunningPlace.current

        func parse(_ bytes: Data, into places: inout [RunningPlace]) {
            places += [start, .current]
        }

        func finish(into places: inout [RunningPlace]) { places.append(.current) }
    }

    private let network = MockNetwork()

    private var session: any HTTPSession {
        network.stub(.get("/places/{place}"), .text("a"), times: .any)
        return network
    }

    private var paths: [String?] { network.requests.map { $0.request.url?.lastPathComponent } }

    @MainActor @Test func parsesInTheBackground() async throws {
        var places = try await session.stream(PlacesRequest()).all()
        places += try await session.stream(PlacesRequest(), ()).all()
        #expect(places == Array(repeating: .background, count: 6))
        #expect(paths == ["background", "background"])
        #expect(RunningPlace.current == .mainActor)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @MainActor @Test func parsesOnTheActorOfARequestThatIsNotSendable() async throws {
        var places = try await session.stream(ConfinedRequest()).all()
        places += try await session.stream(ConfinedRequest(), ()).all()
        #expect(places == Array(repeating: .mainActor, count: 6))
        #expect(paths == ["mainActor", "mainActor"])
    }

    @MainActor @Test func staysOnTheActorWithoutForLoops() async throws {
        var stream = session.stream(ConfinedRequest()).makeAsyncIterator()
        var places: [RunningPlace] = []
        while let place = try await stream.next() { places.append(place) }
        #expect(places == [.mainActor, .mainActor, .mainActor])
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @MainActor @Test func parsesOnTheActorWithoutConstraints() async throws {
        func places<R: StreamedAPIRequest>(
            _ request: R, _ input: R.RequestDataType
        ) async throws -> [R.Parser.Element] { try await session.stream(request, input).all() }

        #expect(try await places(PlacesRequest(), ()) == [.mainActor, .mainActor, .mainActor])
    }
}
