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
        _ transport: Transport = .direct, path: String = "file"
    ) async throws -> HTTPURLResponse {
        let (session, baseURL) = try open(transport)
        return try await session.fetch(
            URLRequest(url: URL(string: "\(baseURL)/\(path)")!), to: folder.file)
    }

    /// Leaves a part with 40 bytes, as the first of two downloads.
    private func lose(_ transport: Transport = .direct, path: String = "file") async {
        let stub = network.stub(.any, .file(bytes).failing(afterBytes: 40), times: .once)
        await #expect(throws: URLError.self) { try await download(transport, path: path) }
        #expect(stub.callCount == 1)
        #expect(folder.names == ["file.bin.part", "file.bin.part.json"])
    }

    /// Downloads without delays between the attempts.
    private func download(attempts: Int) async throws {
        try await network.fetch(
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

    @Test func theDeadlineCountsFromThePartBefore() async throws {
        await lose()
        let clock = MockClock()
        network.stub(.any) { [self] request in
            await clock.advance(by: .seconds(60))
            let isThird = network.requests.count == 4
            return isThird ? .error(.networkConnectionLost) : part(for: request)
        }

        try await network.fetch(
            .test("file"), to: folder.file,
            retrying: RetryPolicy(maximumAttempts: 2, baseDelay: .zero, deadline: .seconds(100)),
            clock: clock)
        #expect(folder.content == bytes)
        #expect(network.requests.count == 5)
    }

    @Test func takesTheJitterOfADelayFromTheCaller() async throws {
        let clock = MockClock()
        network.stub(.any, .error(.networkConnectionLost), .file(bytes))
        async let response = network.fetch(
            .test("file"), to: folder.file,
            retrying: RetryPolicy(maximumAttempts: 2, baseDelay: .seconds(8)), clock: clock,
            random: { 0.25 })

        await clock.waitForSleepers()
        #expect(clock.pending == [.seconds(2)])
        #expect(network.requests.count == 1)
        await clock.advance(by: .seconds(2))
        #expect(try await response.statusCode == 200)
        #expect(folder.content == bytes)
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
        let session = network.intercepting { request, _ in
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
            try await session.fetch(
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

    @Test func givesUpOnAPartThatIsNotContinued() async throws {
        await lose()
        network.stub(.any, .error(.networkConnectionLost))
        network.stub(.any.header("Range"), .status(416))
        let before = network.requests.count

        await #expect(throws: URLError(.networkConnectionLost)) { try await download(attempts: 2) }
        #expect(network.requests.count == before + 4)
    }

    @Test(arguments: [MockResponse.status(416), .data(Data("rest".utf8), status: 206)])
    func asksForTheWholeFileWithinALimit(_ answer: MockResponse) async throws {
        await lose()
        network.stub(.any, .file(bytes))
        network.stub(.any.header("Range"), answer)

        try await network.limited(to: 1).fetch(.test("file"), to: folder.file)
        #expect(folder.content == bytes)
    }

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

    @Test(arguments: Transport.allCases)
    func aRefusedStatusIsAnErrorWithItsBody(_ transport: Transport) async throws {
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
        let body = #"{"message": "no such file"}"#
        network.stub(.any, .json(body, status: 404), times: .any)
        let (session, baseURL) = try open(transport)

        let plain = await #expect(throws: APIRequestError.self) { try await download(transport) }
        #expect((plain?.underlying as? UnacceptableStatusError)?.statusCode == 404)
        #expect(plain?.data?.text == body)
        let error = try await #require(throws: APIRequestError.self) {
            try await session.download(Request(baseURL: baseURL), (), to: folder.file)
        }

        #expect(error.stage == .validate)
        #expect(error.statusCode == 404)
        #expect(error.underlying as? Refusal == Refusal(message: "no such file"))
        #expect(error.data?.text == body)
        #expect(folder.names == [])
    }

    @Test(
        arguments: [
            (40, 100, "bytes=40-"), (1, 100, "bytes=1-"), (0, 100, nil),
            // The last byte of a part that may be whole again, so that the answer is a 206. A
            // process may be killed after the last byte.
            (100, 100, "bytes=99-"), (100, nil, "bytes=99-"), (40, nil, "bytes=39-"),
            (1, 1, nil), (1, nil, nil), (0, nil, nil),
        ] as [(Int, Int64?, String?)])
    func asksForTheRest(_ count: Int, _ length: Int64?, _ range: String?) async throws {
        try folder.leavePart(bytes.prefix(count), ResumeRecord(at: Int64(count), of: length))
        network.stub(.any, .file(bytes))

        try await download()
        #expect(folder.content == bytes)
        #expect(ranges == [range])
        #expect(network.requests[0].header("If-Range") == range.map { _ in "\"1\"" })
    }

    private static let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let later = "Sun, 06 Nov 1994 08:49:38 GMT"

    @Test(
        arguments: [
            (["ETag": "\"1\""], "\"1\""), (["ETag": "\"\""], "\"\""),
            (["ETag": "\"1\"", "Last-Modified": modified, "Date": later], "\"1\""),
            (["ETag": "\"1\"", "Accept-Ranges": "bytes"], "\"1\""),
            (["ETag": "\"1\"", "Content-Encoding": "Identity"], "\"1\""),
            (["Last-Modified": modified, "Date": later], modified), ([:], nil),
            // RFC 9110, section 13.1.5: a client that has an entity tag does not send a date.
            (["ETag": "W/\"1\""], nil), (["ETag": "1"], nil),
            (["ETag": "W/\"1\"", "Last-Modified": modified, "Date": later], nil),
            (["ETag": "1", "Last-Modified": modified, "Date": later], nil),
            (["ETag": "\"a\"b\""], nil), (["ETag": "\"a b\""], nil), (["ETag": "\"é\""], nil),
            (["ETag": "\""], nil), (["Last-Modified": modified], nil),
            (["Last-Modified": modified, "Date": modified], nil),
            (["Last-Modified": later, "Date": modified], nil),
            (["Last-Modified": "yesterday", "Date": later], nil),
            (["ETag": "\"1\"", "Accept-Ranges": "none"], nil),
            (["ETag": "\"1\"", "Content-Encoding": "gzip"], nil),
        ] as [([String: String], String?)])
    func continuesOnlyWithAStrongValidator(
        _ fields: [String: String], _ validator: String?
    ) async throws {
        let pieces = Locked([bytes.prefix(40)])
        let lost = PiecewiseSession(fields: fields) {
            if let piece = pieces.withLock({ $0.popLast() }) { return piece }
            throw URLError(.networkConnectionLost)
        }
        await #expect(throws: URLError(.networkConnectionLost)) {
            try await lost.fetch(.test("file"), to: folder.file)
        }
        #expect(folder.names.isEmpty == (validator == nil))

        network.stub(.any, .file(bytes))
        try await download()
        #expect(folder.content == bytes)
        #expect(network.requests[0].header("If-Range") == validator)
    }

    /// A proxy may have changed the body of a 203.
    @Test func continuesNoCopyOfAProxy() async throws {
        let copy = MockResponse.data(bytes, status: 203).header("ETag", "\"1\"")
        network.stub(.any, copy.failing(afterBytes: 40))
        await #expect(throws: URLError.self) { try await download() }
        #expect(folder.names == [])
    }

    @Test(arguments: [
        ("https://api.example.com/two", false), ("https://api.example.com/one?id=2", false),
        ("https://api.example.com/one?id=1&a=b", false),
        ("https://api.example.com:8443/one?id=1", false),
        ("https://user:pw@api.example.com/one?id=1", true),
        ("https://api.example.com/one?id=1#section", true),
    ])
    func onlyTheSameFileIsContinued(_ url: String, _ isSame: Bool) async throws {
        await lose(path: "one?id=1")
        network.stub(.any, .file(bytes))
        try await network.fetch(URLRequest(url: URL(string: url)!), to: folder.file)
        #expect(folder.content == bytes)
        #expect(ranges == [nil, isSame ? "bytes=40-" : nil])
    }

    @Test(
        arguments: [
            ("fits", [:], true),
            ("no Content-Length, as with chunks", ["Content-Length": nil], true),
            ("not encoded", ["Content-Encoding": "identity"], true),
            ("unit in upper case", ["Content-Range": "BYTES 40-99/100"], true),
            ("earlier", ["Content-Range": "bytes 39-99/100", "Content-Length": "61"], false),
            ("from 0", ["Content-Range": "bytes 0-99/100", "Content-Length": "100"], false),
            ("later", ["Content-Range": "bytes 41-99/100", "Content-Length": "59"], false),
            ("longer file", ["Content-Range": "bytes 40-99/101"], false),
            ("shorter file", ["Content-Range": "bytes 40-98/99", "Content-Length": "59"], false),
            ("unknown length", ["Content-Range": "bytes 40-99/*"], false),
            ("other entity tag", ["ETag": "\"2\""], false),
            ("weak entity tag", ["ETag": "W/\"1\""], false),
            ("entity tag without quotation marks", ["ETag": "1"], false),
            ("no entity tag", ["ETag": nil], false),
            ("a date as well", ["Last-Modified": modified], true),
            ("an entity tag became a date", ["ETag": nil, "Last-Modified": modified], false),
            ("gzip", ["Content-Encoding": "gzip"], false),
            ("no Content-Range", ["Content-Range": nil], false),
            ("the form of a 416", ["Content-Range": "bytes */100"], false),
            ("other unit", ["Content-Range": "items 40-99/100"], false),
            ("no unit", ["Content-Range": "40-99/100"], false),
            ("last before first", ["Content-Range": "bytes 99-40/100"], false),
            ("last beyond the length", ["Content-Range": "bytes 40-100/100"], false),
            ("no length", ["Content-Range": "bytes 40-99"], false),
            ("two fields, joined", ["Content-Range": "bytes 40-99/100, bytes 40-99/100"], false),
            ("a sign", ["Content-Range": "bytes +40-99/100"], false),
            ("too large a number", ["Content-Range": "bytes 40-99/99999999999999999999"], false),
            (
                "several ranges",
                ["Content-Type": "multipart/byteranges; boundary=x", "Content-Range": nil], false
            ),
            ("Content-Length of the whole file", ["Content-Length": "100"], false),
            ("no number as Content-Length", ["Content-Length": "six"], false),
        ] as [(String, [String: String?], Bool)])
    func writesOnlyAPartThatFits(
        _ name: String, _ changes: [String: String?], _ fits: Bool
    ) async throws {
        let part = ["ETag": "\"1\"", "Content-Range": "bytes 40-99/100", "Content-Length": "60"]
        try await expectPart(
            part.merging(changes.compactMapValues(\.self)) { $1 }
                .filter { changes[$0.key] != .some(nil) },
            fits: fits, validator: "\"1\"")
    }

    @Test(
        arguments: [
            (["Last-Modified": modified], true),
            (["Last-Modified": modified, "ETag": "\"1\""], true),
            (["Last-Modified": later], false), ([:], false),
        ] as [([String: String], Bool)])
    func writesOnlyAPartWithTheSameDate(_ fields: [String: String], _ fits: Bool) async throws {
        try await expectPart(
            fields.merging(["Content-Range": "bytes 40-99/100"]) { $1 }, fits: fits,
            validator: Self.modified)
    }

    /// Answers the request for the rest with these fields, and any other with the whole file.
    private func expectPart(
        _ fields: [String: String], fits: Bool, validator: String
    ) async throws {
        var record = ResumeRecord(
            urlHash: ResumeRecord.hash(of: URLRequest.test("file").url), validator: validator)
        record.length = 100
        try folder.leavePart(bytes.prefix(40), record)
        network.stub(.any, .file(bytes))
        let session = network.intercepting { [bytes] request, next in
            guard request.value(forHTTPHeaderField: "Range") != nil else {
                return try await next(request)
            }
            return try answer(to: request, [bytes.dropFirst(40)], status: 206, fields)
        }

        try await session.fetch(.test("file"), to: folder.file)

        #expect(folder.content == bytes)
        #expect(network.requests.count == (fits ? 0 : 1))
    }

    @Test func aFailureKeepsThePartOfAnotherFile() async throws {
        await lose(path: "one")
        network.stub(.any, .file(bytes))
        network.stub(.get("/two"), .status(404))
        await #expect(throws: APIRequestError.self) { try await download(path: "two") }

        try await download(path: "one")
        #expect(ranges.last == "bytes=40-")
    }

    @Test func theRecordHasNoSecret() async throws {
        await lose(path: "file?token=secret")
        let record = try String(contentsOf: folder.record, encoding: .utf8)
        #expect(!record.contains("secret"))
        #expect(record.contains("validator"))
    }

    @Test(arguments: [
        201, 202, 204, 205, 207, 226, 301, 304, 307, 401, 403, 404, 410, 412, 416, 429, 500, 503,
    ])
    func aRefusedStatusKeepsThePart(_ status: Int) async throws {
        network.stub(.any, .status(status), times: .once)
        await #expect(throws: APIRequestError.self) { try await download() }
        #expect(folder.names == [])

        await lose()
        network.stub(.any, .file(bytes))
        let stub = network.stub(.any, .status(status), times: .any)
        await #expect(throws: APIRequestError.self) { try await download() }
        // After a 416, it asks for the whole file.
        #expect(stub.callCount == (status == 416 ? 2 : 1))
        #expect(folder.names == ["file.bin.part", "file.bin.part.json"])
    }

    @Test func aPartInPlaceOfTheWholeFileIsRefused() async throws {
        network.stub(
            .any,
            .data(bytes, status: 206).header("ETag", "\"1\"")
                .header("Content-Range", "bytes 0-99/100"))

        await #expect(throws: APIRequestError.self) { try await download() }
        #expect(folder.names == [])
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
            try await session.fetch(.test("/file"), to: folder.file)
        }

        // The second answer is no progress.
        #expect(count.withLock { $0 } == 2)
        #expect(folder.names == ["file.bin.part", "file.bin.part.json"])
    }

    @Test func twoDownloadsOfOneFileExcludeEachOther() async throws {
        network.stub(.any, MockResponse.file(bytes).held)
        let first = Task { [folder, network] in
            try await network.fetch(
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
            try await network.fetch(request, to: folder.file)
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
        try await FixedSession(Data("whole".utf8)).fetch(.test("/file"), to: folder.file)
        #expect(try Data(contentsOf: folder.file).text == "whole")
    }

    // MARK: The loader

    @Test func theErrorNamesItsStageAndRequest() async throws {
        let session = network
        network.stub(.get("/lost"), .file(bytes).failing(afterBytes: 7))

        var error = await #expect(throws: APIRequestError.self) {
            try await session.download(FileRequest(), "/lost", to: folder.file)
        }
        #expect(error?.stage == .transport)
        #expect(error?.requestType == "FileRequest")
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
            try await network.download(TypedRequest(), (), to: folder.file)
        }
        #expect(error?.stage == .validate)
        #expect(error?.underlying as? TestError == TestError(number: number))
        #expect(error?.data?.count == 5)
        #expect(folder.names == ["file.bin"])
        #expect(folder.content == Data("old".utf8))
    }
}
