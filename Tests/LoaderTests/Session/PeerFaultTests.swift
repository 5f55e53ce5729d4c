#if canImport(FoundationNetworking)
@testable import APIKitLite
import APIKitLiteTesting
import TestSupport

/// A server ends a kept-alive connection just as a request reuses it. libcurl would send any request
/// again by itself. The library allows that only for a request that may be repeated and has no body.
/// On Apple platforms, Foundation decides what it sends again (Technical Q&A QA1941).
@Suite(.limited, .usesSockets(places: 4)) struct PeerFaultTests {
    private let folder = try! TemporaryFolder()

    /// How often a request is sent: enough for every connection to be closed many times.
    fileprivate static let count = 6

    enum Way: CaseIterable {
        case exchange, exchangeWithDelegate, exchangeWithoutCache, stream

        func session() -> URLSession {
            let configuration = URLSessionConfiguration.withoutProxy
            if self == .exchangeWithoutCache { configuration.urlCache = nil }
            let delegate = self == .exchangeWithDelegate ? StreamingDelegate() : nil
            return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        }
    }

    struct Row {
        let end: ClosingServer.End
        let method: String
        let body: Body
        /// Whether a caller may lose the connection.
        let isLost: Bool

        init(_ end: ClosingServer.End, _ method: String, _ body: Body, isLost: Bool) {
            (self.end, self.method, self.body, self.isLost) = (end, method, body, isLost)
        }
    }

    enum Body {
        case none
        case upload(Upload)
        case large
        /// A stream of the caller's own, which can be read once.
        case stream(size: Int)
    }

    static let rows: [Row] =
        Upload.allCases.map { Row(.beforeTheBody, "PUT", .upload($0), isLost: false) }
        + Upload.allCases.map { Row(.afterTheBody, "POST", .upload($0), isLost: true) }
        + ["POST", "PATCH"].flatMap { method in
            [
                Row(.afterTheBody, method, .none, isLost: true),
                Row(.beforeTheBody, method, .stream(size: 14), isLost: true),
                Row(.afterTheBody, method, .stream(size: 14), isLost: true),
            ]
        }
        + [
            Row(.beforeTheBody, "POST with a key", .upload(.file), isLost: false),
            // If two kept-alive connections end, libcurl forgets a body that it has read.
            Row(.resetBeforeTheBody, "PUT", .large, isLost: false),
            // The server has processed a request whose response has begun.
            Row(.withinTheResponse, "PUT", .upload(.data), isLost: true),
            Row(.withinTheResponse, "PUT", .none, isLost: true),
            Row(.withinTheResponse, "POST with a key", .upload(.file), isLost: true),
            Row(.withinTheResponse, "POST", .upload(.data), isLost: true),
            Row(.resetBeforeTheBody, "POST", .large, isLost: true),
            Row(.resetBeforeTheBody, "POST", .stream(size: 60_000), isLost: true),
        ]

    @Test(arguments: rows, Way.allCases)
    func readsEachRequestOnce(_ row: Row, _ way: Way) async throws {
        try await row.check(over: way.session(), asStream: way == .stream)
    }

    /// Foundation asks for the body of a request again. Without a body, it does not tell.
    @Test(arguments: ["PUT", "QUERY", "GET"], [false, true])
    func reportsEachRequestThatIsSentAgain(_ method: String, _ asStream: Bool) async throws {
        let server = try ClosingServer()
        var request = try Upload.data.request(to: server.url, folder)
        request.httpMethod = method
        if method == "GET" { request.httpBody = nil }
        let log = Locked<[ExchangeEvent]>([])
        let session = Way.exchange.session().observed { event in log.withLock { $0.append(event) } }

        for _ in 0..<Self.count {
            let outcome = await session.outcome(of: request, asStream: asStream)
            #expect(outcome == .body(request.bodySize))
        }
        let resent = log.withLock { $0 }.filter {
            if case .resent = $0.kind { true } else { false }
        }
        #expect(server.closedCount >= Self.count / 2)
        #expect(resent.count == (method == "GET" ? 0 : server.closedCount))
        #expect(resent.allSatisfy { $0.duration != nil })
    }

    @Test func sendsABodyAgainAfterARedirect() async throws {
        let server = try ClosingServer()
        let request = try Upload.data.request(
            to: server.url.appending(path: "redirect"), try TemporaryFolder())
        let session = Way.exchange.session()
        for _ in 0..<Self.count {
            let (data, response) = try await session.exchange(request)
            #expect(data.text == request.bodySize)
            #expect(response.url?.path() == "/")
        }
    }

    @Test(
        arguments: [
            ("PUT", .data, 2), ("POST", .data, 1), ("GET", nil, 1), ("POST", nil, 1),
            ("PUT", nil, 1), ("POST with a key", .data, 2), ("PUT", .file, 2), ("POST", .file, 1),
        ] as [(String, Upload?, Int)], [false, true])
    func sendsARepeatableBodyASecondTime(
        _ row: (method: String, upload: Upload?, count: Int), _ asStream: Bool
    ) async throws {
        let server = try BrokenServer(.closed)
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
        var request = try row.upload?.request(to: url, folder) ?? URLRequest(url: url)
        request.setMethod(row.method)
        let outcome = await Way.exchange.session().outcome(of: request, asStream: asStream)
        #expect(outcome == .error(.networkConnectionLost))
        #expect(server.count == row.count)
    }

    /// After a 417, libcurl sends a request again without its `Expect`, and then no more.
    @Test(arguments: ["expected", "unexpected"], [false, true])
    func sendsARequestAgainAfterARefusedExpectation(_ path: String, _ asStream: Bool) async throws {
        let server = try ClosingServer(closing: .afterTheBody)
        var request = try Upload.data.request(to: server.url.appending(path: path), folder)
        request.httpMethod = "POST"
        request.setValue("100-continue", forHTTPHeaderField: "Expect")

        for number in 0..<5 {
            request.setValue("\(number)", forHTTPHeaderField: "X-Number")
            let outcome = await Way.exchange.session().outcome(of: request, asStream: asStream)
            let isLost = path == "unexpected"
            #expect(outcome == (isLost ? .error(.networkConnectionLost) : .body("14")))
        }
        #expect(server.readCounts.map(\.value) == [1, 1, 1, 1, 1])
    }

    /// Foundation reports that libcurl's callback failed.
    @Test(arguments: [false, true])
    func throwsTheErrorOfABodyStream(_ asStream: Bool) async throws {
        let server = try ClosingServer()
        let session = Way.exchange.session()
        var request = URLRequest(url: server.url)
        request.httpMethod = "POST"
        request.httpBodyStream = FailingStream(data: Data())
        await #expect(throws: TestError(number: 1)) {
            try await session.send(request, awaiting: asStream ? .head() : .body)
        }
        #expect(server.readCounts.isEmpty)
    }

    @Test func sendsABodyAfterAPasswordOnce() async throws {
        final class Delegate: NSObject, URLSessionTaskDelegate {
            func urlSession(
                _ session: URLSession, task: URLSessionTask,
                didReceive challenge: URLAuthenticationChallenge,
                completionHandler respond:
                    @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) ->
                    Void
            ) {
                respond(.useCredential, URLCredential(user: "a", password: "b", persistence: .none))
            }
        }
        let server = try ClosingServer(closing: .afterTheBody)
        let session = URLSession(
            configuration: .withoutProxy, delegate: Delegate(), delegateQueue: nil)
        var request = URLRequest(url: server.url.appending(path: "challenged"))
        request.httpMethod = "POST"

        for number in 0..<10 {
            request.setValue("\(number)", forHTTPHeaderField: "X-Number")
            let outcome = await session.outcome(of: request, asStream: number.isMultiple(of: 2))
            #expect(outcome == .error(.networkConnectionLost))
        }
        // Without the password, and with it.
        #expect(server.readCounts.values.allSatisfy { $0 == 2 })
    }

    @Test(arguments: [false, true]) func sendsAMockedRequestOnce(_ asStream: Bool) async throws {
        let network = MockNetwork()
        network.stub(.any, .error(.networkConnectionLost), times: .any)
        let request = URLRequest.test("a", method: "PUT", body: "body")
        let outcome = await network.urlSession.outcome(of: request, asStream: asStream)
        #expect(outcome == .error(.networkConnectionLost))
        #expect(network.requests.count == 1)
    }
}

extension PeerFaultTests.Row {
    /// Checks that a server reads each request at most once, whole, and that none waits forever.
    func check(over session: URLSession, asStream: Bool, _ comment: Comment? = nil) async throws {
        let server = try ClosingServer(closing: end)
        let retrying = session.retrying(RetryPolicy(baseDelay: .zero, deadline: nil))
        let (workers, count) = end == .resetBeforeTheBody ? (6, 10) : (1, PeerFaultTests.count)
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let upload = try request(to: server.url, folder)

        let outcomes = try await concurrently(workers) { worker in
            var outcomes: Set<ExchangeOutcome> = []
            for number in 0..<count {
                var request = upload
                if case .stream(let size) = body {
                    request.httpBodyStream = InputStream(data: Data(repeating: 97, count: size))
                }
                request.setValue("\(worker) \(number)", forHTTPHeaderField: "X-Number")
                // A retry policy sends an idempotent request again, as it should.
                let retries = number.isMultiple(of: 3) && end != .withinTheResponse
                let sender: any HTTPSession = retries ? retrying : session
                outcomes.insert(await sender.outcome(of: request, asStream: asStream))
            }
            return outcomes
        }

        var size = upload.bodySize
        if case .stream(let own) = body { size = "\(own)" }
        let lost: Set<ExchangeOutcome> = isLost ? [.error(.networkConnectionLost)] : []
        #expect(Set(outcomes.joined()) == lost.union([.body(size)]), comment)
        #expect(server.closedCount >= count / 2, comment)
        #expect(size == "0" || server.emptyCount == 0, comment)
        #expect(server.readCounts.values.allSatisfy { $0 == 1 }, comment)
        if [.afterTheBody, .withinTheResponse].contains(end) {
            #expect(server.readCounts.count == count, comment)
        }
    }

    /// The request, without a stream of the caller's own.
    func request(to url: URL, _ folder: TemporaryFolder) throws -> URLRequest {
        var request = URLRequest(url: url)
        switch body {
        case .none, .stream: break
        case .upload(let upload): request = try upload.request(to: url, folder)
        case .large: request.httpBody = Data(repeating: 97, count: 60_000)
        }
        request.setMethod(method)
        return request
    }
}

/// Servers behind TLS that read a POST and end the connection without a response. Each request is
/// processed once at most, and none waits for its timeout.
@Suite(.limited, .needsTLS, .usesSockets) struct TLSPeerFaultTests {
    static let ends = [nil] + HTTP2Server.End.allCases

    enum Body: CaseIterable { case none, data, stream }

    @Test(arguments: ends, Body.allCases)
    func readsEachPOSTOnce(_ end: HTTP2Server.End?, _ body: Body) async throws {
        try await Self.check(end, body, over: PeerFaultTests.Way.exchange.session())
    }

    static func check(
        _ end: HTTP2Server.End?, _ body: Body, over session: URLSession, count: Int = 100,
        _ comment: Comment? = nil
    ) async throws {
        // Without HTTP/2, a server of HTTP/1.1.
        let plain = try ClosingServer(closing: .afterTheBody)
        let http2 = try end.map { try HTTP2Server(ending: $0) }
        let url = (end == nil ? TLSFront.bytes : .bytesHTTP2).url(to: http2?.url ?? plain.url)
        var outcomes: [ExchangeOutcome: Int] = [:]
        for number in 100..<100 + count {
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            let bytes = Data("\(number)".utf8)
            if body == .data { request.httpBody = bytes }
            if body == .stream { request.httpBodyStream = InputStream(data: bytes) }
            request.setValue("\(number)", forHTTPHeaderField: "X-Number")
            outcomes[await session.outcome(of: request), default: 0] += 1
        }

        let response = ExchangeOutcome.body(http2 != nil ? "" : body == .none ? "0" : "3")
        let readCounts = http2?.readCounts ?? plain.readCounts
        #expect(Set(outcomes.keys) == [response, .error(.networkConnectionLost)], comment)
        #expect(readCounts.values.allSatisfy { $0 == 1 }, comment)
        #expect((http2?.emptyCount ?? plain.emptyCount) <= (body == .none ? count : 0), comment)
        // HTTP2Server counts a request by its body.
        if http2 == nil {
            #expect(readCounts.count == count, comment)
        } else if body != .none {
            #expect(readCounts.count >= outcomes[response, default: 0], comment)
        }
    }
}

/// The kinds of bodies that can be sent again.
enum Upload: CaseIterable {
    case data, form, file, multipart, files

    func request(to url: URL, _ folder: TemporaryFolder) throws -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        let boundary = "boundary"
        switch self {
        case .data:
            request.httpBody = Data("fourteen bytes".utf8)
            return request
        case .form: return try request.formBody(["name": "Emma"])
        case .file: return try request.fileBody(folder.write("bytes"))
        case .multipart:
            return try request.multipartBody([.text("name", "Emma")], boundary: boundary)
        case .files:
            return try request.multipartBody(
                [.text("name", "Emma"), .file("file", at: folder.write("bytes"))],
                boundary: boundary)
        }
    }
}

/// A stream of some bytes and an error.
private final class FailingStream: InputStream {
    private var status = Stream.Status.notOpen

    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { status == .error ? TestError(number: 1) : nil }
    override var hasBytesAvailable: Bool { true }
    override func open() { status = .open }
    override func close() {}

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        guard status == .open else { return -1 }
        status = .error
        buffer[0] = 97
        return 1
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length: UnsafeMutablePointer<Int>
    ) -> Bool { false }
}

/// A delegate that would respond with a stream, which ends the process if the body is data.
private final class StreamingDelegate: NSObject, URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) { completionHandler(InputStream(data: Data("other".utf8))) }
}

extension URLRequest {
    /// The number of bytes in the body, as the server responds with it.
    fileprivate var bodySize: String { "\(repeatableBody?.size ?? httpBody?.count ?? 0)" }

    fileprivate mutating func setMethod(_ method: String) {
        httpMethod = method.components(separatedBy: " ")[0]
        if method.hasSuffix("with a key") { setValue("1", forHTTPHeaderField: "Idempotency-Key") }
    }
}
#endif
