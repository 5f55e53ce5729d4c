import APIKitLite
import Foundation

/// The body of one response that is sent piece by piece while the client receives it.
///
/// Its player gives the client the headers, and then the pieces in order. `state` has its own lock,
/// under which nothing else is called.
final class ResponseStream: Sendable {
    /// The code that sends the pieces.
    enum Source: Sendable {
        /// A closure, which runs once for each request.
        case writer(@Sendable (StreamWriter) async throws -> Void)
        /// The test, through the stub.
        case test

        /// The pieces of another response.
        static func body(_ body: HTTPBody) -> Source {
            .writer { writer in
                for try await piece in body { try await writer.send(piece) }
            }
        }
    }

    /// When a stream opens whose client has the headers.
    enum Opening: Sendable {
        case atOnce
        case atRelease
    }

    /// A piece on its way to the client.
    final class Posted: Sendable {
        fileprivate let id: Int
        fileprivate let stream: ResponseStream
        /// Ends when the client has taken the piece, or when it has gone.
        fileprivate let taken = Waiter<Void>()
        /// Whether the client takes the piece even if it leaves.
        fileprivate let isCertain = Locked(false)

        fileprivate init(_ id: Int, of stream: ResponseStream) {
            self.id = id
            self.stream = stream
        }

        /// Records that the client is about to take the piece. A transport calls it if the client
        /// may leave between the moment at which it has the piece and `didTake()`.
        func willTake() {
            isCertain.withLock { $0 = true }
        }

        /// Records that the client has taken the piece. A transport calls it once; if the client
        /// leaves before, it cancels the request instead.
        func didTake() {
            stream.didTake(id)
        }

        /// What a call that sends the piece results in if it ends before the client has taken it.
        fileprivate func result(orThrow error: any Error) -> Result<Void, any Error> {
            isCertain.withLock { $0 } ? .success(()) : .failure(error)
        }
    }

    private struct State {
        /// When the stream opens, from just before the headers until then.
        var opening: Opening?
        /// The player, from the headers to the end.
        var player: ReplyPlayer?
        var isOver = false
        /// The last event, which follows as soon as all pieces are taken; nil if there is more to
        /// come.
        var last: Reply.Event?
        /// The pieces that the client has not taken, by their numbers.
        var untaken: [Int: Posted] = [:]
        var lastID = 0
    }

    private let source: Source
    private let reply: Reply
    /// The streams of the stub that the test sends; nil for a stream of a closure.
    private let stubStreams: StubStreams?
    private let state = Locked(State())

    /// Creates a stream that is not open.
    ///
    /// - Parameters:
    ///   - source: The code that sends the pieces.
    ///   - reply: The reply with this body.
    ///   - stubStreams: The streams of its stub, which gets this one if the test sends it.
    init(_ source: Source, of reply: Reply, stubStreams: StubStreams) {
        self.source = source
        self.reply = reply
        if case .test = source { self.stubStreams = stubStreams } else { self.stubStreams = nil }
        self.stubStreams?.add(self)
    }

    /// Whether pieces can be sent now.
    var isOpen: Bool { state.withLock { $0.player != nil && $0.last == nil } }

    /// Whether the client may have the headers, although no piece can be sent yet.
    ///
    /// - Parameter isReleased: Whether the stub is released.
    func isOpening(isReleased: Bool) -> Bool {
        let opening = state.withLock { $0.opening }
        return opening == .atOnce || opening == .atRelease && isReleased
    }

    /// Records that the stream is about to open. The player calls it before the headers, because the
    /// test may send a piece as soon as the client has them.
    func willOpen(_ opening: Opening) {
        state.withLock { $0.opening = $0.isOver ? nil : opening }
    }

    /// Lets the pieces be sent, and calls the closure. The player calls it after the headers.
    func open(on player: ReplyPlayer) async {
        let isOver = state.withLock { state in
            state.opening = nil
            if !state.isOver { state.player = player }
            return state.isOver
        }
        if isOver { return }
        stubStreams?.didOpen()
        guard case .writer(let write) = source else { return }
        do {
            try await write(StreamWriter(self))
            finish()
        } catch {
            finish(throwing: error)
        }
    }

    /// Lets nothing more be sent. The player calls it at the end of the reply.
    ///
    /// - Parameter writer: The task that calls the closure, which is cancelled.
    func close(_ writer: TaskSlot) {
        let old = state.withLock { state in
            let old = state
            state = State(isOver: true, last: state.last)
            return old
        }
        if old.isOver { return }
        // First, so that the closure is cancelled when a waiting call of `send` throws in it.
        writer.cancel()
        stubStreams?.didClose(self, byClient: old.last == nil)
        for piece in old.untaken.values {
            piece.taken.end(with: piece.result(orThrow: Self.clientGone))
        }
    }

    /// Sends a piece, and suspends until the client has taken it.
    ///
    /// - Throws: `URLError.networkConnectionLost` if the client has gone; `CancellationError` if
    ///   the task is cancelled for another reason.
    func send(_ data: Data) async throws {
        if Task.isCancelled { throw cancellationError }
        let piece = try post(data)
        // An endless writer must let other tasks run.
        if piece.taken.hasEnded { await Task.yield() }
        try await waitUntilTaken(piece)
    }

    /// Sends a piece.
    ///
    /// - Returns: The piece, for ``waitUntilTaken(_:)``.
    /// - Throws: The error of a stream that is over.
    func post(_ data: Data) throws -> Posted {
        let (player, piece) = try state.withLock { state in
            guard let player = state.player, state.last == nil else {
                throw Self.clientGone
            }
            state.lastID += 1
            let piece = Posted(state.lastID, of: self)
            if !data.isEmpty { state.untaken[piece.id] = piece }
            return (player, piece)
        }
        if data.isEmpty {
            piece.taken.end(with: .success(()))
        } else {
            player.send(.piece(data, piece), of: reply)
        }
        return piece
    }

    /// Suspends until the client has taken a piece.
    ///
    /// - Throws: The same errors as ``send(_:)``.
    func waitUntilTaken(_ piece: Posted) async throws {
        try await piece.taken.value(
            ifCancelled: piece.result(orThrow: self.cancellationError))
    }

    /// Suspends on the clock of the network.
    ///
    /// - Throws: The same errors as ``send(_:)``.
    func sleep(for duration: Duration) async throws {
        guard let player = state.withLock(\.player) else { throw Self.clientGone }
        do {
            try await player.time.sleep(until: player.time.now + duration)
        } catch {
            throw cancellationError
        }
    }

    /// Ends the body when the client has taken all pieces.
    ///
    /// - Parameter error: The error with which the body fails; nil if it is complete.
    func finish(throwing error: (any Error)? = nil) {
        end { state in
            guard state.last == nil else { return }
            state.last = error.map { .failure($0) } ?? .end
        }
    }

    private func didTake(_ id: Int) {
        var piece: Posted?
        end { piece = $0.untaken.removeValue(forKey: id) }
        piece?.taken.end(with: .success(()))
    }

    /// Changes the state, and ends the answer if nothing is left of it.
    private func end(after change: (inout State) -> Void) {
        let end = state.withLock { state -> (player: ReplyPlayer, event: Reply.Event)? in
            change(&state)
            guard let player = state.player, let last = state.last, state.untaken.isEmpty else {
                return nil
            }
            return (player, last)
        }
        if let end { end.player.finish(with: end.event, of: reply) }
    }

    /// The error of a call in a cancelled task: that task is usually cancelled because the client
    /// has gone.
    private var cancellationError: any Error {
        isOpen ? CancellationError() : Self.clientGone
    }

    static var clientGone: URLError { URLError(.networkConnectionLost) }
}
