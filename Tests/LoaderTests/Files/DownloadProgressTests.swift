import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@testable import APIKitLite

@Suite(.limited, .usesSockets) struct DownloadProgressTests {
    private let folder: TemporaryFolder
    private let bytes = Data.pattern(100)

    init() throws {
        folder = try TemporaryFolder()
    }

    /// The calls of a progress.
    private let calls = Locked<[Count]>([])

    private struct Count: Equatable {
        let bytes: Int64
        let total: Int64?
    }

    /// Downloads `/file`, and returns what the progress was called with.
    private func counts(over session: some HTTPSession) async throws -> [Count] {
        try await session.fetch(.test("/file"), to: folder.file) { [calls] bytes, total in
            calls.withLock { $0.append(Count(bytes: bytes, total: total)) }
        }
        return calls.withLock { $0 }
    }

    @Test func countsTheBytes() async throws {
        let pieces = Locked([bytes.dropFirst(40), bytes.prefix(40)])
        let session = PiecewiseSession(fields: ["Content-Length": "100"]) {
            pieces.withLock { $0.popLast() }
        }

        let expected = [0, 40, 100].map { Count(bytes: $0, total: 100) }
        #expect(try await counts(over: session) == expected)
    }

    @Test(arguments: Transport.allCases)
    func isHalfDoneWhenHalfHasArrived(_ transport: Transport) async throws {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        network.stub(.any, .data(bytes).chunked(by: 50, every: .seconds(1)))
        let (session, baseURL) = try transport.open(network)
        let download = Task { [calls, folder] in
            _ = try await session.download(URLRequest(url: baseURL), to: folder.file) {
                bytes, total in
                calls.withLock { $0.append(Count(bytes: bytes, total: total)) }
            }
        }

        await clock.waitForSleepers()
        await yieldWhile { calls.withLock { $0.last } != Count(bytes: 50, total: 100) }
        await clock.advance(by: .seconds(1))
        try await download.value
        #expect(calls.withLock { $0 } == [0, 50, 100].map { Count(bytes: $0, total: 100) })
    }

    @Test func countsWhatAnEarlierCallLeft() async throws {
        try folder.leavePart(bytes.prefix(40), ResumeRecord(at: 40, of: 100))
        let pieces = Locked([bytes.dropFirst(40)])
        let session = PiecewiseSession(
            fields: ["ETag": "\"1\"", "Content-Range": "bytes 40-99/100"], status: 206
        ) {
            pieces.withLock { $0.popLast() }
        }

        let expected = [40, 100].map { Count(bytes: $0, total: 100) }
        #expect(try await counts(over: session) == expected)
        #expect(folder.content == bytes)
    }

    @Test func beginsAgainWithAnotherFile() async throws {
        try folder.leavePart(bytes.prefix(40), ResumeRecord(at: 40, of: 100))
        let network = MockNetwork()
        network.stub(.any, .data(Data("new".utf8)).header("ETag", "\"2\""))

        let expected = [0, 3].map { Count(bytes: $0, total: 3) }
        #expect(try await counts(over: network) == expected)
    }

    @Test(arguments: [
        [:], ["Content-Length": ""], ["Content-Length": "-1"], ["Content-Length": "x"],
    ])
    func hasNoTotalIfTheLengthIsUnknown(_ fields: [String: String]) async throws {
        let pieces = Locked([bytes])
        let session = PiecewiseSession(fields: fields) { pieces.withLock { $0.popLast() } }
        let expected = [0, 100].map { Count(bytes: $0, total: nil) }
        #expect(try await counts(over: session) == expected)
    }

    @Test(
        arguments: [
            (0, 0, 10, false), (0, 1, 10, true), (0, 99, 10_000, false), (0, 100, 10_000, true),
            (200, 297, 10_000, false), (200, 298, 10_000, true), (9_999, 10_000, 10_000, true),
            (50, 40, 10_000, false), (0, 65_535, 1 << 40, false), (0, 65_536, 1 << 40, true),
            (0, 1, nil, true), (1_000, 1_009, nil, false), (1_000, 1_010, nil, true),
            (1 << 40, (1 << 40) + 65_535, nil, false), (1 << 40, (1 << 40) + 65_536, nil, true),
        ] as [(Int64, Int64, Int64?, Bool)])
    func countsProgress(_ furthest: Int64, _ offset: Int64, _ length: Int64?, _ isEnough: Bool) {
        #expect(isProgress(from: furthest, to: offset, of: length) == isEnough)
    }

    @Test func endsWithItsTask() async throws {
        let session = PiecewiseSession { [bytes, calls] in
            if calls.withLock({ $0.count }) == 1 { return bytes.prefix(40) }
            _ = try await waitForCancellation()
            return nil
        }
        let task = Task { try await counts(over: session) }
        await yieldWhile { calls.withLock { $0.count } < 2 }
        task.cancel()

        await #expect(throws: URLError(.cancelled)) { try await task.value }
        #expect(folder.names == ["file.bin.part", "file.bin.part.json"])
    }

    @Test func aCancellationEndsTheReadingOfARefusal() async throws {
        let clock = MockClock()
        let session = PiecewiseSession(status: 503) {
            try await clock.sleep(for: .seconds(1))
            return nil
        }
        let task = Task { [folder] in _ = try await session.fetch(.test("/file"), to: folder.file) }
        await clock.waitForSleepers()

        task.cancel()
        await #expect(throws: URLError(.cancelled)) { try await task.value }
        #expect(folder.names == [])
    }

    // MARK: Interrupted bodies

    @Test func continuesByItselfIfAskedTo() async throws {
        let network = MockNetwork()
        network.stub(.any, .file(bytes))
        // Each answer has ten bytes before the connection is lost.
        network.stub(.any, MockResponse.file(bytes).failing(afterBytes: 10), times: .exactly(5))

        try await network.fetch(
            .test("/file"), to: folder.file,
            retrying: RetryPolicy(maximumAttempts: 2, baseDelay: .zero))
        #expect(folder.content == bytes)
        #expect(network.requests.count == 6)
    }

    @Test func givesUpWithoutProgress() async throws {
        let network = MockNetwork()
        network.stub(.any, .error(.networkConnectionLost))
        await #expect(throws: URLError(.networkConnectionLost)) {
            try await network.fetch(
                .test("/file"), to: folder.file,
                retrying: RetryPolicy(maximumAttempts: 3, baseDelay: .zero))
        }
        #expect(network.requests.count == 3)
        #expect(folder.names == [])
    }

    @Test func aSlowDiskInterruptsTheTransfer() async throws {
        let network = MockNetwork()
        network.stub(.any, .file(bytes))
        let pieces = Locked([bytes.prefix(40)])
        let session = network.intercepting { request, next in
            let (body, response) = try await next(request)
            guard request.value(forHTTPHeaderField: "Range") == nil else { return (body, response) }
            let interrupted = HTTPBody(unfolding: {
                if let piece = pieces.withLock({ $0.popLast() }) { return piece }
                throw TransportError.bodyLimit(40)
            })
            return (interrupted, response)
        }

        try await session.fetch(.test("/file"), to: folder.file)
        #expect(folder.content == bytes)
        #expect(network.requests.map { $0.header("Range") } == [nil, "bytes=40-"])
    }

    @Test func aSlowDiskEndsATransferThatCannotBeResumed() async throws {
        let pieces = Locked([bytes.prefix(40)])
        let session = PiecewiseSession(fields: [:]) {
            if let piece = pieces.withLock({ $0.popLast() }) { return piece }
            throw TransportError.bodyLimit(40)
        }
        await #expect(throws: TransportError.bodyLimit(40)) {
            try await session.fetch(.test("/file"), to: folder.file)
        }
        #expect(folder.names == [])
    }
}
