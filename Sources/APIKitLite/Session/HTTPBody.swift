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
///
/// A session that wraps another one may return a body that wraps the body it got: see ``map(_:)``.
public struct HTTPBody: AsyncSequence, Sendable {
    /// Returns the next bytes, or nil at the end. It is called by one task at a time, and not after
    /// the end or an error.
    package typealias Next = @Sendable () async throws -> Data?

    /// Ends the transfer with an error, unless it has ended.
    ///
    /// It returns whether a task waits for a piece. That task gets the error.
    package typealias End = @Sendable (_ error: any Error) -> Bool

    private enum Content {
        case complete(Data)
        /// The transfer belongs to the body until an iterator takes it. So it ends with the loop,
        /// although the body may still be in scope.
        case pieces(Locked<BodyTransfer?>, end: End)
    }

    private var content: Content
    /// They pass through every body that wraps this one.
    var notes = Notes()
    /// The exchange of a body that ``HTTPSession/stream(_:buffering:)`` returned, for the errors of
    /// its elements.
    var exchange: (session: any HTTPSession, request: URLRequest, response: HTTPURLResponse)?
    /// The number of bytes that all of this body may have, if a session of the chain has decided it.
    var limit: Int?

    /// What the sessions of a chain tell a load about an exchange, beside its response.
    struct Notes {
        /// The numbers of the exchange, by the identities of its observers.
        var exchangeIDs: [ObjectIdentifier: Int] = [:]
        /// A sentence about a credential that was not sent, if the response is a 401.
        var missingCredential: String?
    }

    /// Creates a body that is complete.
    public init(_ data: Data) {
        content = .complete(data)
    }

    /// Creates a body in pieces. `end` is called when its reader leaves, and may be called again.
    package init(next: @escaping Next, end: @escaping End) {
        content = .pieces(Locked(BodyTransfer(next: next, end: end)), end: end)
    }

    /// Creates a body in pieces that wraps another one, whose pieces `next` reads.
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

    /// Creates a body of what arrives in a buffer.
    package init(_ buffer: BodyBuffer) {
        self.init(next: { try await buffer.next() }, end: { buffer.end(throwing: $0) })
    }

    /// Creates a body whose pieces a function returns.
    ///
    /// Use it in an ``HTTPSession`` of your own.
    ///
    /// - Parameter next: Returns the next piece, or nil at the end. It is called when a piece is
    ///   needed, one call at a time, and its task is cancelled when the reader leaves.
    public init(unfolding next: @escaping @Sendable () async throws -> Data?) {
        let buffer = BodyBuffer(limit: .max)
        self.init(
            next: {
                // The reader may leave while the function runs, even if it ignores its cancellation.
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

    /// All bytes of a complete body. If the body comes in pieces, nil.
    public var data: Data? {
        if case .complete(let data) = content { data } else { nil }
    }

    /// Returns all bytes. If the body comes in pieces, reads it to its end.
    ///
    /// - Parameter limit: The number of bytes that the body may have. By default, a complete body is
    ///   returned as it is, and a body in pieces may have 1 GiB.
    /// - Throws: ``TransportError/bodyTooLarge(limit:)``; the errors of ``AsyncIterator/next()``.
    public func collect(limit: Int? = nil) async throws -> Data {
        if let data {
            if data.count > limit ?? .max {
                throw TransportError.bodyTooLarge(limit: limit ?? .max)
            }
            return data
        }
        let limit = limit ?? wholeLimit
        var data = Data()
        for try await piece in self {
            if data.count + piece.count > limit { throw TransportError.bodyTooLarge(limit: limit) }
            data += piece
        }
        return data
    }

    /// The number of bytes that all of this body may have.
    var wholeLimit: Int { limit ?? SendOptions.standardBodyLimit }

    /// Returns the body with the limit for a whole body, if that is awaited.
    ///
    /// - Throws: ``TransportError/bodyTooLarge(limit:)`` if it is complete and larger.
    package func limited(by options: SendOptions) throws -> HTTPBody {
        guard options.bufferLimit == nil else { return self }
        var body = self
        body.limit = options.context.bodyLimit ?? limit
        if let data, data.count > body.wholeLimit {
            throw TransportError.bodyTooLarge(limit: body.wholeLimit)
        }
        return body
    }

    /// Ends the transfer, although the body is kept, and returns whether a task waits for a piece. Its
    /// reader gets the error.
    @discardableResult
    package func end(throwing error: any Error = URLError(.cancelled)) -> Bool {
        if case .pieces(_, let end) = content { end(error) } else { false }
    }

    /// Returns the iterator of the pieces. If the body comes in pieces, only the first iterator
    /// returns them; any other one throws ``TransportError/bodyReadTwice``.
    public func makeAsyncIterator() -> AsyncIterator {
        switch content {
        case .complete(let data):
            let rest = Locked<Data?>(data.isEmpty ? nil : data)
            return AsyncIterator(
                transfer: BodyTransfer(
                    next: {
                        try Task.checkNotCancelled()
                        return rest.take()
                    }, end: { _ in false }))
        case .pieces(let transfer, _): return AsyncIterator(transfer: transfer.take())
        }
    }

    /// An iterator over the pieces of a body. The transfer ends when the last copy is released.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        /// Nil if another iterator has the transfer.
        fileprivate let transfer: BodyTransfer?

        /// Suspends until bytes have arrived, and returns all that wait.
        ///
        /// - Returns: At least one byte, or nil at the end of the body.
        /// - Throws: `URLError.cancelled` if the task is cancelled;
        ///   ``TransportError/bodyLimit(_:)`` if too many bytes waited;
        ///   ``TransportError/bodyReadTwice`` if the body was read before, or if another task waits
        ///   in `next()` of a copy; otherwise the error that ended the transfer. Every later call
        ///   throws the error that ended the transfer again.
        public nonisolated(nonsending) mutating func next() async throws -> Data? {
            try await nextPiece()
        }

        /// Does the same as `next()`. `for try await` calls this one to stay on the caller's actor.
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

/// The ownership of a transfer, which ends when its last reader is released.
private final class BodyTransfer: Sendable {
    private enum State {
        case open
        case isRead
        /// The end of the body or its error, which every later call returns or throws.
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
        if let ending = try begin() { return try ending.get() }
        if Task.isCancelled { _ = end(URLError(.cancelled)) }
        do {
            let piece = try await source()
            state.withLock { $0 = piece == nil ? .ended(.success(nil)) : .open }
            return piece
        } catch {
            state.withLock { $0 = .ended(.failure(error)) }
            // A function around the rest of the body may have failed.
            _ = end(URLError(.cancelled))
            throw error
        }
    }

    /// Takes the right to read, unless the body has ended.
    private func begin() throws -> Result<Data?, any Error>? {
        try state.withLock { state in
            switch state {
            case .open:
                state = .isRead
                return nil
            case .isRead: throw TransportError.bodyReadTwice
            case .ended(let ending): return ending
            }
        }
    }
}

extension HTTPBody {
    /// The number of bytes that an error keeps of a body.
    private static let longestBeginning = 1024 * 1024

    /// Returns the beginning of the body of a refused response, for the error: at most 1 MiB, and
    /// what arrives within 5 seconds.
    ///
    /// If the body ends with an error, returns what arrived: the refusal matters more.
    nonisolated(nonsending) func beginning(on clock: any Clock<Duration>) async -> Data {
        if let data { return data.prefix(Self.longestBeginning) }
        let limit = DeadlineTimer(.seconds(5), on: Timeline(clock)).schedule { end() }.1
        defer { limit.cancel() }
        var data = Data()
        let pieces = makeAsyncIterator()
        while data.count < Self.longestBeginning, let piece = try? await pieces.nextPiece() {
            data += piece.prefix(Self.longestBeginning - data.count)
        }
        return data
    }
}
