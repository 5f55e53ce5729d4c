#if !canImport(FoundationNetworking)
import Foundation

extension RepeatableBodyStream {
    /// Returns a stream of Foundation's own with the bytes of this one.
    ///
    /// - Parameter onFailure: Called if a file cannot be read. The stream then ends too early.
    func boundStream(onFailure: @escaping @Sendable () -> Void) -> InputStream {
        var input: InputStream?
        var output: OutputStream?
        Stream.getBoundStreams(
            withBufferSize: BoundStreamWriter.pieceSize, inputStream: &input,
            outputStream: &output)
        guard let input, let output else { return self }
        BoundStreamWriter(self, output, onFailure).start()
        return input
    }
}

/// The writer of a bound stream. It writes as much as the reader takes, on a queue of its own.
private final class BoundStreamWriter: NSObject, StreamDelegate {
    static let pieceSize = 1 << 16

    private let source: RepeatableBodyStream
    private let output: OutputStream
    private let onFailure: @Sendable () -> Void
    /// What was read and not yet written.
    private var piece: ArraySlice<UInt8> = []
    /// Keeps the writer alive until it has finished, because a stream does not retain its delegate.
    private var itself: BoundStreamWriter?

    init(
        _ source: RepeatableBodyStream, _ output: OutputStream,
        _ onFailure: @escaping @Sendable () -> Void
    ) {
        self.source = source
        self.output = output
        self.onFailure = onFailure
    }

    func start() {
        itself = self
        output.delegate = self
        CFWriteStreamSetDispatchQueue(
            output as CFWriteStream, DispatchQueue(label: "APIKitLite.BoundStreamWriter"))
        source.open()
        output.open()
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        switch event {
        case .hasSpaceAvailable: write()
        // The reader has closed its stream, for example because its task was cancelled.
        case .endEncountered, .errorOccurred: finish()
        default: break
        }
    }

    private func write() {
        if piece.isEmpty {
            var buffer = [UInt8](repeating: 0, count: Self.pieceSize)
            let count = source.read(&buffer, maxLength: buffer.count)
            if count < 0 { onFailure() }
            guard count > 0 else { return finish() }
            piece = buffer[..<count]
        }
        let count = piece.withUnsafeBufferPointer {
            output.write($0.baseAddress!, maxLength: $0.count)
        }
        guard count > 0 else { return finish() }
        piece = piece.dropFirst(count)
    }

    private func finish() {
        output.close()
        source.close()
        itself = nil
    }
}
#endif
