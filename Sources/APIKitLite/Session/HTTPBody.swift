import Foundation

/// The body of a response, as an asynchronous sequence of pieces that arrive over time.
///
/// ```swift
/// let (body, response) = try await session.stream(request)
/// for try await piece in body { received += piece.count }
/// ```
///
/// A piece is never empty, and its boundaries have no meaning. Pieces that arrive while the reader
/// is busy are joined. The number of unread bytes is limited: see
/// ``HTTPSession/stream(_:buffering:)``.
///
/// The transfer ends when you leave the loop, release a body that you have not begun to read, or
/// cancel the reading task. A body in pieces can be read only once.
///
/// A session that wraps another session can return a body that wraps the inner session's body: see
/// ``map(_:)``.
public struct HTTPBody: AsyncSequence, Sendable {
    /// Returns the next bytes, or nil at the end. The function is called by only one task at a
    /// time, and never after the end or an error.
    typealias Next = @Sendable () async throws -> Data?

    /// Ends the transfer with an error, unless the transfer has already ended.
    ///
    /// Returns whether a task was waiting for a piece. That task throws the error.
    typealias End = @Sendable (_ error: any Error) -> Bool

    private enum Content {
        case complete(Data)
        /// The body owns the transfer until an iterator takes the transfer. From then on, the
        /// transfer ends with the loop, even if the body is still in scope.
        case pieces(Locked<BodyTransfer?>, end: End)
    }

    private var content: Content
    /// What the sessions in a chain noted about the exchange. A body that wraps this body has the
    /// same notes.
    var notes = Notes()
    /// The exchange to describe in errors about the body's elements. Nil unless the body was
    /// returned by ``HTTPSession/stream(_:buffering:)``.
    var exchange: (request: URLRequest, response: HTTPURLResponse)?
    /// The maximum size of the whole body. Nil for a stream, or if the chain sets no limit.
    var limit: Int?

    /// What the sessions of a chain tell the load about an exchange, along with the response.
    struct Notes {
        /// The functions to call if a load rejects the response: one for each observer of the
        /// exchange, beginning with the innermost observer.
        var didReject: [@Sendable (APIRequestError) -> Void] = []
        /// A sentence about a credential that was not sent, if the response is a 401.
        var missingCredential: String?
        /// The clock of each timeout in the chain, with the time when the timeout expires, and the
        /// clock of a mock, without a time.
        var timeouts: [(timeline: Timeline, deadline: Duration?)] = []
    }

    /// Creates a complete body.
    public init(_ data: Data) {
        content = .complete(data)
    }

    /// Creates a body in pieces. `end` is called when the reader leaves or a timeout expires, and
    /// can be called more than once.
    init(next: @escaping Next, end: @escaping End) {
        content = .pieces(Locked(BodyTransfer(next: next, end: end)), end: end)
    }

    /// Creates a body in pieces that wraps another body, which `next` reads.
    init(wrapping body: HTTPBody, next: @escaping Next, end: End? = nil) {
        self = body
        content = HTTPBody(next: next, end: end ?? { body.end(throwing: $0) }).content
    }

    /// Returns a complete body of the same exchange.
    func completed(with data: Data) -> HTTPBody {
        var body = self
        body.content = .complete(data)
        return body
    }

    /// Creates a body from the bytes that arrive in a buffer. A mock also passes its clock's
    /// timeline.
    package init(_ buffer: BodyBuffer, on timeline: Timeline? = nil) {
        self.init(next: { try await buffer.next() }, end: { buffer.end(throwing: $0) })
        notes.timeouts = timeline.map { [($0, nil)] } ?? []
    }

    /// Creates a body from the pieces that a function returns.
    ///
    /// Use this initializer in your own ``HTTPSession``.
    ///
    /// - Parameter next: Returns the next piece, or nil at the end. The function is called when a
    ///   piece is needed, one call at a time, and its task is cancelled when the reader leaves.
    public init(unfolding next: @escaping @Sendable () async throws -> Data?) {
        let buffer = BodyBuffer(limit: .max)
        self.init(
            next: {
                // The reader can leave while the function runs, even if the function ignores
                // cancellation.
                let task = Task.immediateIfAvailable {
                    do {
                        var piece = try await next()
                        while piece?.isEmpty == true { piece = try await next() }
                        if let piece { buffer.append(piece) } else { buffer.finish() }
                    } catch {
                        buffer.finish(throwing: error)
                    }
                }
                defer { task.cancel() }
                return try await buffer.next()
            },
            end: { buffer.end(throwing: $0) })
    }

    /// Returns the body with each piece transformed by a function, for use in
    /// ``HTTPSession/intercepting(_:)``.
    ///
    /// ```swift
    /// let session = URLSession.shared.intercepting { request, next in
    ///     let (body, response) = try await next(request)
    ///     return (try body.map(decrypt), response)
    /// }
    /// ```
    ///
    /// A complete body stays complete, and the function receives all its bytes in one call. A body
    /// in pieces can be read once, through the returned body, which also throws the function's
    /// error.
    ///
    /// - Parameter transform: Returns the new bytes of a piece. If the new bytes are empty, the
    ///   piece is skipped.
    /// - Throws: The function's error, if the body is complete.
    public func map(
        _ transform: @escaping @Sendable (Data) throws -> Data
    ) rethrows -> HTTPBody {
        if let data { return try completed(with: transform(data)) }
        let pieces = makeAsyncIterator()
        return HTTPBody(
            wrapping: self,
            next: {
                while let piece = try await pieces.nextPiece() {
                    let changed = try transform(piece)
                    if !changed.isEmpty { return changed }
                }
                return nil
            })
    }

    /// All bytes of a complete body, or nil if the body comes in pieces.
    public var data: Data? {
        if case .complete(let data) = content { data } else { nil }
    }

    /// Returns all bytes. If the body comes in pieces, reads it to the end.
    ///
    /// - Parameter limit: The maximum number of bytes. By default, a complete body is returned as
    ///   it is, and a body in pieces may have up to 1 GiB.
    /// - Throws: ``TransportError/bodyTooLarge(limit:)``, or an error from
    ///   ``AsyncIterator/next()``.
    public func collect(limit: Int? = nil) async throws -> Data {
        if let data, data.count <= limit ?? .max { return data }
        let limit = limit ?? wholeLimit
        var data = Data()
        for try await piece in self {
            if data.count + piece.count > limit { throw TransportError.bodyTooLarge(limit: limit) }
            data += piece
        }
        return data
    }

    /// The maximum size of this body if it is read as a whole.
    var wholeLimit: Int { limit ?? SendOptions.standardBodyLimit }

    /// Returns the body, with the limit for a whole body if the whole response is awaited.
    ///
    /// - Throws: ``TransportError/bodyTooLarge(limit:)`` if the body is complete and exceeds the
    ///   limit.
    package func limited(by options: SendOptions) throws -> HTTPBody {
        guard options.bufferLimit == nil else { return self }
        var body = self
        body.limit = options.context.bodyLimit ?? limit
        if let data, data.count > body.wholeLimit {
            throw TransportError.bodyTooLarge(limit: body.wholeLimit)
        }
        return body
    }

    /// Ends the transfer, even if the body is retained, and returns whether a task was waiting for
    /// a piece. That task throws the error.
    @discardableResult
    func end(throwing error: any Error = URLError(.cancelled)) -> Bool {
        if case .pieces(_, let end) = content { end(error) } else { false }
    }

    /// Returns an iterator over the pieces. If the body comes in pieces, only the first iterator
    /// returns the pieces. Any other iterator throws ``TransportError/bodyReadTwice``.
    public func makeAsyncIterator() -> AsyncIterator {
        switch content {
        case .complete(let data):
            let rest = Locked<Data?>(data.isEmpty ? nil : data)
            return HTTPBody(next: { rest.take() }, end: { _ in false }).makeAsyncIterator()
        case .pieces(let transfer, _): return AsyncIterator(transfer: transfer.take())
        }
    }

    /// An iterator over a body's pieces. Releasing the iterator's last copy ends the transfer.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        /// The transfer, or nil if another iterator has taken the transfer.
        fileprivate let transfer: BodyTransfer?

        /// Suspends until bytes have arrived, and returns all of them.
        ///
        /// - Returns: At least one byte, or nil at the end of the body.
        /// - Throws: `URLError.cancelled` if the task is cancelled.
        ///   ``TransportError/bodyLimit(_:)`` if too many bytes were unread.
        ///   ``TransportError/bodyReadTwice`` if a body in pieces was read before, or another task
        ///   is waiting for `next()` on a copy of this iterator. Otherwise, the error that ended
        ///   the transfer, which every later call throws again.
        public nonisolated(nonsending) mutating func next() async throws -> Data? {
            try await nextPiece()
        }

        /// Does the same as `next()`. `for try await` calls this function to stay on the caller's
        /// actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?)
            async throws(any Error)
            -> Data?
        {
            try await next()
        }

        /// Does the same as `next()`, for a closure that keeps the iterator.
        nonisolated(nonsending) func nextPiece() async throws -> Data? {
            guard let transfer else { throw TransportError.bodyReadTwice }
            return try await transfer.next()
        }
    }
}

/// An object that owns a transfer. The transfer ends when the object is released.
private final class BodyTransfer: Sendable {
    private enum State {
        case open
        case isRead
        /// The result of every later call: nil after the end of the body, or the body's error.
        case ended(Result<Data?, any Error>)
    }

    private let source: HTTPBody.Next
    private let end: HTTPBody.End
    private let state = Locked(State.open)

    init(next: @escaping HTTPBody.Next, end: @escaping HTTPBody.End) {
        source = next
        self.end = end
    }

    deinit {
        _ = end(URLError(.cancelled))
    }

    func next() async throws -> Data? {
        // Acquires the right to read, unless the body has ended.
        let ending = try state.withLock { state -> Result<Data?, any Error>? in
            switch state {
            case .open:
                state = .isRead
                return nil
            case .isRead: throw TransportError.bodyReadTwice
            case .ended(let ending): return ending
            }
        }
        if let ending { return try ending.get() }
        do {
            try Task.checkNotCancelled()
            let piece = try await source()
            state.withLock { $0 = piece == nil ? .ended(.success(nil)) : .open }
            return piece
        } catch {
            state.withLock { $0 = .ended(.failure(error)) }
            // If the task was cancelled, or a function that transforms the body threw the error, the
            // transfer has not ended yet.
            _ = end(URLError(.cancelled))
            throw error
        }
    }
}

extension HTTPBody {
    /// The maximum number of bytes that an error keeps of a stream's body.
    private static let longestBeginning = 1024 * 1024

    /// Returns the beginning of a refused response's body: at most 1 MiB, and only what arrives
    /// within 5 seconds and before the timeouts of the chain.
    ///
    /// The 5 seconds are measured on the given clock and on the clocks of the chain. A real-time
    /// clock measures them only if no clock belongs to a test. If the body throws an error, returns
    /// the bytes that arrived before the error, because the refusal matters more than this error.
    ///
    /// The body's next reader receives these bytes again, and then the rest of the body, or the
    /// error that ended the transfer.
    nonisolated(nonsending) mutating func peek(on clock: any Clock<Duration>) async -> Data {
        if let data { return data.prefix(Self.longestBeginning) }
        let timeouts = notes.timeouts + [(Timeline(clock), nil)]
        let isTested = timeouts.contains { !$0.timeline.isRealTime }
        let cancelLimits = timeouts.compactMap { timeline, deadline in
            let longest = isTested && timeline.isRealTime ? nil : Duration.seconds(5)
            return [longest, deadline.map { $0 - timeline.now() }].compactMap(\.self).min().map {
                let body = self
                return DeadlineTimer($0, on: timeline)
                    .schedule { body.end(throwing: URLError(.timedOut)) }.cancel
            }
        }
        defer { for cancel in cancelLimits { cancel() } }
        var data = Data()
        let pieces = makeAsyncIterator()
        while data.count < Self.longestBeginning, let piece = try? await pieces.nextPiece() {
            data += piece
        }
        let read = Locked<Data?>(data.isEmpty ? nil : data)
        self = HTTPBody(wrapping: self) {
            if let data = read.take() { return data }
            return try await pieces.nextPiece()
        }
        return data.prefix(Self.longestBeginning)
    }
}
