import Foundation

/// A source of the pieces of one body.
package protocol BodySource: AnyObject, Sendable {
    /// Suspends until bytes have arrived, and returns all that wait, or nil at the end. One task
    /// calls it at a time.
    ///
    /// - Throws: The error that ended the body. Every later call throws it again.
    func next() async throws -> Data?

    /// Ends the transfer, and discards the bytes that wait. The pending call of `next()` and all
    /// later ones throw the error. If the whole body has been read, does nothing.
    func end(throwing error: any Error)

    /// Ends the transfer as `end(throwing:)` does, because the task that reads is cancelled.
    ///
    /// It runs inside `Task.cancel()`, whose caller may hold a lock that somebody else's code needs.
    /// So it calls no such code.
    func cancel()
}

extension BodySource {
    package func cancel() { end(throwing: URLError(.cancelled)) }
}

/// The ownership of a source: the transfer ends when its last reader is released.
package final class BodyTransfer: BodySource {
    private let source: any BodySource
    /// Whether a task waits for the next piece.
    private let isBeingRead = Locked(false)

    init(_ source: any BodySource) {
        self.source = source
    }

    deinit {
        source.end(throwing: URLError(.cancelled))
    }

    /// Does the same as the source's `next()`.
    ///
    /// - Throws: The errors of the source; ``BodyReadTwiceError`` if another task waits for a piece.
    ///   That task is not affected.
    package func next() async throws -> Data? {
        // Two tasks of one actor may use copies of an iterator, but a source has one reader.
        guard isBeingRead.setIfFalse() else { throw BodyReadTwiceError() }
        defer { isBeingRead.withLock { $0 = false } }
        return try await withTaskCancellationHandler {
            try await source.next()
        } onCancel: {
            source.cancel()
        }
    }

    package func end(throwing error: any Error) {
        source.end(throwing: error)
    }

    package func cancel() {
        source.cancel()
    }
}

/// The source of a body whose pieces have been given to another reader.
final class BodyReadTwice: BodySource {
    func next() async throws -> Data? { throw BodyReadTwiceError() }
    func end(throwing error: any Error) {}
}
