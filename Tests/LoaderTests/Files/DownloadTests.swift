import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@testable import APIKitLite

@Suite(.limited, .usesSockets) struct DownloadTests {
    private let folder: TemporaryFolder
    private let network = MockNetwork()
    private let bytes = Data.pattern(100)
    private let opened = Locked<[Transport: (session: any HTTPSession, baseURL: URL)]>([:])

    init() throws {
        folder = try TemporaryFolder()
    }

    /// The same server at each call: the record contains its port.
    private func open(_ transport: Transport) throws -> (any HTTPSession, URL) {
        try opened.withLock { opened in
            let new = try opened[transport] ?? transport.open(network)
            opened[transport] = new
            return new
        }
    }

    /// Downloads `/file` over a transport.
    @discardableResult
    private func download(
        _ transport: Transport = .mockURLSession, path: String = "file"
    ) async throws -> HTTPURLResponse {
        let (session, baseURL) = try open(transport)
        return try await session.download(
            URLRequest(url: URL(string: "\(baseURL)/\(path)")!), to: folder.file)
    }

    /// Leaves a part with 40 bytes, as the first of two downloads.
    private func lose(_ transport: Transport = .mockURLSession, path: String = "file") async {
        let stub = network.stub(.any, .file(bytes).failing(afterBytes: 40), times: .once)
        await #expect(throws: URLError.self) { try await download(transport, path: path) }
        #expect(stub.callCount == 1)
        #expect(folder.names == ["file.bin.part", "file.bin.part.json"])
    }

    /// Downloads without delays between the attempts.
    private func download(attempts: Int) async throws {
        try await MockURLSession(network).download(
            .test("file"), to: folder.file,
            retrying: RetryPolicy(maximumAttempts: attempts, baseDelay: .zero))
    }

    /// What each request asked for.
    private var ranges: [String?] { network.requests.map { $0.header("Range") } }

    /// The answer of a server that sends 25 bytes at a time.
    private func part(for request: RecordedRequest) -> MockResponse {
        let start = Int(request.header("Range")?.dropFirst(6).dropLast() ?? "") ?? 0
        let end = min(start + 25, 100)
        return .data(bytes.subdata(in: start..<end), status: 206).header("ETag", "\"1\"")
            .header("Content-Range", "bytes \(start)-\(end - 1)/100")
    }

    @Test(arguments: Transport.allCases, [0, 100])
    func storesAFile(_ transport: Transport, _ size: Int) async throws {
        network.stub(.get("/file"), .file(bytes.prefix(size)))
        try folder.write("old")

        let response = try await download(transport)

        #expect(response.statusCode == 200)
        #expect(folder.content == bytes.prefix(size))
        #expect(folder.names == ["file.bin"])
        #expect(network.requests.map { $0.header("Accept-Encoding") } == ["identity"])
        #expect(ranges == [nil])
    }

    @Test(arguments: Transport.allCases)
    func resumesWhatAnEarlierCallLeft(_ transport: Transport) async throws {
        network.stub(.any, .file(bytes).failing(afterBytes: 40), .file(bytes))
        try folder.write("old")
        await #expect(throws: URLError.self) { try await download(transport) }
        #expect(folder.content == Data("old".utf8))

        let response = try await download(transport)

        #expect(response.statusCode == 206)
        #expect(folder.content == bytes)
        #expect(folder.names == ["file.bin"])
        #expect(ranges == [nil, "bytes=40-"])
        #expect(network.requests[1].header("If-Range") == "\"1\"")
    }

    @Test(arguments: Transport.allCases)
    func startsOverIfTheFileChanged(_ transport: Transport) async throws {
        await lose(transport)
        let other = Data(bytes.reversed())
        network.stub(.any, .file(other, tag: "\"2\""))

        let response = try await download(transport)

        #expect(response.statusCode == 200)
        #expect(folder.content == other)
    }

    @Test(arguments: Transport.allCases)
    func asksAgainIfTheRangeDoesNotFit(_ transport: Transport) async throws {
        await lose(transport)
        let wrong = MockResponse.data(Data(bytes.dropFirst(30)), status: 206)
            .header("ETag", "\"1\"").header("Content-Range", "bytes 30-99/100")
        network.stub(.any, wrong, .file(bytes))

        try await download(transport)

        #expect(folder.content == bytes)
        #expect(ranges == [nil, "bytes=40-", nil])
    }

    @Test func asksForEachPartThatTheServerSends() async throws {
        await lose()
        network.stub(.any) { [self] request in part(for: request) }

        try await download()

        #expect(folder.content == bytes)
        #expect(ranges == [nil, "bytes=40-", "bytes=65-", "bytes=90-"])
    }

    // A deadline of 100 seconds, and a server that takes a minute for each part.
    @Test func theDeadlineCountsFromThePartBefore() async throws {
        await lose()
        let clock = MockClock()
        network.stub(.any) { [self] request in
            await clock.advance(by: .seconds(60))
            let isThird = network.requests.count == 4
            return isThird ? .error(.networkConnectionLost) : part(for: request)
        }

        try await MockURLSession(network).download(
            .test("file"), to: folder.file,
            retrying: RetryPolicy(maximumAttempts: 2, baseDelay: .zero, deadline: .seconds(100)),
            clock: clock)

        #expect(folder.content == bytes)
        #expect(network.requests.count == 5)
    }

    @Test func takesTheJitterOfADelayFromTheCaller() async throws {
        let clock = MockClock()
        network.stub(.any, .error(.networkConnectionLost), .file(bytes))
        async let response = MockURLSession(network).download(
            .test("file"), to: folder.file,
            retrying: RetryPolicy(maximumAttempts: 2, baseDelay: .seconds(8)), clock: clock,
            random: { 0.25 })

        await clock.waitForSleepers()
        #expect(clock.pending == [.seconds(2)])
        await clock.advance(by: .seconds(8))

        #expect(try await response.statusCode == 200)
    }

    @Test func givesUpIfEachAttemptEndsAtTheSameByte() async throws {
        await lose()
        // Without `acceptingRanges`, the whole file is sent from its start.
        let cut = MockResponse.data(bytes).header("ETag", "\"1\"").failing(afterBytes: 40)
        let whole = network.stub(.any.header("Range", "bytes=40-"), cut)

        await #expect(throws: URLError(.networkConnectionLost)) { try await download(attempts: 3) }

        #expect(whole.callCount == 3)
    }

    @Test func givesUpOnAServerThatSendsSingleBytes() async throws {
        let bytes = Data.pattern(10_000)
        let count = Locked(0)
        let session = MockURLSession(network).intercepting { request, _ in
            let start = Int(
                request.value(forHTTPHeaderField: "Range")?.dropFirst(6).dropLast() ?? "")
            let fields = ["ETag": "\"1\"", "Content-Length": start == nil ? "10000" : "1"]
            guard let start else { return try answer(to: request, [bytes.prefix(200)], fields) }
            count.withLock { $0 += 1 }
            return try answer(
                to: request, [bytes[start...start]], status: 206,
                fields.merging(["Content-Range": "bytes \(start)-\(start)/10000"]) { $1 })
        }

        await #expect(throws: URLError(.networkConnectionLost)) {
            try await session.download(
                .test("/file"), to: folder.file,
                retrying: RetryPolicy(maximumAttempts: 3, baseDelay: .zero))
        }

        #expect(count.withLock { $0 } == 3)
    }

    /// Each part is longer than the previous part, up to the longest.
    @Test(arguments: [true, false])
    func givesUpIfAttemptsStartOverAgainAndAgain(_ isOneFile: Bool) async throws {
        await lose()
        let whole = network.stub(.any) { [bytes] request in
            let index = network.requests.count - 2
            return .data(bytes).header("ETag", isOneFile ? "\"1\"" : "\"\(index + 2)\"")
                .failing(afterBytes: index.isMultiple(of: 2) ? 30 : 40)
        }

        await #expect(throws: URLError(.networkConnectionLost)) { try await download(attempts: 3) }

        #expect(whole.callCount == 3)
    }

    // The part of the earlier file is no progress.
    @Test func givesUpOnAPartThatIsNotContinued() async throws {
        await lose()
        network.stub(.any, .error(.networkConnectionLost))
        network.stub(.any.header("Range"), .status(416))
        let before = network.requests.count

        await #expect(throws: URLError(.networkConnectionLost)) { try await download(attempts: 2) }

        #expect(network.requests.count == before + 4)
    }

    /// The dropped answer gives its place back before the whole file is asked for.
    @Test(arguments: [MockResponse.status(416), .data(Data("rest".utf8), status: 206)])
    func asksForTheWholeFileWithinALimit(_ answer: MockResponse) async throws {
        await lose()
        network.stub(.any, .file(bytes))
        network.stub(.any.header("Range"), answer)

        try await MockURLSession(network).limited(to: 1).download(.test("file"), to: folder.file)

        #expect(folder.content == bytes)
    }

    /// Another program, or another download, may have written a file with the name of the part.
    @Test func doesNotContinueTheFileOfSomebodyElse() async throws {
        await lose()
        let other = folder.url.appending(path: "other")
        try Data(count: 40).write(to: other)
        try FileManager.default.removeItem(at: folder.part)
        try FileManager.default.moveItem(at: other, to: folder.part)
        network.stub(.any, .file(bytes))

        try await download()

        #expect(ranges == [nil, nil])
        #expect(folder.content == bytes)
    }

    /// The request reads the reason in the body.
    @Test(arguments: Transport.allCases)
    func aRequestReadsTheBodyOfARefusal(_ transport: Transport) async throws {
        struct Refusal: Error, Decodable, Equatable {
            let message: String
        }
        struct Request: APIRequest {
            let baseURL: URL

            func makeRequest(from _: Void) throws -> URLRequest { URLRequest(url: baseURL) }
            func validateResponse(data: Data, response: HTTPURLResponse) throws {
                guard response.statusCode != 404 else {
                    throw (try? JSONDecoder().decode(Refusal.self, from: data))
                        ?? Refusal(message: "no body")
                }
            }
            func parseResponse(data: Data) throws -> Data { data }
        }
        network.stub(.any, .json(#"{"message": "no such file"}"#, status: 404))
        let (session, baseURL) = try open(transport)

        let error = try await #require(throws: APIRequestError.self) {
            try await session.download(Request(baseURL: baseURL), (), to: folder.file)
        }

        #expect(error.underlying as? Refusal == Refusal(message: "no such file"))
        #expect(error.data?.text == #"{"message": "no such file"}"#)
    }

    /// A process may be killed after the last byte.
    @Test(arguments: [nil, 100] as [Int64?])
    func aWholePartIsConfirmedByTheServer(_ length: Int64?) async throws {
        try folder.leavePart(bytes, ResumeRecord(at: 100, of: length))
        network.stub(.any, .file(bytes))

        try await download()

        #expect(folder.content == bytes)
        #expect(ranges == ["bytes=99-"])
    }

    @Test(arguments: [
        ["ETag": "W/\"1\""], ["ETag": "1"], [:], ["ETag": "\"1\"", "Accept-Ranges": "none"],
    ])
    func startsOverWithoutAStrongValidator(_ fields: [String: String]) async throws {
        var response = MockResponse.data(bytes)
        for (name, value) in fields { response = response.header(name, value) }
        network.stub(.any, response.failing(afterBytes: 40), response)
        await #expect(throws: URLError.self) { try await download() }
        #expect(folder.names == [])

        try await download()

        #expect(folder.content == bytes)
        #expect(ranges == [nil, nil])
    }

    @Test(arguments: ["two", "one?id=2", "one?id=1&a=b"])
    func anotherFileIsNotContinued(_ path: String) async throws {
        await lose(path: "one?id=1")
        network.stub(.any, .file(bytes))

        try await download(path: path)

        #expect(folder.content == bytes)
        #expect(ranges == [nil, nil])
    }

    @Test func aFailureKeepsThePartOfAnotherFile() async throws {
        await lose(path: "one")
        network.stub(.any, .file(bytes))
        network.stub(.get("/two"), .status(404))
        await #expect(throws: APIRequestError.self) { try await download(path: "two") }

        try await download(path: "one#section")

        #expect(ranges.last == "bytes=40-")
    }

    @Test func theRecordHasNoSecret() async throws {
        await lose(path: "file?token=secret")
        let record = try String(contentsOf: folder.record, encoding: .utf8)
        #expect(!record.contains("secret"))
        #expect(record.contains("validator"))
    }

    @Test(arguments: Transport.allCases)
    func aRefusedStatusIsAnErrorWithItsBody(_ transport: Transport) async throws {
        network.stub(.any, .json(#"{"message": "no such file"}"#, status: 404))

        let error = try await #require(throws: APIRequestError.self) {
            try await download(transport)
        }

        #expect(error.stage == .validate)
        #expect(error.statusCode == 404)
        #expect(error.data?.text == #"{"message": "no such file"}"#)
        #expect((error.underlying as? UnacceptableStatus)?.statusCode == 404)
        #expect(folder.names == [])
    }

    @Test(arguments: [201, 202, 204, 304, 404, 412, 416, 503])
    func aRefusedStatusKeepsThePart(_ status: Int) async throws {
        await lose()
        network.stub(.any, .file(bytes))
        let stub = network.stub(.any, .status(status), times: .any)
        await #expect(throws: APIRequestError.self) { try await download() }
        // After a 416, it asks for the whole file.
        #expect(stub.callCount == (status == 416 ? 2 : 1))
        #expect(folder.names == ["file.bin.part", "file.bin.part.json"])
    }

    @Test func theBodyOfARefusedStatusIsBounded() async throws {
        network.stub(.any, .data(Data(count: 3_000_000), status: 500).chunked(by: 100_000))
        let error = try await #require(throws: APIRequestError.self) { try await download() }
        #expect(error.data?.count == 1_048_576)
    }

    @Test func aBodyThatIsTooShortIsContinued() async throws {
        let count = Locked(0)
        // Each answer has the file without its last byte.
        let session = MockURLSession().intercepting { [bytes] request, _ in
            count.withLock { $0 += 1 }
            return try answer(
                to: request, [bytes.dropLast()], ["ETag": "\"1\"", "Content-Length": "100"])
        }

        await #expect(throws: URLError(.networkConnectionLost)) {
            try await session.download(.test("/file"), to: folder.file)
        }

        // The second answer is no progress.
        #expect(count.withLock { $0 } == 2)
        #expect(folder.names == ["file.bin.part", "file.bin.part.json"])
    }

    @Test func twoDownloadsOfOneFileExcludeEachOther() async throws {
        network.stub(.any, MockResponse.file(bytes).held)
        let first = Task { [folder, network] in
            try await MockURLSession(network).download(
                URLRequest(url: URL(string: "https://api.example.com/file")!), to: folder.file)
        }
        await network.waitForRequests(1)
        await #expect(throws: DownloadError.fileInUse(folder.file)) { try await download() }
        first.cancel()
        await #expect(throws: URLError.self) { try await first.value }
        #expect(folder.names == [])
    }

    @Test(
        arguments: [
            (.test("a", method: "POST"), "not POST."),
            (.test("a", method: "HEAD"), "not HEAD."),
            (.test("a", body: "a"), "not GET with a body."),
            (rangeRequest("Range"), "the field Range,"),
            (rangeRequest("if-range"), "the field If-Range,"),
        ] as [(URLRequest, String)])
    func sendsNoRequestThatIsNotAWholeGET(
        _ request: URLRequest, _ reason: String
    ) async {
        let error = await #expect(throws: RequestBuildingError.self) {
            try await MockURLSession(network).download(request, to: folder.file)
        }
        #expect(error?.description.contains(reason) == true)
        #expect(network.requests.isEmpty)
        #expect(folder.names == [])
    }

    private static func rangeRequest(_ field: String) -> URLRequest {
        var request = URLRequest.test("a")
        request.setValue("bytes=0-1", forHTTPHeaderField: field)
        return request
    }

    @Test func writesACompleteBody() async throws {
        try await FixedSession(Data("whole".utf8)).download(.test("/file"), to: folder.file)

        #expect(try Data(contentsOf: folder.file).text == "whole")
    }

    // MARK: The loader

    @Test func theErrorNamesItsStageAndRequest() async throws {
        let session = MockURLSession(network)
        network.stub(.get("/missing"), .status(404))
        network.stub(.get("/lost"), .file(bytes).failing(afterBytes: 7))

        var error = await #expect(throws: APIRequestError.self) {
            try await session.download(FileRequest(), "/missing", to: folder.file)
        }
        #expect(error?.stage == .validate)
        #expect(error?.requestType == "FileRequest")

        error = await #expect(throws: APIRequestError.self) {
            try await session.download(FileRequest(), "/lost", to: folder.file)
        }
        #expect(error?.stage == .transport)
        #expect(error?.isCancellation == false)

        error = await #expect(throws: APIRequestError.self) {
            try await session.download(FileRequest(), "/{", to: folder.file)
        }
        #expect(error?.stage == .makeRequest)
    }

    private struct TypedRequest: APIRequest {
        func makeRequest(from _: Void) throws -> URLRequest { .test("/file") }

        func validateResponse(data: Data, response: HTTPURLResponse) throws {
            try response.validateStatus()
            let type = response.value(forHTTPHeaderField: "Content-Type")
            if type == "text/html" { throw TestError(number: data.count) }
            if type == "image/png", data.isEmpty { throw TestError(number: 0) }
        }

        func parseResponse(data: Data) throws -> Data { data }
    }

    /// The head is validated before the body is read. If the request then accepts the body, its
    /// first error counts.
    @Test(arguments: [("text/html", 5), ("image/png", 0)])
    func theRequestValidatesTheHead(_ type: String, _ number: Int) async throws {
        try folder.write("old")
        network.stub(.any, .data(Data(count: 5), contentType: type))
        let error = await #expect(throws: APIRequestError.self) {
            try await MockURLSession(network).download(TypedRequest(), (), to: folder.file)
        }
        #expect(error?.stage == .validate)
        #expect(error?.underlying as? TestError == TestError(number: number))
        #expect(error?.data?.count == 5)
        #expect(folder.names == ["file.bin"])
        #expect(folder.content == Data("old".utf8))
    }
}
