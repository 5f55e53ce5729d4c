import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A mock network behind nginx, so that everything goes over TLS.
@Suite(.limited, .needsTLS, .usesManySockets) struct TLSTests {
    private let clock = MockClock()
    private let network: MockNetwork
    private let server: LoopbackServer
    private let folder: TemporaryFolder
    private let session = URLSession(configuration: .withoutProxy)

    static let versions = [TLSFront.http1, .http2]

    enum Upload: CaseIterable { case memory, file, stream }

    init() throws {
        network = MockNetwork(clock: clock)
        server = try network.serve()
        folder = try TemporaryFolder()
    }

    private func request(_ front: TLSFront, _ path: String = "/") -> URLRequest {
        URLRequest(url: front.url(to: server.url, path))
    }

    @Test(arguments: versions)
    func loads(_ front: TLSFront) async throws {
        network.stub(.get("/a").query(["q": "1"]), .json(#"{"id": 1}"#))

        let (data, response) = try await session.exchange(request(front, "/a?q=1"))

        #expect(data.text == #"{"id": 1}"#)
        #expect(response.statusCode == 200)
    }

    @Test(arguments: versions, Upload.allCases)
    func sendsABody(_ front: TLSFront, _ upload: Upload) async throws {
        network.stub(.post("/"), .status(201))
        let bytes = Data.pattern(300_000)
        var request = request(front)
        request.httpMethod = "POST"
        switch upload {
        case .memory: request.httpBody = bytes
        case .file: request = try request.fileBody(folder.write(bytes))
        case .stream: request.httpBodyStream = InputStream(data: bytes)
        }

        let (_, response) = try await session.exchange(request)

        #expect(response.statusCode == 201)
        #expect(network.requests.map { $0.body == bytes } == [true])
    }

    @Test(arguments: versions)
    func deliversEventsPieceByPiece(_ front: TLSFront) async throws {
        network.stub(
            .get("/"),
            .events((0..<3).map { ServerSentEvent(data: "\($0)") }, every: .seconds(1)))

        var events = ServerSentEvents()
        var received: [String] = []
        for try await piece in try await session.stream(request(front)).0 {
            received += try events.parse(piece).map(\.data)
            // Only now the server sends the next one.
            await clock.advance(by: .seconds(1))
        }

        #expect(received == ["0", "1", "2"])
    }

    @Test(arguments: versions)
    func resumesADownload(_ front: TLSFront) async throws {
        let bytes = Data.pattern(300_000)
        network.stub(.get("/"), .file(bytes).failing(afterBytes: 200_000), .file(bytes))
        let policy = RetryPolicy(maximumAttempts: 2, baseDelay: .zero)

        try await session.download(request(front), to: folder.file, retrying: policy)

        #expect(folder.content == bytes)
        #expect(network.requests.map { $0.header("Range") != nil } == [false, true])
    }

    @Test(arguments: versions)
    func loadsManyAtOnce(_ front: TLSFront) async throws {
        network.stub(.any, times: .exactly(64)) { .text($0.path) }

        let answers = try await withThrowingTaskGroup(of: Bool.self) { [session] group in
            for index in 0..<64 {
                let request = request(front, "/\(index)")
                group.addTask {
                    let answer = try await session.exchange(request)
                    return answer.0.text == "/\(index)"
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(answers == Array(repeating: true, count: 64))
        try network.verify()
    }

    @Test(arguments: [TLSFront.http1, .http2, .bytes])
    func failsIfTheConnectionBreaks(_ front: TLSFront) async throws {
        network.stub(.any, .text("0123456789").failing(afterBytes: 5))

        let outcome = await session.outcome(of: request(front))

        #expect(outcome == .error(.networkConnectionLost))
    }

    @Test(arguments: [
        "https://127.0.0.1:\(TLSFront.http1.port)/", TLSFront.expired.url().absoluteString,
        TLSFront.stranger.url().absoluteString,
    ])
    func refusesAWrongCertificate(_ url: String) async throws {
        let request = URLRequest(url: try #require(URL(string: url)))

        await #expect(throws: URLError.self) { try await session.exchange(request) }
    }
}
