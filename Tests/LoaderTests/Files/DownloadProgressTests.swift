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

    @Test func countsTheBytes() async throws {
        let network = MockNetwork()
        network.stub(.any, .file(bytes))
        let progress = Progress(totalUnitCount: -1)

        try await MockURLSession(network).download(
            .test("/file"), to: folder.file, progress: progress)

        #expect(progress.totalUnitCount == 100)
        #expect(progress.completedUnitCount == 100)
        #expect(progress.isFinished)
        #expect(progress.kind == .file)
        #expect(progress.userInfo[.fileURLKey] as? URL == folder.file)
        #expect(
            progress.userInfo[.fileOperationKindKey] as? Progress.FileOperationKind
                == .downloading)
    }

    @Test func countsWhatAnEarlierCallLeft() async throws {
        try folder.leavePart(bytes.prefix(40), ResumeRecord(at: 40, of: 100))
        let gate = Gate()
        let pieces = Locked([bytes.dropFirst(40)])
        let session = PiecewiseSession(
            fields: ["ETag": "\"1\"", "Content-Range": "bytes 40-99/100"], status: 206
        ) {
            await gate.wait()
            return pieces.withLock { $0.popLast() }
        }
        let progress = Progress(totalUnitCount: -1)

        let task = Task { [folder] in
            try await session.download(.test("/file"), to: folder.file, progress: progress)
        }
        await yieldWhile { progress.completedUnitCount == 0 }
        #expect(progress.completedUnitCount == 40)
        #expect(progress.totalUnitCount == 100)
        gate.open()
        _ = try await task.value

        #expect(progress.completedUnitCount == 100)
        #expect(folder.content == bytes)
    }

    @Test func isIndeterminateIfTheLengthIsUnknown() async throws {
        let gate = Gate()
        let pieces = Locked([bytes.dropFirst(40), bytes.prefix(40)])
        let session = PiecewiseSession {
            let piece = pieces.withLock { $0.popLast() }
            if piece?.count == 60 { await gate.wait() }
            return piece
        }
        let progress = Progress(totalUnitCount: 1)

        let task = Task { [folder] in
            try await session.download(.test("/file"), to: folder.file, progress: progress)
        }
        await yieldWhile { progress.completedUnitCount < 40 }
        #expect(progress.isIndeterminate)
        gate.open()
        _ = try await task.value

        #expect(!progress.isIndeterminate)
        #expect(progress.fractionCompleted == 1)
    }

    @Test(arguments: Transport.allCases)
    func cancellingTheProgressEndsTheTransfer(_ transport: Transport) async throws {
        let network = MockNetwork()
        network.stub(.any, .hanging)
        let (session, baseURL) = try transport.open(network)
        let progress = Progress(totalUnitCount: -1)

        let task = Task { [folder] in
            try await session.download(
                FileRequest(baseURL: baseURL), "/file", to: folder.file, progress: progress)
        }
        await network.waitForRequests(1)
        progress.cancel()

        let error = await #expect(throws: APIRequestError.self) { try await task.value }
        #expect(error?.stage == .transport)
        #expect(error?.isCancellation == true)
        #expect(folder.names == [])
    }

    @Test func cancellingTheProgressEndsTheBody() async throws {
        let pieces = Locked([bytes.prefix(40)])
        let session = PiecewiseSession {
            if let piece = pieces.withLock({ $0.popLast() }) { return piece }
            _ = try await waitForCancellation()
            return nil
        }
        let progress = Progress(totalUnitCount: -1)
        let task = Task { [folder] in
            try await session.download(.test("/file"), to: folder.file, progress: progress)
        }
        await yieldWhile { progress.completedUnitCount < 40 }
        progress.cancel()

        await #expect(throws: (any Error).self) { try await task.value }
        #expect(folder.names == ["file.bin.part", "file.bin.part.json"])
    }

    @Test(arguments: [true, false])
    func aCancellationEndsTheReadingOfARefusal(_ byProgress: Bool) async throws {
        let progress = Progress(totalUnitCount: -1)
        let clock = MockClock()
        let session = PiecewiseSession(status: 503) {
            try await clock.sleep(for: .seconds(1))
            return nil
        }
        let task = Task { [folder] in
            _ = try await session.download(.test("/file"), to: folder.file, progress: progress)
        }
        await clock.waitForSleepers()

        if byProgress { progress.cancel() } else { task.cancel() }

        await #expect(throws: URLError(.cancelled)) { try await task.value }
        #expect(folder.names == [])
    }

    @Test func nothingIsSentForACancelledProgress() async throws {
        let network = MockNetwork()
        let progress = Progress(totalUnitCount: -1)
        progress.cancel()
        await #expect(throws: URLError(.cancelled)) {
            try await MockURLSession(network).download(
                .test("/file"), to: folder.file, progress: progress)
        }
        #expect(network.requests.isEmpty)
    }

    // MARK: Interrupted bodies

    @Test func continuesByItselfIfAskedTo() async throws {
        let network = MockNetwork()
        network.stub(.any, .file(bytes))
        // Each answer has ten bytes before the connection is lost.
        network.stub(.any, MockResponse.file(bytes).failing(afterBytes: 10), times: .exactly(5))

        try await MockURLSession(network).download(
            .test("/file"), to: folder.file,
            retrying: RetryPolicy(maximumAttempts: 2, baseDelay: .zero))

        #expect(folder.content == bytes)
        #expect(network.requests.count == 6)
    }

    @Test func givesUpWithoutProgress() async throws {
        let network = MockNetwork()
        network.stub(.any, .error(.networkConnectionLost))
        await #expect(throws: URLError(.networkConnectionLost)) {
            try await MockURLSession(network).download(
                .test("/file"), to: folder.file,
                retrying: RetryPolicy(maximumAttempts: 3, baseDelay: .zero))
        }
        #expect(network.requests.count == 3)
        #expect(folder.names == [])
    }

    @Test func waitsBetweenAttempts() async throws {
        let network = MockNetwork()
        let clock = MockClock()
        network.stub(.any, .error(.networkConnectionLost), .file(bytes))
        let task = Task { [folder] in
            try await MockURLSession(network).download(
                .test("/file"), to: folder.file,
                retrying: RetryPolicy(baseDelay: .seconds(60), maximumDelay: .seconds(60)),
                clock: clock)
        }
        await clock.waitForSleepers(1)
        #expect(network.requests.count == 1)
        await clock.advance(by: .seconds(60))
        _ = try await task.value
        #expect(folder.content == bytes)
    }

    /// A stream whose reader is too slow ends with `BodyLimitError`.
    @Test func aSlowDiskInterruptsTheTransfer() async throws {
        let network = MockNetwork()
        network.stub(.any, .file(bytes))
        let pieces = Locked([bytes.prefix(40)])
        let session = MockURLSession(network).intercepting { request, next in
            let (body, response) = try await next(request)
            guard request.value(forHTTPHeaderField: "Range") == nil else { return (body, response) }
            let interrupted = HTTPBody(unfolding: {
                if let piece = pieces.withLock({ $0.popLast() }) { return piece }
                throw TransportError.bodyLimit(40)
            })
            return (interrupted, response)
        }

        try await session.download(.test("/file"), to: folder.file)
        #expect(folder.content == bytes)
        #expect(
            network.requests.map { $0.header("Range") } == [nil, "bytes=40-"])
    }

    @Test func aSlowDiskEndsATransferThatCannotBeResumed() async throws {
        let pieces = Locked([bytes.prefix(40)])
        let session = PiecewiseSession(fields: [:]) {
            if let piece = pieces.withLock({ $0.popLast() }) { return piece }
            throw TransportError.bodyLimit(40)
        }
        await #expect(throws: TransportError.bodyLimit(40)) {
            try await session.download(.test("/file"), to: folder.file)
        }
        #expect(folder.names == [])
    }
}
