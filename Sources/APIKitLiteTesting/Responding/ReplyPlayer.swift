import APIKitLite
import Foundation

/// Gives one request its reply, event by event, in the time of its network.
///
/// It is one task over the steps of the reply. If the client waits too long for the next byte, the
/// reply ends with `URLError.timedOut`.
///
/// A ``MockClock`` moves only between the steps: from a moment of the clock, or the release of the
/// stub, to the next wait. So what is due arrives while the test moves the clock, in order, however
/// busy the machine is.
final class ReplyPlayer: Sendable {
    /// Receives the parts of the reply and the time of each, in order, on any thread, and none after
    /// the last one.
    typealias Receiver = @Sendable (Reply.Part, Duration) -> Void

    /// What the player has until the end of the reply. It keeps nothing alive after it.
    private struct State: Sendable {
        let receiver: Receiver
        /// The client, which may keep what cancels the player.
        let client: any Client
        var cause: WaitCause
        /// The timeout of what the reply waits for.
        var timeout: Cancellation?
        /// The stream of the body, if other code sends it.
        var stream: ResponseStream?
        /// How long the client waits for the next byte, once it is known.
        var idleTimeout: Duration?
    }

    private let reply: Reply
    private let record: RecordedRequest
    /// The stream of the body, if other code sends it; nil for that of a handler's response.
    private let stream: ResponseStream?
    let time: NetworkTime
    private let task = TaskSlot()
    private let state: Locked<State?>

    /// Creates a player that has not begun. A clock that the test chose does not move until the
    /// player waits.
    ///
    /// - Parameters:
    ///   - reply: The reply.
    ///   - record: The request. Times count from its arrival.
    ///   - client: The client that waits for the reply.
    ///   - time: The time of the network.
    ///   - receiver: Receives the parts of the reply.
    init(
        _ reply: Reply, to record: RecordedRequest, for client: any Client, in time: NetworkTime,
        _ receiver: @escaping Receiver
    ) {
        self.reply = reply
        self.record = record
        self.time = time
        stream = record.stub.flatMap { reply.stream(of: $0) }
        state = Locked(
            State(
                receiver: receiver, client: client, cause: reply.cause(from: 0),
                stream: stream))
        if time.isChosen { time.beginStep() }
    }

    /// Begins to give the reply.
    func start(on handlers: Handlers) {
        handlers.start(in: task) { [self] in await play() }
    }

    /// What the reply waits for.
    var cause: WaitCause { state.withLock { $0?.cause } ?? .nothing }

    /// Gives the client a piece of a stream, unless the reply has ended.
    func send(_ piece: Reply.Event, of reply: Reply) {
        let now = time.now
        limit(from: now, isDeadline: true)
        let receiver = state.withLock { $0?.receiver }
        receiver?(Reply.Part(reply, [Reply.Step(event: piece)]), now)
    }

    /// Ends the reply with an event, unless it has ended.
    func finish(with last: Reply.Event, of reply: Reply? = nil) {
        end()?(Reply.Part(reply ?? self.reply, [Reply.Step(event: last)]), time.now)
        task.cancel()
    }

    /// Ends the reply without a further event.
    func cancel() {
        _ = end()
        task.cancel()
    }

    private func play() async {
        // Whether the clock waits for the end of a step.
        var isStep = time.isChosen
        func endStep() {
            if isStep { time.endStep() }
            isStep = false
        }
        defer { endStep() }

        /// Suspends until it is called back, which begins a new step.
        func wait(_ begin: (@escaping @Sendable () -> Void) -> Cancellation?) async throws {
            let waiter = Waiter<Void>()
            let wait = begin { [time] in
                time.beginStep()
                if !waiter.end(with: .success(())) { time.endStep() }
            }
            endStep()
            try await waiter.value(ifCancelled: .failure(CancellationError())) { wait?.cancel() }
            isStep = true
        }

        var (reply, stream) = (reply, stream)
        var next = 0
        // When the last event was due, and when the client began to wait for the next byte.
        var (moment, waitStart) = (record.startTime, record.startTime)
        var hasHead = false
        do {
            while next < reply.steps.count {
                let step = reply.steps[next]
                switch step.event {
                case .later(_, let work):
                    limit(from: waitStart, isDeadline: true)
                    endStep()
                    (reply, next) = (try await work(), 0)
                    stream = record.stub.flatMap { reply.stream(of: $0) }
                    if let stream, !keep(stream) { return stream.close(task) }
                    if !reply.isImmediate { setCause(reply.cause(from: 0)) }
                case .gate:
                    limit(from: waitStart, isDeadline: false)
                    try await wait { record.stub?.gate.when({ $0 }, $0) }
                    next += 1
                    setCause(reply.cause(from: next))
                case .source:
                    limit(from: waitStart, isDeadline: true)
                    endStep()
                    await stream?.open(on: self)
                    return
                case .silence: return limit(from: waitStart, isDeadline: false)
                case .head, .piece, .end, .failure, .cutHead:
                    moment += step.after
                    var now = moment
                    if step.after > .zero {
                        let timeout = waitStart + idleTimeout
                        try await wait { [moment] in
                            time.schedule(at: min(moment, timeout), isDeadline: false, $0)
                        }
                        if timeout < moment { throw URLError(.timedOut) }
                        now = time.now
                    }
                    (waitStart, hasHead) = (moment, true)
                    let part = Reply.Part(reply, from: next)
                    next += part.steps.count
                    // Before the client has the part, because the test may then ask for the cause,
                    // or send a piece.
                    if let opening = reply.opening(at: next) { stream?.willOpen(opening) }
                    let receiver =
                        part.isLast ? end() : setCause(reply.cause(from: next))
                    receiver?(part, now)
                    if receiver == nil || part.isLast { return }
                    continue
                }
                // The times of the next events count from the end of the wait.
                moment = time.now
                // Before the head, the client of a chosen clock has waited since its request. Without
                // one, no time has passed while a handler ran.
                if hasHead || !time.isChosen { waitStart = moment }
            }
        } catch {
            finish(with: .failure(error))
        }
    }

    /// Keeps the stream of the body. Returns false if the reply has ended.
    private func keep(_ stream: ResponseStream) -> Bool {
        state.withLock { state in
            state?.stream = stream
            return state != nil
        }
    }

    /// Records what the reply waits for, and removes the timeout of the wait before. Returns the
    /// receiver; nil after the end.
    @discardableResult
    private func setCause(_ cause: WaitCause) -> Receiver? {
        let (timeout, receiver) = state.withLock { state in
            defer { state?.timeout = nil }
            state?.cause = cause
            return (state?.timeout, state?.receiver)
        }
        timeout?.cancel()
        return receiver
    }

    private var idleTimeout: Duration {
        let (known, client) = state.withLock { ($0?.idleTimeout, $0?.client) }
        if let known { return known }
        // Not before it is needed: for a `URLSession` on Linux, this takes longer than everything
        // else that happens to a request.
        let idleTimeout = client?.idleTimeout(for: record.request) ?? .zero
        state.withLock { $0?.idleTimeout = idleTimeout }
        return idleTimeout
    }

    /// Limits the wait by the client's timeout, if the test chose the clock.
    private func limit(from start: Duration, isDeadline: Bool) {
        guard time.isChosen else { return }
        state.withLock { $0?.timeout }?.cancel()
        let timeout = time.schedule(at: start + idleTimeout, isDeadline: isDeadline) { [self] in
            finish(with: .failure(URLError(.timedOut)))
        }
        let isOver = state.withLock { state in
            state?.timeout = timeout
            return state == nil
        }
        if isOver { timeout.cancel() }
    }

    /// Ends the reply, and returns the receiver. Only the first call gets it, so only one last part
    /// is sent.
    private func end() -> Receiver? {
        let last = state.withLock { state in
            defer { state = nil }
            return state
        }
        last?.timeout?.cancel()
        last?.stream?.close(task)
        return last?.receiver
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

extension Reply {
    /// When the stream of the body opens, if nothing else comes before it from a step on.
    fileprivate func opening(at index: Int) -> ResponseStream.Opening? {
        let rest = steps[index...].drop { if case .gate = $0.event { true } else { false } }
        guard case .source? = rest.first?.event else { return nil }
        return rest.startIndex == index ? .atOnce : .atRelease
    }

    /// What the reply waits for next, from a step on.
    fileprivate func cause(from index: Int) -> WaitCause {
        steps[index...].lazy.compactMap { $0.cause(in: self) }.first ?? .clock
    }
}

extension Reply.Step {
    /// What the reply waits for before this step; nil if it comes at once.
    fileprivate func cause(in reply: Reply) -> WaitCause? {
        switch event {
        case .later(let cause, _): cause
        case .gate: .release
        case .silence: .nothing
        case _ where reply.isPassedThrough: .session
        case .source(.writer): .writer
        case .source(.test): .test
        default: after > .zero ? .clock : nil
        }
    }
}
