import APIKitLite
import Foundation

/// Gives one request its answer, event by event, in the time of its network.
///
/// There are up to three phases: a handler makes the plan, the plan's gate opens, and the events
/// are sent. If the body comes later than the head, two more follow: the gate of the body opens, and
/// the rest of the events or the pieces of a stream are sent.
final class ResponseSender: @unchecked Sendable {  // `state` only under the lock.
    /// The receiver of the answer.
    struct Sink: Sendable {
        /// Returns how long the client waits for the next byte. It is called only when needed: for
        /// a `URLSession` on Linux, this takes longer than everything else that happens to a
        /// request.
        let idleTimeout: @Sendable () -> Duration
        /// Receives the events, in order, on any thread, and none after the last one.
        let send: @Sendable (ResponseEvent) -> Void
    }

    /// What changes while the sender runs.
    private struct State {
        /// The receiver; nil after the end, so that the sender keeps nothing alive.
        var sink: Sink?
        /// The events that are not sent yet.
        var remaining: ArraySlice<(at: Duration, event: ResponseEvent)> = []
        /// Whether the plan has begun, so that a handler or a gate cannot time out any more.
        var hasBegun = false
        /// Whether the plan waits for its gate, so that a handler cannot time out any more.
        var isHeld = false
        /// The plan of a body that follows the remaining events; nil if none does.
        var laterBody: LaterBody?
        /// Whether the body waits for its gate.
        var isBodyHeld = false
        /// The stream that sends the body; nil if there is none.
        var stream: ResponseStream?
        /// Cancels the timeout of the handler, of a gate or of the next piece of a stream.
        var watchdog: Cancellation?
        /// Cancels the wait for a gate.
        var gate: Cancellation?
        /// Cancels the call for the next event.
        var timer: Cancellation?
    }

    /// The plan of a body, which most answers do not need, so that it is kept in a box.
    private final class LaterBody: Sendable {
        let plan: ResponsePlan

        init(_ plan: ResponsePlan) { self.plan = plan }
    }

    // One lock for all senders. It is held for nanoseconds, and to create one for each sender would
    // cost more than everything else that a sender does.
    private static let lock = NSLock()
    private var state: State
    let time: any NetworkTime
    private let arrival: Duration

    /// Creates a sender that has not begun.
    ///
    /// - Parameters:
    ///   - time: The time of the network.
    ///   - arrival: When the request came.
    ///   - sink: The receiver of the answer.
    init(in time: any NetworkTime, since arrival: Duration, for sink: Sink) {
        self.time = time
        self.arrival = arrival
        state = State(sink: sink)
    }

    /// Limits the wait for a handler by the client's timeout.
    ///
    /// - Parameter onTimeout: Called after the request has failed with `URLError.timedOut`.
    func watchHandler(onTimeout: @escaping @Sendable () -> Void) {
        // An immediate handler may have returned its plan already.
        let isNeeded = { (state: State) in !state.hasBegun && !state.isHeld }
        guard time.isChosen, withState({ $0.sink != nil && isNeeded($0) }) else { return }
        let watchdog = time.schedule(at: arrival + idleTimeout, isDeadline: true) { [self] in
            if giveUp() { onTimeout() }
        }
        keep(watchdog, at: \.watchdog, while: isNeeded)
    }

    /// Limits the wait for a gate by the client's timeout, in place of the wait for a handler.
    private func watchGate() {
        guard time.isChosen else { return }
        let watchdog = time.schedule(at: arrival + idleTimeout, isDeadline: false) { [self] in
            _ = giveUp()
        }
        keep(watchdog, at: \.watchdog) { !$0.hasBegun }
    }

    /// Fails the request with `URLError.timedOut`, and returns true. If the plan has begun, does
    /// nothing.
    private func giveUp() -> Bool {
        guard !withState({ $0.hasBegun }) else { return false }
        fail(URLError(.timedOut))
        return true
    }

    /// Starts a plan: at once, or when its gate opens.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - isKnownAtArrival: Whether a delay begins with the arrival of the request, because no
    ///     handler has made the plan since then. The test may move the clock as soon as the request
    ///     is recorded, which is a moment before this call. With a gate, it has no effect.
    func start(_ plan: ResponsePlan, isKnownAtArrival: Bool = false) {
        if let answer = plan.immediateAnswer { return finish(.answer(answer)) }
        if let stream = plan.stream {
            let isOver = withState { state in
                if state.sink != nil { state.stream = stream }
                return state.sink == nil
            }
            if isOver { return stream.close() }
        }
        guard let gate = plan.gate else {
            return begin(plan, at: isKnownAtArrival && time.isChosen ? arrival : time.now)
        }
        withState { $0.isHeld = true }
        guard let wait = gate.whenReached(1, { [self] in begin(plan, at: time.now) }) else {
            return
        }
        keep(wait, at: \.gate) { !$0.hasBegun }
        watchGate()
    }

    /// Sends a piece of a stream, unless the answer has ended.
    func send(_ piece: Piece) {
        guard let sink = withState({ $0.sink }) else { return }
        watchStream()
        sink.send(.piece(piece))
    }

    /// Ends the body of a stream, unless the answer has ended.
    ///
    /// - Parameter error: The error with which the body fails; nil if it is complete.
    func finishStream(throwing error: (any Error)?) {
        finish(error.map { .failure($0) } ?? .end)
    }

    /// Ends the answer with an error, unless it has ended.
    func fail(_ error: any Error) {
        finish(.failure(error))
    }

    /// Ends the answer without a further event.
    func cancel() {
        _ = end()
    }

    private func finish(_ last: ResponseEvent) {
        end()?.send(last)
    }

    private var idleTimeout: Duration { withState { $0.sink }?.idleTimeout() ?? .zero }

    private func withState<R>(_ body: (inout State) -> R) -> R {
        Self.lock.withLock { body(&state) }
    }

    /// Sends the events of a plan, each at its time after the start.
    private func begin(_ plan: ResponsePlan, at start: Duration) {
        if plan.hasLaterBody { withState { $0.laterBody = LaterBody(plan) } }
        // Virtual time did not advance while a handler ran, so the timeout starts now.
        send(plan.firstSteps, of: plan, at: start, waitingSince: time.isChosen ? arrival : start)
    }

    /// Sends events of a plan.
    ///
    /// - Parameters:
    ///   - steps: The events, with the time before each.
    ///   - plan: The plan.
    ///   - start: When the first one starts.
    ///   - waitStart: When the client began to wait for it.
    private func send(
        _ steps: [ResponsePlan.Step], of plan: ResponsePlan, at start: Duration,
        waitingSince waitStart: Duration
    ) {
        let mayTimeOut = time.isChosen || plan.takesTime
        let moments = ResponsePlan.moments(
            of: steps, from: start, since: waitStart,
            idleTimeout: mayTimeOut ? idleTimeout : .zero, endsWaiting: time.isChosen)
        let watchdog = withState { state in
            state.hasBegun = true
            state.isBodyHeld = false
            state.remaining = moments[...]
            state.gate = nil
            defer { state.watchdog = nil }
            return state.watchdog
        }
        watchdog?.cancel()
        step()
    }

    /// Gives the body of a plan whose head was sent: at once, or when its gate opens.
    private func giveBody(of plan: ResponsePlan) {
        guard let gate = plan.bodyGate else { return beginBody(of: plan) }
        withState { $0.isBodyHeld = true }
        guard let wait = gate.whenReached(1, { [self] in beginBody(of: plan) }) else { return }
        keep(wait, at: \.gate) { $0.isBodyHeld }
        guard time.isChosen else { return }
        let watchdog = time.schedule(at: time.now + idleTimeout, isDeadline: false) { [self] in
            if withState({ $0.isBodyHeld }) { fail(URLError(.timedOut)) }
        }
        keep(watchdog, at: \.watchdog) { $0.isBodyHeld }
    }

    private func beginBody(of plan: ResponsePlan) {
        guard let stream = plan.stream else {
            let now = time.now
            return send(plan.bodySteps, of: plan, at: now, waitingSince: now)
        }
        withState { $0.isBodyHeld = false }
        watchStream()
        stream.open(on: self)
    }

    /// Limits the wait for the next piece of a stream by the client's timeout.
    private func watchStream() {
        guard time.isChosen else { return }
        let watchdog = time.schedule(at: time.now + idleTimeout, isDeadline: true) { [self] in
            fail(URLError(.timedOut))
        }
        keep(watchdog, at: \.watchdog) { _ in true }
    }

    /// Sends all events that are due, and schedules a call for the next one.
    private func step() {
        while let next = withState({ $0.sink == nil ? nil : $0.remaining.first }) {
            guard next.at <= time.now else {
                let timer = time.schedule(at: next.at, isDeadline: false) { [self] in step() }
                // The timer may have fired already, and there may be a new one by now.
                return keep(timer, at: \.timer) { $0.remaining.first?.at == next.at }
            }
            let sink = withState { state in
                // Empty if the sender was ended in between.
                _ = state.remaining.popFirst()
                return state.sink
            }
            (next.event.isLast ? end() : sink)?.send(next.event)
        }
        let laterBody = withState { state in
            defer { state.laterBody = nil }
            return state.sink == nil ? nil : state.laterBody
        }
        if let laterBody { giveBody(of: laterBody.plan) }
    }

    /// Keeps a cancellation for the end, and cancels what it replaces. If it is not needed any more,
    /// cancels it immediately.
    private func keep(
        _ cancellation: Cancellation, at keyPath: WritableKeyPath<State, Cancellation?> & Sendable,
        while isNeeded: (State) -> Bool
    ) {
        let unneeded = withState { state -> Cancellation? in
            guard state.sink != nil, isNeeded(state) else { return cancellation }
            defer { state[keyPath: keyPath] = cancellation }
            return state[keyPath: keyPath]
        }
        unneeded?.cancel()
    }

    /// Ends the sender, and returns its sink. Only the first call gets it, so only one last event
    /// is sent.
    private func end() -> Sink? {
        let last = withState { state in
            defer { state = State() }
            return state
        }
        last.watchdog?.cancel()
        last.gate?.cancel()
        last.timer?.cancel()
        last.stream?.close()
        return last.sink
    }
}
