import TestSupport

@testable import APIKitLite

/// The buffer of a body, without a session.
@Suite(.limited) struct BodyBufferTests {
    private let piece = Data("12".utf8)

    @Test func isReleasedAfterTheLimitWasExceeded() async throws {
        weak var released: BodyBuffer?
        do {
            let buffer = BodyBuffer(limit: 3)
            released = buffer
            buffer.onCancel { [buffer] in _ = buffer }
            buffer.append(piece)
            buffer.append(piece)
            #expect(try await buffer.next() == piece)
            await #expect(throws: TransportError.bodyLimit(3)) { try await buffer.next() }
            buffer.end(throwing: URLError(.cancelled))
        }

        #expect(released == nil)
    }

    /// The function that ends the transfer may be set after the reader has left.
    @Test(arguments: [true, false])
    func endsTheTransferAfterTheLimitWasExceeded(isSetBefore: Bool) {
        let buffer = BodyBuffer(limit: 3)
        let calls = Locked(0)
        if isSetBefore { buffer.onCancel { calls.next() } }
        buffer.append(piece)
        #expect(calls.withLock { $0 } == 0)
        buffer.append(piece)
        #expect(calls.withLock { $0 } == (isSetBefore ? 1 : 0))
        buffer.end(throwing: URLError(.cancelled))
        if !isSetBefore { buffer.onCancel { calls.next() } }
        #expect(calls.withLock { $0 } == 1)
    }

    /// A reader that leaves at the end of a body changes nothing.
    @Test func staysCompleteAfterItsEnd() async throws {
        let buffer = BodyBuffer()
        buffer.finish()
        #expect(!buffer.end(throwing: URLError(.cancelled)))
        #expect(try await buffer.next() == nil)
    }

    /// A delayed sender continues after each of these calls.
    @Test func tellsThatItsReaderTookBytesOrLeft() async throws {
        let calls = Locked(0)
        let buffer = BodyBuffer { _ in calls.withLock { $0 += 1 } }
        buffer.append(Data("a".utf8))
        #expect(calls.withLock { $0 } == 0)

        #expect(try await buffer.next() == Data("a".utf8))
        #expect(calls.withLock { $0 } == 1)
        buffer.end(throwing: URLError(.cancelled))
        #expect(calls.withLock { $0 } == 2)
    }

    /// Foundation may close the stream of a body, and open it again.
    @Test func readsAClosedBodyStreamAnew() {
        let counts = Locked<[Int64]>([])
        let stream = RepeatableBodyStream(RepeatableBody(segments: [.bytes(piece)])) { count, _ in
            counts.withLock { $0.append(count) }
        }
        var bytes = [UInt8](repeating: 0, count: 10)
        for _ in 1...2 {
            stream.open()
            #expect(stream.read(&bytes, maxLength: bytes.count) == 2)
            stream.close()
            #expect(stream.read(&bytes, maxLength: bytes.count) == -1)
        }
        #expect(counts.withLock { $0 } == [2, 2])
    }

    @Test func ignoresAnEmptyPiece() {
        let buffer = BodyBuffer()
        buffer.append(Data())
        #expect(buffer.pieceCount == 0)
    }

    /// A piece costs hundreds of bytes beside its own.
    @Test func joinsSmallPieces() async throws {
        let buffer = BodyBuffer()
        for _ in 0..<100_000 { buffer.append(Data("a".utf8)) }
        #expect(buffer.pieceCount < 100)
        #expect(try await buffer.next()?.count == 100_000)
    }
}
