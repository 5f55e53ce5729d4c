import APIKitLite
import APIKitLiteTesting
import TestSupport

@Suite(.limited, .usesSockets) struct DownloadTests {
    private let folder = try! TemporaryFolder()
    private let network = MockNetwork()
    private let bytes = Data.pattern(100)

    private func download(
        over session: (any HTTPSession)? = nil, retrying policy: RetryPolicy = .never,
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws {
        let session = session ?? network
        try await session.fetch(
            .test("file"), to: folder.file, retrying: policy, clock: clock, random: { 0.25 })
    }

    @Test(arguments: Transport.allCases, [0, 100])
    func storesAFile(_ transport: Transport, _ size: Int) async throws {
        network.stub(.get("/file"), .file(bytes.prefix(size)))
        let (session, baseURL) = try transport.open(network)
        try folder.write("old")
        let response = try await session.fetch(
            URLRequest(url: baseURL.appending(path: "file")), to: folder.file)
        #expect(response.statusCode == 200)
        #expect(folder.content == bytes.prefix(size))
        #expect(folder.names == ["file.bin"])
        #expect(network.requests.map { $0.header("Accept-Encoding") } == ["identity"])
        #expect(network.ranges == [nil])
    }

    enum Continuation: CaseIterable { case rest, otherFile, wrongPart }

    @Test(arguments: Transport.allCases, Continuation.allCases)
    func continuesWhatAnEarlierCallLeft(_ transport: Transport, _ next: Continuation) async throws {
        let other = Data(bytes.reversed())
        let responses: [MockResponse] =
            switch next {
            case .rest: [.file(bytes)]
            case .otherFile: [.file(other, tag: "\"2\"")]
            case .wrongPart: [.part(of: bytes, 30..<100), .file(bytes)]
            }
        let (session, baseURL) = try transport.open(network)
        let request = URLRequest(url: baseURL.appending(path: "file"))
        try folder.write("old")
        network.stub(.any, .file(bytes).failing(afterBytes: 40), times: .once)
        await #expect(throws: URLError.self) { try await session.fetch(request, to: folder.file) }
        #expect(folder.content?.text == "old")
        network.stub(.any, each: responses)
        let response = try await session.fetch(request, to: folder.file)
        #expect(response.statusCode == (next == .rest ? 206 : 200))
        #expect(folder.content == (next == .otherFile ? other : bytes))
        #expect(folder.names == ["file.bin"])
        #expect(network.ranges == [nil, "bytes=40-"] + (next == .wrongPart ? [nil] : []))
        #expect(network.requests[1].header("If-Range") == "\"1\"")
    }

    /// The response of a server that sends 25 bytes at a time.
    private func part(for request: RecordedRequest) -> MockResponse {
        let start = request.request.rangeStart ?? 0
        return .part(of: bytes, start..<min(start + 25, 100))
    }

    @Test func asksForEachPartThatTheServerSends() async throws {
        await network.loseDownload(to: folder)
        network.stub(.any) { [self] request in part(for: request) }
        try await download()
        #expect(folder.content == bytes)
        #expect(network.ranges == [nil, "bytes=40-", "bytes=65-", "bytes=90-"])
    }

    @Test func theDeadlineCountsFromThePartBefore() async throws {
        await network.loseDownload(to: folder)
        let clock = MockClock(patience: .zero)
        network.stub(.any) { [self] request in
            await clock.advance(by: .seconds(60))
            let isThird = network.requests.count == 4
            return isThird ? .error(.networkConnectionLost) : part(for: request)
        }
        try await download(retrying: .attempts(2, deadline: .seconds(100)), clock: clock)
        #expect(folder.content == bytes)
        #expect(network.requests.count == 5)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func sendsNothingWhereThereIsNoTime(_ deadline: Duration) async throws {
        await network.loseDownload(to: folder)
        await #expect(throws: URLError(.timedOut)) {
            try await download(retrying: RetryPolicy(deadline: deadline))
        }
        #expect(network.requests.count == 1)
        #expect(folder.names == ["file.bin.part", "file.bin.part.json"])
    }

    @Test func sendsNothingWhereTheDeadlinePassedInAWait() async throws {
        network.stub(.any, .error(.networkConnectionLost), times: .any)
        await #expect(throws: URLError(.timedOut)) {
            try await download(
                retrying: .standard, clock: ImmediateClock(lateness: .seconds(3_600)))
        }
        #expect(network.requests.count == 1)
    }

    /// The request for the whole file belongs to the attempt whose part was refused.
    @Test func theDeadlineInterruptsNoAttempt() async throws {
        await network.loseDownload(to: folder)
        let clock = MockClock(patience: .zero)
        network.stub(.any) { [bytes] request in
            guard request.header("Range") != nil else { return .file(bytes) }
            await clock.advance(by: .seconds(60))
            return .status(416)
        }
        try await download(retrying: RetryPolicy(deadline: .seconds(10)), clock: clock)
        #expect(folder.content == bytes)
    }

    @Test func takesTheJitterOfADelayFromTheCaller() async throws {
        let clock = MockClock()
        network.stub(.any, .error(.networkConnectionLost), .file(bytes))
        let policy = RetryPolicy(maximumAttempts: 2, baseDelay: .seconds(8))
        async let isDone: Void = download(retrying: policy, clock: clock)
        await clock.waitForSleepers()
        #expect(clock.pending == [.seconds(2)])
        #expect(network.requests.count == 1)
        await clock.advance(by: .seconds(2))
        try await isDone
        #expect(folder.content == bytes)
    }

    /// What happens to the requests of a download that finds a part of 40 bytes.
    enum Hopelessness: CaseIterable {
        case noResponse
        /// Each attempt ends at the same byte.
        case sameEnd
        /// Each part is longer than the previous one, up to the longest.
        case twoEnds, twoEndsOfOtherFiles
        /// The part that is not continued is no progress.
        case refusedPart
    }

    @Test(arguments: Hopelessness.allCases)
    func givesUpWithoutProgress(_ hopelessness: Hopelessness) async throws {
        await network.loseDownload(to: folder)
        // It ignores the range.
        let whole = MockResponse.data(bytes).header("ETag", "\"1\"")
        let count = Locked(0)
        let stub = network.stub(.any) { request in
            let number = count.next()
            let end = number.isMultiple(of: 2) ? 40 : 30
            switch hopelessness {
            case .noResponse: return .error(.networkConnectionLost)
            case .sameEnd: return whole.failing(afterBytes: 40)
            case .twoEnds: return whole.failing(afterBytes: end)
            case .twoEndsOfOtherFiles:
                return whole.header("ETag", "\"\(number + 1)\"").failing(afterBytes: end)
            case .refusedPart:
                let isWhole = request.request.rangeStart == nil
                return isWhole ? .error(.networkConnectionLost) : .status(416)
            }
        }

        let isRefused = hopelessness == .refusedPart
        await #expect(throws: URLError(.networkConnectionLost)) {
            try await download(retrying: .attempts(isRefused ? 2 : 3))
        }
        #expect(stub.callCount == (isRefused ? 4 : 3))
    }

    @Test func givesUpOnAServerThatSendsSingleBytes() async throws {
        let bytes = Data.pattern(10_000)
        let count = Locked(0)
        let session = network.intercepting { request, _ in
            guard let start = request.rangeStart else {
                return try makeResponse(
                    to: request, [bytes.prefix(200)],
                    ["ETag": "\"1\"", "Content-Length": "10000"])
            }
            count.next()
            let range = "bytes \(start)-\(start)/10000"
            return try makeResponse(
                to: request, [bytes[start...start]], status: 206,
                ["ETag": "\"1\"", "Content-Length": "1", "Content-Range": range])
        }

        await #expect(throws: URLError(.networkConnectionLost)) {
            try await download(over: session, retrying: .attempts(3))
        }
        #expect(count.withLock { $0 } == 3)
    }

    @Test(arguments: [MockResponse.status(416), .data(Data("rest".utf8), status: 206)])
    func asksForTheWholeFileWithinALimit(_ response: MockResponse) async throws {
        await network.loseDownload(to: folder)
        network.stub(.any, .file(bytes))
        network.stub(.any.header("Range"), response)
        try await download(over: network.limited(to: 1))
        #expect(folder.content == bytes)
    }

    @Test func doesNotContinueTheFileOfSomebodyElse() async throws {
        await network.loseDownload(to: folder)
        // The number of the old file must stay taken until there is a new one.
        try FileManager.default.moveItem(at: folder.part, to: folder.url("old"))
        try Data(count: 40).write(to: folder.part)
        network.stub(.any, .file(bytes))
        try await download()
        #expect(network.ranges == [nil, nil])
        #expect(folder.content == bytes)
    }

    @Test(arguments: Transport.allCases)
    func aRefusedStatusIsAnErrorWithItsBody(_ transport: Transport) async throws {
        let body = #"{"message": "no such file"}"#
        network.stub(.any, .json(body, status: 404), times: .any)
        let (session, baseURL) = try transport.open(network)
        let request = URLRequest(url: baseURL.appending(path: "file"))

        let plain = await #expect(throws: APIRequestError.self) {
            try await session.download(request, to: folder.file)
        }
        #expect((plain?.underlying as? UnacceptableStatusError)?.statusCode == 404)
        #expect(plain?.data?.text == body)
        let error = await #expect(throws: APIRequestError.self) {
            try await session.download(
                request, to: folder.file,
                validate: { data, _ in throw TestError(number: data.count) })
        }
        #expect(error?.stage == .validate)
        #expect(error?.statusCode == 404)
        #expect(error?.underlying as? TestError == TestError(number: body.count))
        #expect(error?.data?.text == body)
        #expect(folder.names == [])
    }

    @Test(arguments: [
        201, 202, 204, 205, 207, 226, 301, 304, 307, 401, 403, 404, 410, 412, 416, 429, 500, 503,
    ])
    func aRefusedStatusKeepsThePart(_ status: Int) async throws {
        network.stub(.any, .status(status), times: .once)
        await #expect(throws: APIRequestError.self) { try await download() }
        #expect(folder.names == [])
        await network.loseDownload(to: folder)
        network.stub(.any, .file(bytes))
        let stub = network.stub(.any, .status(status), times: .any)
        await #expect(throws: APIRequestError.self) { try await download() }
        // After a 416, it asks for the whole file.
        #expect(stub.callCount == (status == 416 ? 2 : 1))
        #expect(folder.names == ["file.bin.part", "file.bin.part.json"])
    }

    @Test func aPartInPlaceOfTheWholeFileIsRefused() async throws {
        network.stub(.any, .part(of: bytes, 0..<100))
        await #expect(throws: APIRequestError.self) { try await download() }
        #expect(folder.names == [])
    }

    @Test func aBodyThatIsTooShortIsContinued() async throws {
        let count = Locked(0)
        // Each response has the file without its last byte.
        let session = MockURLSession().intercepting { [bytes] request, _ in
            count.next()
            return try makeResponse(
                to: request, [bytes.dropLast()], ["ETag": "\"1\"", "Content-Length": "100"])
        }

        await #expect(throws: URLError(.networkConnectionLost)) {
            try await download(over: session)
        }
        // The second response is no progress.
        #expect(count.withLock { $0 } == 2)
        #expect(folder.names == ["file.bin.part", "file.bin.part.json"])
    }

    @Test func twoDownloadsOfOneFileExcludeEachOther() async throws {
        network.stub(.any, MockResponse.file(bytes).held)
        let first = Task { try await download() }
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
    func sendsNoRequestThatIsNotAWholeGET(_ request: URLRequest, _ reason: String) async {
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
        try await download(over: FixedSession(Data("whole".utf8)))
        #expect(folder.content?.text == "whole")
    }

    @Test func sendsNothingIfTheRequestCannotBeMade() async throws {
        let error = await #expect(throws: APIRequestError.self) {
            try await network.download(TextRequest(), "/{", to: folder.file)
        }
        #expect(error?.stage == .makeRequest)
        #expect(network.requests.isEmpty)
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
        #expect(folder.content?.text == "old")
    }
}
