import APIKitLite
import Foundation

/// Gives one request its answer, event by event, in the time of its network.
///
/// There are up to three phases: a handler makes the plan, the plan's gate opens, and the events
/// are sent.
final class ResponsePlayer: @unchecked Sendable {  // `state` only under the lock.
    /// The receiver of the answer.
    struct Sink: Sendable {
        /// Returns how long the client waits for the next byte. It is called only when needed: for
        /// a `URLSession` on Linux, this takes longer than everything else that happens to a
        /// request.
        let idleTimeout: @Sendable () -> Duration
        /// Receives the events, in order, on any thread, and none after the last one.
        let send: @Sendable (ResponseEvent) -> Void
    }

    /// What changes while the player runs.
    private struct State {
        /// The receiver; nil after the end, so that the player keeps nothing alive.
        var sink: Sink?
        /// The events that are not sent yet.
        var remaining: ArraySlice<(at: Duration, event: ResponseEvent)> = []
        /// Whether the plan has begun, so that a handler or a gate cannot time out any more.
        var hasBegun = false
        /// Cancels the timeout of the handler or of the gate.
        var watchdog: Cancellation?
        /// Cancels the wait for the gate.
        var gate: Cancellation?
        /// Cancels the call for the next event.
        var timer: Cancellation?
    }

    // One lock for all players. It is held for nanoseconds, and to create one for each player would
    // cost more than everything else that a player does.
    private static let lock = NSLock()
    private var state: State
    private let time: any NetworkTime
    private let arrival: Duration

    /// Creates a player that has not begun.
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
        guard time.isChosen, withState({ $0.sink != nil && !$0.hasBegun }) else { return }
        watch(isDeadline: true, onTimeout)
    }

    /// Limits the wait for a gate by the client's timeout.
    private func watchGate() {
        guard time.isChosen, withState({ $0.watchdog == nil }) else { return }
        watch(isDeadline: false) {}
    }

    private func watch(isDeadline: Bool, _ onTimeout: @escaping @Sendable () -> Void) {
        let watchdog = time.schedule(at: arrival + idleTimeout, isDeadline: isDeadline) { [self] in
            if giveUp() { onTimeout() }
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
    func start(_ plan: ResponsePlan) {
        if let answer = plan.immediateAnswer { return finish(.answer(answer)) }
        guard let gate = plan.gate else { return begin(plan) }
        guard let wait = gate.whenReached(1, { [self] in begin(plan) }) else { return }
        keep(wait, at: \.gate) { !$0.hasBegun }
        watchGate()
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

    /// Sends the events of a plan, each at its time.
    private func begin(_ plan: ResponsePlan) {
        let now = time.now
        let mayTimeOut = time.isChosen || plan.takesTime
        let moments = plan.moments(
            // A time that jumps does not show how long a handler took, so the timeout starts now.
            from: now, since: time.isChosen ? arrival : now,
            idleTimeout: mayTimeOut ? idleTimeout : .zero, endsWaiting: time.isChosen)
        let watchdog = withState { state in
            state.hasBegun = true
            state.remaining = moments[...]
            state.gate = nil
            defer { state.watchdog = nil }
            return state.watchdog
        }
        watchdog?.cancel()
        step()
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
                // Empty if the player was ended in between.
                _ = state.remaining.popFirst()
                return state.sink
            }
            (next.event.isLast ? end() : sink)?.send(next.event)
        }
    }

    /// Keeps a cancellation for the end, or cancels at once what is not needed any more.
    private func keep(
        _ cancellation: Cancellation, at keyPath: WritableKeyPath<State, Cancellation?> & Sendable,
        while isNeeded: (State) -> Bool
    ) {
        let isKept = withState { state in
            guard state.sink != nil, isNeeded(state) else { return false }
            state[keyPath: keyPath] = cancellation
            return true
        }
        if !isKept { cancellation.cancel() }
    }

    /// Ends the player, and returns its sink. Only the first call gets it, so only one last event
    /// is sent.
    private func end() -> Sink? {
        let last = withState { state in
            defer { state = State() }
            return state
        }
        last.watchdog?.cancel()
        last.gate?.cancel()
        last.timer?.cancel()
        return last.sink
    }
}
