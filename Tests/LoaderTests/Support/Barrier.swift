import APIKitLite

/// Suspends tasks until a number of them have come.
final class Barrier: Sendable {
    private struct State {
        var missing: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>

    init(_ count: Int) {
        state = Locked(State(missing: count))
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                state.missing -= 1
                state.waiting.append(continuation)
                guard state.missing <= 0 else { return [CheckedContinuation<Void, Never>]() }
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in ready { continuation.resume() }
        }
    }
}
