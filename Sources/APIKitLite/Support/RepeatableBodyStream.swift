import Foundation

/// The stream of a ``RepeatableBody``, which is the `httpBodyStream` of a request.
///
/// The stream in a request is never read. Each attempt to send the request reads a copy, which
/// `reopened()` returns. So a request can be sent several times, also at the same time.
///
/// On Apple platforms, Foundation calls private methods of a stream, which a subclass lacks. So
/// there a session hands Foundation another stream with the same bytes.
package final class RepeatableBodyStream: InputStream {
    /// Called with the number of bytes that were read so far, at the start and after each read.
    package typealias Observer = @Sendable (_ count: Int) -> Void

    /// How far the stream was read.
    private struct Position {
        var status = Stream.Status.notOpen
        /// The index of the current segment.
        var segment = 0
        /// The offset in the current segment.
        var offset = 0
        /// The current segment, if it is a file.
        var file: OpenBodyFile?
        /// The number of bytes that were read.
        var count = 0
        var failure: FileBodyError?

        /// Reads the next bytes of a body, from one segment.
        ///
        /// - Returns: Their number; 0 at the end of the body, and for an empty buffer.
        /// - Throws: ``FileBodyError``.
        mutating func read(
            _ buffer: UnsafeMutableRawBufferPointer, of body: RepeatableBody
        ) throws(FileBodyError) -> Int {
            while segment < body.segments.count, !buffer.isEmpty {
                let current = body.segments[segment]
                let length = min(buffer.count, current.size - offset)
                let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<length])
                let count: Int
                switch current {
                case .bytes(let data):
                    let start = data.startIndex + offset
                    count = data.copyBytes(to: target, from: start..<(start + length))
                case .file(let file):
                    // Not `??`, which would lose the type of the error.
                    let open = if let open = self.file { open } else { try OpenBodyFile(file) }
                    self.file = open
                    count = length > 0 ? try open.read(target, at: offset) : 0
                    // The last bytes of a file that has changed are withheld, so that no server
                    // receives a complete body.
                    if offset + count == file.size { try open.checkUnchanged() }
                }
                offset += count
                if offset == current.size { (segment, offset, self.file) = (segment + 1, 0, nil) }
                if count > 0 { return count }
            }
            return 0
        }
    }

    /// The bytes and files.
    package let body: RepeatableBody
    private let observer: Observer?
    private let position = Locked(Position())

    /// Creates a stream that is not open.
    ///
    /// - Parameters:
    ///   - body: The bytes and files.
    ///   - observer: Observes how much was read.
    package init(_ body: RepeatableBody, observer: Observer? = nil) {
        self.body = body
        self.observer = observer
        super.init(data: Data())
    }

    /// Returns a stream with the same body and observer that is not open.
    package func reopened() -> RepeatableBodyStream {
        RepeatableBodyStream(body, observer: observer)
    }

    /// The reason why the body could not be read; nil if nothing has failed.
    package var failure: FileBodyError? { position.withLock { $0.failure } }

    package override var streamStatus: Stream.Status { position.withLock { $0.status } }

    package override var streamError: (any Error)? { failure }

    package override var hasBytesAvailable: Bool { streamStatus == .open }

    /// Goes to the start. Foundation on Linux opens the stream again if it sends a request again.
    package override func open() {
        position.withLock {
            $0 = Position()
            $0.status = .open
        }
        observer?(0)
    }

    package override func close() {
        position.withLock {
            $0.file = nil
            $0.status = .closed
        }
    }

    /// Reads the next bytes.
    ///
    /// - Returns: Their number; 0 at the end; -1 if a file cannot be read or has changed, and if the
    ///   stream is not open.
    package override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        let target = UnsafeMutableRawBufferPointer(start: buffer, count: maxLength)
        let (count, total) = position.withLock { position in
            if position.status != .open {
                return (position.status == .atEnd ? 0 : -1, position.count)
            }
            do throws(FileBodyError) {
                let count = try position.read(target, of: body)
                position.count += count
                if count == 0, maxLength > 0 { position.status = .atEnd }
                return (count, position.count)
            } catch {
                position.failure = error
                position.file = nil
                position.status = .error
                return (-1, position.count)
            }
        }
        if count > 0 { observer?(total) }
        return count
    }

    package override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length: UnsafeMutablePointer<Int>
    ) -> Bool { false }
}
