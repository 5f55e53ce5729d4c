import Foundation

/// The body of a streamed response: an asynchronous sequence of its pieces, as they arrive.
///
/// ```swift
/// let (body, response) = try await session.stream(request)
/// for try await piece in body { received += piece.count }
/// ```
///
/// A piece is never empty, and its boundaries have no meaning. Pieces that arrive while the reader
/// is busy are joined to one. The number of bytes that wait for a slow reader is limited: see
/// ``HTTPSession/bufferingStreams(upTo:)``.
///
/// The transfer ends as soon as the loop is left, the body is released, or the reading task is
/// cancelled. A body can be read once.
public struct HTTPBody: AsyncSequence, Sendable {
    /// A piece of the body, with at least one byte.
    public typealias Element = Data

    /// The transfer until an iterator takes it.
    ///
    /// It belongs to the iterator afterwards, so that the transfer ends with the loop, although the
    /// body may still be in scope.
    private let transfer: Locked<BodyTransfer?>

    /// Creates a body that is read from a source.
    package init(_ source: any BodySource) {
        transfer = Locked(BodyTransfer(source))
    }

    /// Creates a body that is complete.
    ///
    /// - Parameter data: The bytes of the body.
    public init(_ data: Data) {
        let buffer = BodyBuffer(limit: .max)
        buffer.append(data)
        buffer.finish()
        self.init(buffer)
    }

    /// Creates a body whose pieces a function returns.
    ///
    /// Use it in an ``HTTPSession`` of your own.
    ///
    /// - Parameter next: Returns the next piece, or nil at the end. It is called when a piece is
    ///   needed, one call at a time, and its task is cancelled when the reader leaves.
    public init(unfolding next: @escaping @Sendable () async throws -> Data?) {
        self.init(UnfoldingBody(next))
    }

    /// Returns a body that is read through another source. This body can no longer be read.
    package func wrapped(_ wrap: (any BodySource) -> any BodySource) -> HTTPBody {
        HTTPBody(wrap(takeTransfer() ?? BodyReadTwice()))
    }

    /// Ends the transfer, although the body is kept. Its reader gets `URLError.cancelled`.
    func end() {
        transfer.withLock { $0 }?.end(throwing: URLError(.cancelled))
    }

    /// Returns the iterator of the pieces. Only the first one returns them; any other one throws
    /// ``BodyReadTwiceError``.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(transfer: takeTransfer() ?? BodyTransfer(BodyReadTwice()))
    }

    private func takeTransfer() -> BodyTransfer? {
        transfer.withLock { transfer in
            defer { transfer = nil }
            return transfer
        }
    }

    /// An iterator over the pieces of a body. The transfer ends when the last copy is released.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let transfer: BodyTransfer

        /// Suspends until bytes have arrived, and returns all that wait.
        ///
        /// - Returns: At least one byte, or nil at the end of the body.
        /// - Throws: `URLError.cancelled` if the task is cancelled; ``BodyLimitError`` if too many
        ///   bytes waited; ``BodyReadTwiceError`` if the body was read before, or if another task
        ///   waits in `next()` of a copy; otherwise the error that ended the transfer. Every later
        ///   call throws the error that ended the transfer again.
        public nonisolated(nonsending) mutating func next() async throws -> Data? {
            try await transfer.next()
        }

        /// Does the same as `next()`. `for try await` calls this one to stay on the caller's actor.
        ///
        /// - Parameter actor: The caller's actor.
        /// - Throws: The errors of `next()`.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?)
            async throws(any Error)
            -> Data?
        {
            try await next()
        }
    }
}

extension HTTPBody {
    /// The number of bytes that an error keeps of a body.
    private static let longestBeginning = 1024 * 1024

    /// Returns the beginning of the body of a refused response, for the error: at most 1 MiB.
    ///
    /// If the body ends with an error, returns what arrived: the refusal matters more.
    ///
    /// - Parameter timer: Limits the time for all of it. Nil for no limit.
    nonisolated(nonsending) func beginning(within timer: DeadlineTimer? = nil) async -> Data {
        var data = Data()
        var pieces = makeAsyncIterator()
        let limit = timer?.schedule { [transfer = pieces.transfer] in
            transfer.end(throwing: URLError(.timedOut))
        }
        defer { limit?.1.cancel() }
        while data.count < Self.longestBeginning, let piece = try? await pieces.next() {
            data += piece.prefix(Self.longestBeginning - data.count)
        }
        return data
    }
}
