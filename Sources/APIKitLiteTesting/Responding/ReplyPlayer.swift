import APIKitLite
import Foundation

/// Gives one request its reply, event by event, in the time of its network.
///
/// Each event comes at its time after the one before, or when a gate opens, a handler returns or a
/// stream sends it. If the client waits too long for the next byte, the reply ends with
/// `URLError.timedOut`.
final class ReplyPlayer: @unchecked Sendable {  // `state` only under the lock.
    /// Receives the parts of the reply, in order, on any thread, and none after the last one.
    typealias Receiver = @Sendable (Reply.Part) -> Void

    private struct State {
        /// The receiver; nil before the start and after the end, so that the player keeps nothing
        /// alive.
        var receiver: Receiver?
        /// The client; nil after the end, because it may keep what cancels the player.
        var client: (any Client)?
        var reply: Reply
        var next = 0
        /// A number that changes whenever something happens, so that a callback knows whether it
        /// comes too late.
        var turn = 0
        /// When the last event was due.
        var moment: Duration
        /// When the client began to wait for the next byte.
        var waitStart: Duration
        var hasHead = false
        /// Cancels the call for the next event, or the timeout of what the reply waits for.
        var timer: Cancellation?
        /// Cancels the wait for a gate, or the task that makes the reply.
        var wait: Cancellation?
        var stream: ResponseStream?
        /// How long the client waits for the next byte, once it is known.
        var idleTimeout: Duration?

        /// The next step, when the times before it end, and the turn; nil if there is none.
        var current: (step: Reply.Step, moment: Duration, waitStart: Duration, turn: Int)? {
            guard receiver != nil, next < reply.steps.count else { return nil }
            return (reply.steps[next], moment, waitStart, turn)
        }
    }

    // One lock for all players. It is held for nanoseconds, and to create one for each player would
    // cost more than everything else that a player does.
    private static let lock = NSLock()
    private var state: State
    let time: NetworkTime
    private let stub: Stub?
    private let handlers: Handlers
    private let request: URLRequest

    /// Creates a player that has not begun.
    ///
    /// - Parameters:
    ///   - reply: The reply.
    ///   - record: The request. On a clock that the test chose, times count from its arrival: the
    ///     test may move the clock as soon as the request is recorded, which is before the start.
    ///   - client: The client that waits for the reply.
    ///   - time: The time of the network.
    ///   - handlers: Runs the code that makes the reply or sends its body.
    init(
        _ reply: Reply, to record: RecordedRequest, for client: any Client, in time: NetworkTime,
        on handlers: Handlers
    ) {
        self.time = time
        self.handlers = handlers
        stub = record.stub
        request = record.request
        let start = time.isChosen ? record.startTime : time.now
        state = State(
            client: client, reply: reply, moment: start, waitStart: start,
            stream: stub.flatMap { reply.stream(of: $0) })
    }

    /// Begins to give the reply.
    func start(_ receiver: @escaping Receiver) {
        withState { $0.receiver = receiver }
        play()
    }

    var cause: WaitCause {
        let (reply, next, stream) = withState { ($0.reply, $0.next, $0.stream) }
        guard reply.steps.indices.contains(next) else { return .nothing }
        return switch reply.steps[next].event {
        case .later(let cause, _): cause
        case .gate: .release
        case .silence: .nothing
        case _ where reply.isPassedThrough: .session
        case .source: stream?.hasWriter == true ? .writer : .test
        default: .clock
        }
    }

    /// Gives the client a piece of a stream, unless the reply has ended.
    func send(_ piece: Reply.Event) {
        let now = time.now
        let given = withState { state -> (receiver: Receiver, reply: Reply, turn: Int)? in
            guard let receiver = state.receiver else { return nil }
            state.waitStart = now
            state.turn += 1
            return (receiver, state.reply, state.turn)
        }
        guard let given else { return }
        watch(given.turn, isDeadline: true)
        given.receiver(Reply.Part(given.reply, [Reply.Step(event: piece)]))
    }

    /// Ends the reply with an event, unless it has ended.
    func finish(with last: Reply.Event) {
        let reply = withState { $0.reply }
        end()?(Reply.Part(reply, [Reply.Step(event: last)]))
    }

    /// Ends the reply without a further event.
    func cancel() {
        _ = end()
    }

    /// Gives all events that are due, and waits for the next one.
    private func play() {
        while let (step, moment, waitStart, turn) = withState({ $0.current }) {
            switch step.event {
            case .later(_, let work): return make(work, turn)
            case .gate: return waitForGate(turn)
            case .source:
                watch(turn, isDeadline: true)
                let stream = withState { $0.stream }
                stream?.open(on: self, handlers)
                return
            case .silence: return watch(turn, isDeadline: false)
            case .head, .piece, .end, .failure, .cutHead:
                let due = moment + step.after
                if step.after > .zero, waitStart + idleTimeout < due {
                    return watch(turn, isDeadline: false, evenWithoutClock: true)
                }
                if step.after > .zero, time.now < due {
                    return schedule(at: due, isDeadline: false, turn) { $0.play() }
                }
                give(at: due, turn)
            }
        }
    }

    /// Gives the next event, or the whole rest of the reply if that takes no time.
    private func give(at moment: Duration, _ turn: Int) {
        let given = withState { state -> (receiver: Receiver, part: Reply.Part)? in
            guard state.turn == turn, let receiver = state.receiver else { return nil }
            let (steps, next) = (state.reply.steps, state.next)
            let part = Reply.Part(
                state.reply, state.reply.isWhole(from: next) ? steps[next...] : steps[next...next])
            state.turn += 1
            state.next += part.steps.count
            (state.moment, state.waitStart, state.hasHead) = (moment, moment, true)
            return (receiver, part)
        }
        guard let given else { return }
        (given.part.isLast ? end() : given.receiver)?(given.part)
    }

    /// Runs a handler, or asks a real session, and continues with the reply that it makes.
    private func make(_ work: @escaping @Sendable () async throws -> Reply, _ turn: Int) {
        let maker = handlers.start { [self] in
            do {
                let reply = try await work()
                let stream = stub.flatMap { reply.stream(of: $0) }
                if !proceed(after: turn, { ($0.reply, $0.stream) = (reply, stream) }) {
                    stream?.close()
                }
            } catch {
                finish(with: .failure(error))
            }
        }
        keep(maker, at: \.wait, turn)
        watch(turn, isDeadline: true)
    }

    private func waitForGate(_ turn: Int) {
        let wait = stub?.gate.whenReached(1) { [self] in
            proceed(after: turn) { $0.next += 1 }
        }
        guard let wait else { return }
        keep(wait, at: \.wait, turn)
        watch(turn, isDeadline: false)
    }

    /// Continues after a wait. The times of the next events count from now on.
    ///
    /// - Returns: False if something else has happened in the meantime.
    @discardableResult
    private func proceed(after turn: Int, _ change: (inout State) -> Void) -> Bool {
        let now = time.now
        let old = withState { state -> (isCurrent: Bool, timer: Cancellation?) in
            guard state.turn == turn, state.receiver != nil else { return (false, nil) }
            change(&state)
            state.turn += 1
            state.moment = now
            // Before the head, the client of a chosen clock has waited since its request. Without
            // one, no time has passed while a handler ran.
            if state.hasHead || !time.isChosen { state.waitStart = now }
            defer { (state.timer, state.wait) = (nil, nil) }
            return (true, state.timer)
        }
        old.timer?.cancel()
        if old.isCurrent { play() }
        return old.isCurrent
    }

    private var idleTimeout: Duration {
        let (known, client) = withState { ($0.idleTimeout, $0.client) }
        if let known { return known }
        // Not before it is needed: for a `URLSession` on Linux, this takes longer than everything
        // else that happens to a request.
        let idleTimeout = client?.idleTimeout(for: request) ?? .zero
        withState { $0.idleTimeout = idleTimeout }
        return idleTimeout
    }

    /// Limits the wait for the next event by the client's timeout.
    private func watch(_ turn: Int, isDeadline: Bool, evenWithoutClock: Bool = false) {
        guard time.isChosen || evenWithoutClock else { return }
        // An immediate handler may have returned by now.
        let waitStart = withState { $0.turn == turn ? $0.waitStart : nil }
        guard let waitStart else { return }
        schedule(at: waitStart + idleTimeout, isDeadline: isDeadline, turn) {
            $0.finish(with: .failure(URLError(.timedOut)))
        }
    }

    /// Calls back at a moment, unless something else happens before.
    private func schedule(
        at moment: Duration, isDeadline: Bool, _ turn: Int,
        _ work: @escaping @Sendable (ReplyPlayer) -> Void
    ) {
        let timer = time.schedule(at: moment, isDeadline: isDeadline) { [self] in
            if withState({ $0.turn == turn }) { work(self) }
        }
        keep(timer, at: \.timer, turn)
    }

    /// Keeps a cancellation for the end, and cancels what it replaces. If it is not needed any more,
    /// cancels it immediately.
    private func keep(
        _ cancellation: Cancellation, at keyPath: WritableKeyPath<State, Cancellation?> & Sendable,
        _ turn: Int
    ) {
        let unneeded = withState { state -> Cancellation? in
            guard state.receiver != nil, state.turn == turn else { return cancellation }
            defer { state[keyPath: keyPath] = cancellation }
            return state[keyPath: keyPath]
        }
        unneeded?.cancel()
    }

    /// Ends the reply, and returns the receiver. Only the first call gets it, so only one last part
    /// is sent.
    private func end() -> Receiver? {
        let last = withState { state in
            defer { state = State(reply: Reply(.silence), moment: .zero, waitStart: .zero) }
            return state
        }
        last.timer?.cancel()
        last.wait?.cancel()
        last.stream?.close()
        return last.receiver
    }

    private func withState<R>(_ body: (inout State) -> R) -> R {
        Self.lock.withLock { body(&state) }
    }
}

/// What the answer to a request waits for.
enum WaitCause: Sendable {
    /// The release of a held response.
    case release
    /// The return of a handler or of the network's closure.
    case handler
    /// The session to which the request is passed.
    case session
    case clock
    /// The return of the closure that writes a stream.
    case writer
    /// The test, which sends a stream.
    case test
    /// Nothing: the answer has no end.
    case nothing
}
