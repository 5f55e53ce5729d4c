import Foundation

/// The body of a response: an asynchronous sequence of its pieces, as they arrive.
///
/// ```swift
/// let (body, response) = try await session.stream(request)
/// for try await piece in body { received += piece.count }
/// ```
///
/// A piece is never empty, and its boundaries have no meaning. Pieces that arrive while the reader
/// is busy are joined to one. The number of bytes that wait for a slow reader is limited: see
/// ``HTTPSession/stream(_:buffering:)``.
///
/// The transfer ends as soon as the loop is left, the body is released, or the reading task is
/// cancelled. A body in pieces can be read once.
public struct HTTPBody: AsyncSequence, Sendable {
    private enum Content {
        case complete(Data)
        /// The transfer belongs to the body until an iterator takes it. So it ends with the loop,
        /// although the body may still be in scope.
        case pieces(BodyBuffer, Locked<BodyTransfer?>)
    }

    private let content: Content
    /// The numbers of the exchange that returned this body, by the identities of its observers.
    var exchangeIDs: [ObjectIdentifier: Int] = [:]

    /// Creates a body that is complete.
    ///
    /// - Parameter data: The bytes of the body.
    public init(_ data: Data) {
        content = .complete(data)
    }

    package init(_ buffer: BodyBuffer) {
        content = .pieces(buffer, Locked(BodyTransfer(buffer: buffer)))
    }

    /// Creates a body whose pieces a function returns.
    ///
    /// Use it in an ``HTTPSession`` of your own.
    ///
    /// - Parameter next: Returns the next piece, or nil at the end. It is called when a piece is
    ///   needed, one call at a time, and its task is cancelled when the reader leaves.
    public init(unfolding next: @escaping @Sendable () async throws -> Data?) {
        let buffer = BodyBuffer(limit: .max)
        let running = Locked<Task<Void, Never>?>(nil)
        buffer.onCancel { running.withLock { $0 }?.cancel() }
        buffer.onRead { [weak buffer] in
            // Also called when the reader has left.
            guard buffer?.isCancelled == false else { return }
            // Stored under the lock: the task may end, and the next one start, before this returns.
            let task = running.withLock { running in
                let task = Task {
                    do {
                        while let piece = try await next() {
                            guard piece.isEmpty else {
                                buffer?.append(piece)
                                return
                            }
                        }
                        buffer?.finish()
                    } catch {
                        buffer?.finish(throwing: error)
                    }
                }
                running = task
                return task
            }
            if buffer?.isCancelled != false { task.cancel() }
        }
        self.init(buffer)
    }

    /// Returns a body whose pieces a function has changed, for a closure of
    /// ``HTTPSession/intercepting(_:)``.
    ///
    /// ```swift
    /// let session = URLSession.shared.intercepting { request, next in
    ///     let (body, response) = try await next(request)
    ///     return (try body.map(decrypt), response)
    /// }
    /// ```
    ///
    /// A complete body stays complete: the function gets all bytes. Any other body is read once,
    /// through the returned one, whose reader gets the error of the function.
    ///
    /// - Parameter transform: Returns the new bytes of a piece. If they are empty, the reader gets
    ///   no piece.
    /// - Throws: The error of the function, if the body is complete.
    public func map(
        _ transform: @escaping @Sendable (Data) throws -> Data
    ) rethrows -> HTTPBody {
        var mapped: HTTPBody
        if let data {
            mapped = try HTTPBody(transform(data))
        } else {
            let pieces = makeAsyncIterator()
            mapped = HTTPBody(unfolding: {
                var pieces = pieces  // Copies share the transfer.
                return try await pieces.next().map(transform)
            })
        }
        mapped.exchangeIDs = exchangeIDs
        return mapped
    }

    /// All bytes of a complete body. If the body comes in pieces, nil.
    public var data: Data? {
        if case .complete(let data) = content { data } else { nil }
    }

    /// Returns all bytes. If the body comes in pieces, reads it to its end.
    ///
    /// - Throws: The errors of ``AsyncIterator/next()``.
    public func collect() async throws -> Data {
        if let data { return data }
        var data = Data()
        for try await piece in self { data += piece }
        return data
    }

    /// Calls a function with the end of the body: immediately, if the body is complete.
    func onEnd(_ report: @escaping BodyBuffer.EndReport) {
        switch content {
        case .complete(let data): report(.complete, data.count)
        case .pieces(let buffer, _): buffer.onEnd(report)
        }
    }

    func limitWaits(by timer: DeadlineTimer) {
        if case .pieces(let buffer, _) = content { buffer.limitWaits(by: timer) }
    }

    /// Limits the time for which the body is read for an error, if its response is refused.
    func limitRefusal(to moment: Duration, on timeline: Timeline) {
        if case .pieces(let buffer, _) = content { buffer.limitRefusal(to: moment, on: timeline) }
    }

    /// Ends the transfer, although the body is kept. Its reader gets `URLError.cancelled`.
    func end() {
        if case .pieces(let buffer, _) = content { buffer.end(throwing: URLError(.cancelled)) }
    }

    /// Returns the iterator of the pieces. If the body comes in pieces, only the first iterator
    /// returns them; any other one throws ``TransportError/bodyReadTwice``.
    public func makeAsyncIterator() -> AsyncIterator {
        switch content {
        case .complete(let data): AsyncIterator(rest: .complete(data))
        case .pieces(_, let transfer):
            AsyncIterator(
                rest: .pieces(
                    transfer.withLock { transfer in
                        defer { transfer = nil }
                        return transfer
                    }))
        }
    }

    /// An iterator over the pieces of a body. The transfer ends when the last copy is released.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        fileprivate enum Rest {
            case complete(Data)
            /// Nil if another iterator has the transfer.
            case pieces(BodyTransfer?)
        }

        fileprivate var rest: Rest

        /// Suspends until bytes have arrived, and returns all that wait.
        ///
        /// - Returns: At least one byte, or nil at the end of the body.
        /// - Throws: `URLError.cancelled` if the task is cancelled;
        ///   ``TransportError/bodyLimit(_:)`` if too many bytes waited;
        ///   ``TransportError/bodyReadTwice`` if the body was read before, or if another task waits
        ///   in `next()` of a copy; otherwise the error that ended the transfer. Every later call
        ///   throws the error that ended the transfer again.
        public nonisolated(nonsending) mutating func next() async throws -> Data? {
            switch rest {
            case .complete(let data):
                try Task.checkNotCancelled()
                rest = .complete(Data())
                return data.isEmpty ? nil : data
            case .pieces(let transfer?): return try await transfer.buffer.next()
            case .pieces(nil): throw TransportError.bodyReadTwice
            }
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

/// The ownership of a transfer, which ends when its last reader is released.
private final class BodyTransfer: Sendable {
    let buffer: BodyBuffer

    init(buffer: BodyBuffer) {
        self.buffer = buffer
    }

    deinit {
        buffer.end(throwing: URLError(.cancelled))
    }
}

extension HTTPBody {
    /// The number of bytes that an error keeps of a body.
    private static let longestBeginning = 1024 * 1024

    /// Returns the beginning of the body of a refused response, for the error: at most 1 MiB, and
    /// what arrives within 5 seconds and within the timeouts of the chain.
    ///
    /// If the body ends with an error, returns what arrived: the refusal matters more.
    nonisolated(nonsending) func beginning(on clock: any Clock<Duration>) async -> Data {
        guard case .pieces(let buffer, _) = content else {
            return (data ?? Data()).prefix(Self.longestBeginning)
        }
        let timeline = Timeline(clock)
        limitRefusal(to: timeline.now() + .seconds(5), on: timeline)
        let limits = buffer.refusalLimits.map { timeline, moment in
            DeadlineTimer(moment - timeline.now(), on: timeline).schedule { end() }.1
        }
        defer { for limit in limits { limit.cancel() } }
        var data = Data()
        var pieces = makeAsyncIterator()
        while data.count < Self.longestBeginning, let piece = try? await pieces.next() {
            data += piece.prefix(Self.longestBeginning - data.count)
        }
        return data
    }
}
