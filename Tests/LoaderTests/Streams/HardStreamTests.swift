import APIKitLite
import APIKitLiteTesting
import TestSupport

/// Streams that are compressed, empty, malformed or many.
@Suite(.limited, .usesSockets) struct HardStreamTests {
    private let network = MockNetwork()

    /// `data: one` and `data: two`, compressed with gzip.
    private static let compressed = Data(
        base64Encoded: "H4sIAAAAAAACA0tJLEm0UsjPS+XiSgEzS8rzubgAog1KPxYAAAA=")!

    private static let compressedResponse = MockResponse.data(
        compressed, contentType: "text/event-stream", headers: ["Content-Encoding": "gzip"])

    @Test func readsACompressedStreamFromASocket() async throws {
        let (session, baseURL) = try Transport.loopback.open(network)
        network.stub(.get("/events"), Self.compressedResponse)
        let endpoint = session.intercepting { request, next in
            try await next(URLRequest(url: baseURL.appending(path: "events")))
        }

        let (events, error) = await endpoint.stream(EventsRequest()).outcome()
        #expect(events.map(\.data) == ["one", "two"])
        #expect(error == nil)
    }

    @Test(arguments: [Transport.urlProtocol, .direct])
    func saysThatNothingDecompressedTheStream(_ transport: Transport) async throws {
        let session = try transport.open(network).session
        network.stub(.get("/events"), Self.compressedResponse)

        let (events, error) = await session.stream(EventsRequest()).outcome()
        #expect(events.isEmpty)
        #expect(error?.stage == .parse)
        #expect(error?.underlying as? StreamError == .compressed)
    }

    @Test(arguments: Transport.allCases)
    func anEmptyBodyHasNoElements(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/words"), .text("", headers: ["Content-Type": "text/event-stream"]))
        let rerouted = session.intercepting { _, next in
            try await next(URLRequest(url: baseURL.appending(path: "words")))
        }

        let events = await rerouted.stream(EventsRequest()).outcome()
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

    private func response(_ pieces: [String]) -> MockResponse {
        .chunks(pieces, contentType: "")
    }

    @Test func failsAndHasTheBodyAndIsNotSentAgain() async throws {
        for pieces in [[Self.problem], Self.problem.map { "\($0)" }] {
            network.stub(.any, response(pieces), .status(204))
            let session = network
            let events = await session.events(.test("a"), clock: ImmediateClock()).outcome()
            network.stub(.any, response(pieces), .status(204))
            let stream = await session.stream(
                .test("a"), ServerSentEvents().until(data: "[DONE]").json(Problem.self)
            ).outcome()

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

        let error =
            await network
            .stream(.test("a"), ServerSentEvents().json(Data.self)).outcome().error
        #expect(error?.stage == .parse)
        #expect(error?.data == nil)
    }

    @Test func keepsTheBeginningOfALongBody() async throws {
        let line = String(repeating: "x", count: 60_000) + "\n"
        network.stub(.any, response([line, line, line, line]))

        let error = await network.events(.test("a")).outcome().error

        // It came as one piece.
        #expect((error?.data?.count).map { $0 >= 65_536 } == true)
    }
}

/// Where a request is made and its stream parsed.
@Suite(.limited) struct StreamIsolationTests {
    /// Its elements are the places where each function ran.
    private struct PlacesRequest: StreamedAPIRequest {
        func makeRequest(from: Void) throws -> URLRequest {
            .test("places/\(RunningPlace.current)")
        }

        func makeParser(for response: HTTPURLResponse) throws -> PlaceParser {
            PlaceParser(start: .current)
        }
    }

    /// A request that no other task may use.
    private final class ConfinedRequest: StreamedAPIRequest {
        func makeRequest(from: Void) throws -> URLRequest {
            try PlacesRequest().makeRequest(from: ())
        }

        func makeParser(for response: HTTPURLResponse) throws -> PlaceParser {
            PlaceParser(start: .current)
        }
    }

    private struct PlaceParser: StreamParser {
        let start: RunningPlace

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
        var places: [RunningPlace] = []
        for try await place in session.stream(ConfinedRequest()) { places.append(place) }
        for try await place in session.stream(ConfinedRequest(), ()) { places.append(place) }

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
        ) async throws -> [R.Parser.Element] {
            var places: [R.Parser.Element] = []
            for try await place in session.stream(request, input) { places.append(place) }
            return places
        }

        #expect(try await places(PlacesRequest(), ()) == [.mainActor, .mainActor, .mainActor])
    }
}
