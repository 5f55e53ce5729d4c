import APIKitLiteTesting
import TestSupport

@testable import APIKitLite

@Suite(.limited, .usesSockets) struct DownloadProgressTests {
    private let folder = try! TemporaryFolder()
    private let bytes = Data.pattern(100)

    private let network = MockNetwork()
    /// The calls of a progress.
    private let calls = Locked<[Count]>([])

    private struct Count: Equatable {
        let bytes: Int64
        let total: Int64?
    }

    /// Downloads a file, and returns what the progress was called with.
    private func counts(
        over session: any HTTPSession, of request: URLRequest = .test("/file")
    ) async throws -> [Count] {
        try await session.fetch(request, to: folder.file) { [calls] bytes, total in
            calls.withLock { $0.append(Count(bytes: bytes, total: total)) }
        }
        return calls.withLock { $0 }
    }

    @Test(
        arguments: [
            (["Content-Length": "100"], 200, 0, [40, 60], [0, 40, 100], 100),
            // What an earlier call left counts, unless the file is another one.
            (
                ["ETag": "\"1\"", "Content-Range": "bytes 40-99/100"], 206, 40, [60], [40, 100], 100
            ),
            (["ETag": "\"2\"", "Content-Length": "3"], 200, 40, [3], [0, 3], 3),
            ([:], 200, 0, [100], [0, 100], nil),
            (["Content-Length": ""], 200, 0, [100], [0, 100], nil),
            (["Content-Length": "-1"], 200, 0, [100], [0, 100], nil),
            (["Content-Length": "x"], 200, 0, [100], [0, 100], nil),
        ] as [([String: String], Int, Int, [Int], [Int64], Int64?)])
    func countsTheBytes(
        _ fields: [String: String], _ status: Int, _ left: Int, _ pieces: [Int], _ calls: [Int64],
        _ total: Int64?
    ) async throws {
        if left > 0 { try folder.leavePart(bytes.prefix(left), ResumeRecord(at: 40, of: 100)) }
        let session = BodySession(status: status, headers: fields) {
            HTTPBody(pieces.map { Data(count: $0) })
        }
        #expect(try await counts(over: session) == calls.map { Count(bytes: $0, total: total) })
        #expect(folder.content?.count == Int(calls[calls.count - 1]))
    }

    @Test(arguments: Transport.allCases)
    func reportsEachPieceThatArrives(_ transport: Transport) async throws {
        // The test itself waits for each piece.
        let clock = MockClock(patience: .zero)
        let network = MockNetwork(clock: clock)
        network.stub(.any, .data(bytes).chunked(by: 10, every: .seconds(1)))
        let (session, baseURL) = try transport.open(network)
        let download = Task { try await counts(over: session, of: URLRequest(url: baseURL)) }
        for arrived in 1..<10 {
            await clock.waitForSleepers()
            await yieldWhile { calls.withLock { $0.last?.bytes } != Int64(arrived * 10) }
            await clock.advance(by: .seconds(1))
        }
        let expected = stride(from: Int64(0), through: 100, by: 10)
        #expect(try await download.value == expected.map { Count(bytes: $0, total: 100) })
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
        let session = BodySession(unfolding: { [bytes, calls] in
            if calls.withLock({ $0.count }) == 1 { return bytes.prefix(40) }
            _ = try await waitForCancellation()
            return nil
        })
        let task = Task { try await counts(over: session) }
        await yieldWhile { calls.withLock { $0.count } < 2 }
        task.cancel()
        await #expect(throws: URLError(.cancelled)) { try await task.value }
        #expect(folder.names == ["file.bin.part", "file.bin.part.json"])
    }

    @Test func continuesByItselfIfAskedTo() async throws {
        network.stub(.any, .file(bytes))
        // Each response has ten bytes before the connection is lost.
        network.stub(.any, MockResponse.file(bytes).failing(afterBytes: 10), times: .exactly(5))
        try await network.fetch(.test("/file"), to: folder.file, retrying: .attempts(2))
        #expect(folder.content == bytes)
        #expect(network.requests.count == 6)
    }

    /// A disk is slow for a moment only, but the reader of a stream may do anything.
    @Test func onlyADownloadIsWaitedFor() async throws {
        network.stub(.any, .file(bytes))
        let session = OptionsSession(next: network)
        try await session.fetch(.test("/file"), to: folder.file)
        _ = try await session.stream(.test("/file")).0.collect()
        let options = session.options.withLock { $0 }
        #expect(options.map(\.context.waitsForReader) == [true, false])
        #expect(options.map(\.bufferLimit) == [32 << 20, 64 << 20])
    }

    @Test func aSlowDiskInterruptsTheTransfer() async throws {
        network.stub(.any, .file(bytes))
        let interrupted = HTTPBody([bytes.prefix(40)], throwing: TransportError.bodyLimit(40))
        let session = network.intercepting { request, next in
            let (body, response) = try await next(request)
            return (request.rangeStart == nil ? interrupted : body, response)
        }
        try await session.fetch(.test("/file"), to: folder.file)
        #expect(folder.content == bytes)
        #expect(network.ranges == [nil, "bytes=40-"])
    }

    @Test func aSlowDiskEndsATransferThatCannotBeResumed() async throws {
        let session = BodySession(headers: [:]) { [bytes] in
            HTTPBody([bytes.prefix(40)], throwing: TransportError.bodyLimit(40))
        }
        await #expect(throws: TransportError.bodyLimit(40)) {
            try await session.fetch(.test("/file"), to: folder.file)
        }
        #expect(folder.names == [])
    }
}

/// The promise of a download: under the name of the file is what was there before, or the whole
/// right file.
@Suite(.limited, .usesSockets) struct DownloadFaultTests {
    private let bytes = Data.pattern(20)
    private let old = Data("old".utf8)

    private func folder(with count: Int) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try old.write(to: folder.file)
        guard count > 0 else { return folder }
        try folder.leavePart(bytes.prefix(count), ResumeRecord(at: Int64(count), of: 20))
        return folder
    }

    @Test(arguments: [0, 9, 19, 20])
    func everyFaultEndsInTheRightFileOrAnError(_ kept: Int) async throws {
        let (bytes, old) = (bytes, old)
        let part = MockResponse.part(of: bytes, min(kept, 19)..<20)
        // Without a part on disk, a part of the file is no good response.
        for response in [.file(bytes)] + (kept > 0 ? [part] : []) {
            try await forEachFault(in: response) { network in
                let folder = try folder(with: kept)
                let result = await Result {
                    try await network.download(TextRequest(), "/file", to: folder.file)
                }
                if case .failure = result {
                    #expect(folder.content == old)
                } else if folder.content != bytes {
                    // Nothing shows that the body of this response is not the file.
                    let served = try await Task { try await network.exchange(.test("/file")) }.value
                    #expect(folder.content == served.0, "\(Fault.current)")
                }

                // The next call gets the file from any state that this call left.
                let healthy = MockNetwork()
                healthy.stub(.any, .file(bytes))
                _ = try await Task { try await healthy.fetch(.test("/file"), to: folder.file) }
                    .value
                #expect(folder.content == bytes, "\(Fault.current)")
                #expect(folder.names == ["file.bin"], "\(Fault.current)")
                _ = try result.get()
            }
        }
    }

    /// Downloads until there is another file, or each response has been used.
    private func expect(
        _ expected: Data, in folder: TemporaryFolder, from responses: MockResponse...,
        comment: Comment
    ) async {
        let network = MockNetwork()
        network.stub(.any, each: responses)
        for _ in responses where folder.content == old {
            _ = try? await network.fetch(.test("/file"), to: folder.file)
            #expect(folder.content == old || folder.content == expected, comment)
        }
        #expect(folder.content == expected, comment)
    }

    @Test func anyByteMayBeTheLast() async throws {
        for first in stride(from: 0, through: 20, by: 5) {
            let rest = 20 - first
            for second in Set(stride(from: first % 6, to: rest, by: 6)).union([rest]) {
                try await expect(
                    bytes, in: folder(with: 0), from: .file(bytes).failing(afterBytes: first),
                    .file(bytes).failing(afterBytes: second), .file(bytes),
                    comment: "lost after \(first) and \(second) bytes")
            }
        }
    }

    @Test(arguments: [0, 1, 9, 19, 20]) func versionsNeverMix(_ lost: Int) async throws {
        let other = Data(bytes.map { $0 ^ 0xFF })
        for second in Set(stride(from: lost % 6, to: 20, by: 6)).union([0, 1, 19, 20]) {
            let response = MockResponse.file(other, tag: "\"2\"")
            try await expect(
                other, in: folder(with: lost), from: response.failing(afterBytes: second), response,
                comment: "lost after \(second) bytes")
        }
    }
}
