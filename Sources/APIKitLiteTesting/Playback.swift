import APIKitLite
import Foundation

/// Gives one request its answer, step by step, in the time of its network: first the handler makes
/// a script, then its gate opens, then it rolls.
final class Playback: @unchecked Sendable {  // `state` only under the lock.
    /// Who gets the answer.
    struct Audience: Sendable {
        /// How long it waits for a next byte. Not known before it is needed: for a URLSession on Linux
        /// that takes longer than all else that happens to a request.
        let patience: @Sendable () -> Duration
        /// Hears the replies: in order, from any thread, nothing after the last.
        let hear: @Sendable (Reply) -> Void
    }

    private struct State {
        /// Nil when it is over, so that nothing is kept alive from here.
        var audience: Audience?
        var rest: ArraySlice<(at: Duration, reply: Reply)> = []
        var isRolling = false
        /// What must not happen any more once this is over.
        var watchdog: Cancellation?
        var gate: Cancellation?
        var timer: Cancellation?
    }

    // One for all playbacks: it is held for nanoseconds, and a lock costs more to make than all
    // else that a playback does.
    private static let lock = NSLock()
    private var state: State
    private let time: any NetworkTime
    private let arrival: Duration

    /// - Parameter arrival: When the request came.
    init(in time: any NetworkTime, since arrival: Duration, for audience: Audience) {
        self.time = time
        self.arrival = arrival
        state = State(audience: audience)
    }

    /// Ends the wait for a handler when the client's patience does.
    func watchHandler(onTimeout: @escaping @Sendable () -> Void) {
        guard time.isChosen, withState({ $0.audience != nil && !$0.isRolling }) else { return }
        watch(isDeadline: true, onTimeout)
    }

    /// Ends the wait for a gate when the client's patience does.
    private func watchGate() {
        guard time.isChosen, withState({ $0.watchdog == nil }) else { return }
        watch(isDeadline: false) {}
    }

    private func watch(isDeadline: Bool, _ onTimeout: @escaping @Sendable () -> Void) {
        let watchdog = time.schedule(at: arrival + patience, isDeadline: isDeadline) { [self] in
            if giveUp() { onTimeout() }
        }
        keep(watchdog, at: \.watchdog) { !$0.isRolling }
    }

    /// False where the answer has begun.
    private func giveUp() -> Bool {
        guard !withState({ $0.isRolling }) else { return false }
        fail(URLError(.timedOut))
        return true
    }

    /// Plays the script: now, or when its gate opens.
    func start(_ script: Script) {
        if let answer = script.immediateAnswer { return tell(.answer(answer)) }
        guard let gate = script.gate else { return roll(script) }
        guard let wait = gate.whenReached(1, { [self] in roll(script) }) else { return }
        keep(wait, at: \.gate) { !$0.isRolling }
        watchGate()
    }

    func fail(_ error: any Error) {
        tell(.failure(error))
    }

    func cancel() {
        _ = end()
    }

    private func tell(_ last: Reply) {
        end()?.hear(last)
    }

    private var patience: Duration { withState { $0.audience }?.patience() ?? .zero }

    private func withState<R>(_ body: (inout State) -> R) -> R {
        Self.lock.withLock { body(&state) }
    }

    private func roll(_ script: Script) {
        let now = time.now
        let mayTimeOut = time.isChosen || script.takesTime
        let moments = script.moments(
            // A time that jumps has nothing to do with how long a handler took.
            from: now, since: time.isChosen ? arrival : now,
            patience: mayTimeOut ? patience : .zero, endsWaiting: time.isChosen)
        let watchdog = withState { state in
            state.isRolling = true
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
        while let next = withState({ $0.audience == nil ? nil : $0.rest.first }) {
            guard next.at <= time.now else {
                let timer = time.schedule(at: next.at, isDeadline: false) { [self] in step() }
                // It may have called already, and there may be another by now.
                return keep(timer, at: \.timer) { $0.rest.first?.at == next.at }
            }
            let audience = withState { state in
                // Empty where it was ended in between.
                _ = state.rest.popFirst()
                return state.audience
            }
            (next.reply.isLast ? end() : audience)?.hear(next.reply)
        }
    }

    private func keep(
        _ cancellation: Cancellation, at place: WritableKeyPath<State, Cancellation?> & Sendable,
        while isNeeded: (State) -> Bool
    ) {
        let isKept = withState { state in
            guard state.audience != nil, isNeeded(state) else { return false }
            state[keyPath: place] = cancellation
            return true
        }
        if !isKept { cancellation.cancel() }
    }

    /// Whoever gets the audience here tells the last reply: so once.
    private func end() -> Audience? {
        let last = withState { state in
            defer { state = State() }
            return state
        }
        last.watchdog?.cancel()
        last.gate?.cancel()
        last.timer?.cancel()
        return last.audience
    }
}
