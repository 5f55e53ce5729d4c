import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited) struct ArchiveWritingTests {
    /// The file of one exchange, with every field that the standard requires.
    static func wordings() async throws -> Wordings {
        let folder = try TemporaryFolder()
        var request = URLRequest.test("users", method: "POST", body: #"{"age":7}"#)
        request.url?.append(queryItems: [URLQueryItem(name: "page", value: "2")])
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        var exchange = try await HTTPArchive.Exchange.recorded(
            .json(#"{"name":"Emma"}"#, status: 201, headers: ["Server": "a/1"]), to: request)
        exchange.startDate = Date(timeIntervalSince1970: 1_795_341_600.25)
        let file = folder.url.appending(path: "users.har")
        try HTTPArchive([exchange]).write(to: file)
        return Wordings("The file of a recording", try String(contentsOf: file, encoding: .utf8))
    }

    /// Responses, and what their entries in the file must contain, as other programs read it.
    static let responses: [(MockResponse, written: [String])] = [
        (
            .text("one\n\"two\"\t\\three\u{0}\u{1F600}"),
            [#""mimeType":"text/plain; charset=utf-8""#, #""text":"one\n\"two\"\t\\three"#]
        ),
        (.data(Data([0, 255, 13, 10, 34])), [#""encoding":"base64""#, #""text":"AP8NCiI=""#]),
        (.status(204), [#""status":204"#, #""text":"""#]),
        (
            .status(200).header("Set-Cookie", "a=1; Expires=Mon, 01 Jan 2035 00:00:00 GMT")
                .header("Set-Cookie", "b=2"),
            [
                #"{"name":"Set-Cookie","value":"a=1; Expires=Mon, 01 Jan 2035 00:00:00 GMT"}"#,
                #"{"name":"Set-Cookie","value":"b=2"}"#,
            ]
        ),
        (
            .status(200).addingHeader("Link", "<a>").addingHeader("Link", "<b>"),
            [#"{"name":"Link","value":"<a>, <b>"}"#]
        ),
        (.chunks(["one", "two", "three"]), [#""_pieces":[[0,3],[0,3],[0,5]]"#]),
        (.events(["1", "2"], until: "3"), [#""text":"data: 1\n\ndata: 2\n\ndata: 3\n\n""#]),
        (.error(.timedOut), [#""_error":"timedOut""#, #""status":0"#]),
        // Its body has been decoded.
        (
            .text("decoded", headers: ["Content-Encoding": "gzip"]),
            [#"{"name":"Content-Encoding","value":"gzip"}"#, #""text":"decoded""#]
        ),
        (
            .text("x").with(\.url, URL(string: "https://b.example/")),
            [#""_url":"https://b.example/""#]
        ),
    ]

    /// Responses that a client of their replay does not see as they are.
    static let otherResponses: [(MockResponse, written: [String])] = [
        (
            .text("hello").failing(afterBytes: 3, with: .timedOut),
            [#""_ending":"failed""#, #""_error":"timedOut""#, #""text":"hel""#]
        ),
        (.redirect(to: "https://b.example/?a=1#b"), [#""redirectURL":"https://b.example/?a=1#b""#]),
    ]

    @Test func writesWhatOtherProgramsRead() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "trip.har")
        await forEachRow(Self.responses + Self.otherResponses) { row, comment in
            try await HTTPArchive.recorded(row.0).write(to: file, redacting: .none)
            let written = try Data(contentsOf: file)
            let json = try JSONValue(written).compact
            for part in row.written { #expect(json.contains(part), "\(row.0): \(json)") }

            // Reading and writing it again changes nothing.
            try HTTPArchive(contentsOf: file).write(to: file, redacting: .none)
            #expect(try Data(contentsOf: file) == written, comment)
        }
    }

    @Test func anUnknownDateIsWrittenAsAnEmptyText() throws {
        let folder = try TemporaryFolder()
        let file = try folder.har(entry().replacing("2026-11-22T10:00:00.250Z", with: "today"))

        try HTTPArchive(contentsOf: file).write(to: file, redacting: .none)

        let json = try JSONValue(Data(contentsOf: file)).compact
        #expect(json.contains(#""startedDateTime":"""#), "\(json)")
    }

    /// The client may still wait for the rest when a test writes what has arrived.
    @Test func anOpenExchangeIsNotComplete() async throws {
        let network = MockNetwork()
        let stub = network.stub(.any, .stream())
        async let opened = network.stream(.test("events")).0
        try await stub.send("data: 1\n\n")
        let archive = HTTPArchive(network.requests)
        #expect(archive.description.hasSuffix("200 (OK), 9 bytes, left"))
        try await stub.finish()
        _ = try await opened.collect()
        #expect(HTTPArchive(network.requests).description.hasSuffix("200 (OK), 9 bytes"))
    }

    /// The ways in which a network has only a part of what was sent.
    enum Loss: CaseIterable {
        case longWhole, longStream, manyPieces, oldResponse, oldRequest
    }

    @Test(arguments: Loss.allCases)
    func aBodyThatWasNotKeptIsNotWritten(_ loss: Loss) async throws {
        let network = MockNetwork()
        let long = Data(count: 2 << 20)
        switch loss {
        case .longWhole: network.requestHandler = { _ in (HTTPURLResponse(), long) }
        case .longStream:
            network.stub(
                .any, .stream { for _ in 0..<2 { try await $0.send(Data(count: 1 << 20)) } })
        case .manyPieces:
            network.stub(.any, .stream { for _ in 0..<10_001 { try await $0.send("x") } })
        case .oldResponse: network.stub(.any, .text("x"))
        case .oldRequest: network.stub(.any, .status(204))
        }
        let body = loss == .oldRequest ? "x" : nil
        _ = try await network.exchange(.test("first", method: "POST", body: body))
        let isOld = [.oldResponse, .oldRequest].contains(loss)
        if isOld { for _ in 0..<1_000 { _ = try await network.exchange(.test("next")) } }
        let folder = try TemporaryFolder()
        let file = try folder.write("before", "users.har")
        let archive = HTTPArchive(network.requests)

        let error = #expect(throws: HTTPArchiveError.self) { try archive.write(to: file) }

        #expect(
            error?.description == """
                \(file.path) was not written. The network has not kept a body of POST \
                https://api.example.com/first: it keeps the bodies of its last 1,000 requests, and \
                up to 1 MiB of each response. Record such requests with \
                withMockNetwork(replaying:), up to 64 MiB of each response, or remove them from the \
                archive.
                """)
        #expect(try String(contentsOf: file, encoding: .utf8) == "before")
        // Neither is it replayed, as an empty body.
        let failure = await #expect(throws: MockError.self) {
            try await MockNetwork.replaying(archive)
                .exchange(.test("first", method: "POST", body: body))
        }
        // Without its body, an old request matches no other.
        let isSaid = failure?.description.contains("The network has not kept a body of POST")
        #expect(isSaid == (loss != .oldRequest))
        // The others can be written, also the oldest of them.
        try HTTPArchive(Array(network.requests.dropFirst().prefix(2))).write(to: file)
    }

    /// The opposite: nothing is missing of what has no body, or of one that is not too long.
    @Test func whatWasKeptIsWritten() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(204))
        network.stub(.get("/long"), .data(Data(count: 1 << 20)))
        _ = try await network.exchange(.test("empty", method: "POST", body: ""))
        for _ in 0..<1_001 { _ = try await network.exchange(.test("next")) }
        _ = try await network.exchange(.test("long"))
        let requests = network.requests
        let archive = HTTPArchive(Array(requests[...2] + requests[1_000...]))
        #expect(try archive.rewritten().last?.body.count == 1 << 20)
    }

    @Test(.usesSockets, arguments: [Transport.urlProtocol, .direct])
    func aReplayGivesTheResponseOfTheRecording(_ transport: Transport) async throws {
        await forEachRow(Self.responses) { row, comment in
            let first = try await HTTPArchive.Exchange.recorded(row.0)
            let network = MockNetwork.replaying(
                try HTTPArchive([first]).rewritten(redacting: .none))
            let (session, _) = try transport.open(network)
            let result = await Result { try await session.exchange(first.request) }

            switch result {
            case .success(let (data, response)):
                #expect(data == first.body, comment)
                #expect(response.statusCode == first.response?.statusCode, comment)
                #expect(response.url == first.response?.url, comment)
                let fields = first.response?.allHeaderFields as? [String: String]
                #expect(response.allHeaderFields as? [String: String] == fields, comment)
            case .failure(let error):
                #expect((error as? URLError)?.code == first.error?.code, comment)
            }
            try network.verify()
        }
    }

    @Test func anArchiveIsEditedAsACollection() async throws {
        let one = try await HTTPArchive.Exchange.recorded(.text("1"), to: .test("one"))
        var archive = HTTPArchive([one])
        archive.append(try await .recorded(.text("2"), to: .test("two")))
        archive[1].body = Data("edited".utf8)
        archive.removeAll { $0.request.url?.path == "/one" }

        let network = MockNetwork.replaying(archive)
        #expect(try await network.exchange(.test("two")).0.text == "edited")
    }

    /// A stream that began after five seconds, and whose second piece came a second later.
    @Test func timesCountFromTheStartOfTheRequest() async throws {
        let clock = MockClock(patience: .zero)
        let network = MockNetwork(clock: clock)
        network.stub(.any, .text("ab").chunked(by: 1, every: .seconds(1)))
        await clock.advance(by: .seconds(5))
        let load = Task { try await network.exchange(.test("a")) }
        await clock.waitForSleepers()
        await clock.advance(by: .seconds(1))
        _ = try await load.value

        var archive = HTTPArchive(network.requests)

        #expect(archive[0].pieces.map(\.time) == [.zero, .seconds(1)])
        // A body that a test sets arrives at the end.
        archive[0].body = Data("edited".utf8)
        #expect(archive[0].pieces.map(\.time) == [.seconds(1)])
    }

    @Test func aFolderThatCannotBeWrittenLeavesTheFile() async throws {
        let archive = try await HTTPArchive.recorded(.text("new"))
        let folder = try TemporaryFolder()
        let missing = folder.url.appending(path: "none/users.har")
        #expect(throws: (any Error).self) { try archive.write(to: missing) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test func aFailedTestLeavesItsTrafficWithoutSecrets() async throws {
        let network = MockNetwork()
        network.stub(.get("/users/7"), .json("{}"))
        _ = try await network.exchange(.test("users/7"))
        _ = try? await network.exchange(.api("users/8?token=s3cret-value"))
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "failed.har")

        try HTTPArchive(network.requests).write(to: file)

        let archive = try HTTPArchive(contentsOf: file)
        #expect(archive.map { $0.response?.statusCode } == [200, nil])
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("No stub responds to GET"))
        #expect(!text.contains("s3cret-value"))
    }
}
