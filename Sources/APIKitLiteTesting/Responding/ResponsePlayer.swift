import APIKitLite
import Foundation

/// Gives one request its answer, step by step, in the time of its network: first the handler makes
/// a plan, then its gate opens, then it rolls.
final class ResponsePlayer: @unchecked Sendable {  // `state` only under the lock.
    /// Who gets the answer.
    struct Sink: Sendable {
        /// How long it waits for a next byte. Not known before it is needed: for a URLSession on Linux
        /// that takes longer than all else that happens to a request.
        let idleTimeout: @Sendable () -> Duration
        /// Hears the replies: in order, from any thread, nothing after the last.
        let send: @Sendable (ResponseEvent) -> Void
    }

    private struct State {
        /// Nil when it is over, so that nothing is kept alive from here.
        var sink: Sink?
        var rest: ArraySlice<(at: Duration, event: ResponseEvent)> = []
        var hasBegun = false
        /// What must not happen any more once this is over.
        var watchdog: Cancellation?
        var gate: Cancellation?
        var timer: Cancellation?
    }

    // One for all playbacks: it is held for nanoseconds, and a lock costs more to make than all
    // else that a player does.
    private static let lock = NSLock()
    private var state: State
    private let time: any NetworkTime
    private let arrival: Duration

    /// - Parameter arrival: When the request came.
    init(in time: any NetworkTime, since arrival: Duration, for sink: Sink) {
        self.time = time
        self.arrival = arrival
        state = State(sink: sink)
    }

    /// Ends the wait for a handler when the client's timeout does.
    func watchHandler(onTimeout: @escaping @Sendable () -> Void) {
        guard time.isChosen, withState({ $0.sink != nil && !$0.hasBegun }) else { return }
        watch(isDeadline: true, onTimeout)
    }

    /// Ends the wait for a gate when the client's timeout does.
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

    /// False where the answer has begun.
    private func giveUp() -> Bool {
        guard !withState({ $0.hasBegun }) else { return false }
        fail(URLError(.timedOut))
        return true
    }

    /// Plays the plan: now, or when its gate opens.
    func start(_ plan: ResponsePlan) {
        if let answer = plan.immediateAnswer { return finish(.answer(answer)) }
        guard let gate = plan.gate else { return begin(plan) }
        guard let wait = gate.whenReached(1, { [self] in begin(plan) }) else { return }
        keep(wait, at: \.gate) { !$0.hasBegun }
        watchGate()
    }

    func fail(_ error: any Error) {
        finish(.failure(error))
    }

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

    private func begin(_ plan: ResponsePlan) {
        let now = time.now
        let mayTimeOut = time.isChosen || plan.takesTime
        let moments = plan.moments(
            // A time that jumps has nothing to do with how long a handler took.
            from: now, since: time.isChosen ? arrival : now,
            idleTimeout: mayTimeOut ? idleTimeout : .zero, endsWaiting: time.isChosen)
        let watchdog = withState { state in
            state.hasBegun = true
            state.rest = moments[...]
            state.gate = nil
            defer { state.watchdog = nil }
            return state.watchdog
        }
        watchdog?.cancel()
        step()
    }

    /// Tells all that is due, and comes back for what is not.
    private func step() {
        while let next = withState({ $0.sink == nil ? nil : $0.rest.first }) {
            guard next.at <= time.now else {
                let timer = time.schedule(at: next.at, isDeadline: false) { [self] in step() }
                // It may have called already, and there may be another by now.
                return keep(timer, at: \.timer) { $0.rest.first?.at == next.at }
            }
            let sink = withState { state in
                // Empty where it was ended in between.
                _ = state.rest.popFirst()
                return state.sink
            }
            (next.event.isLast ? end() : sink)?.send(next.event)
        }
    }

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

    /// Whoever gets the sink here tells the last event: so once.
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
