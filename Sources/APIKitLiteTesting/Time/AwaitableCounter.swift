import APIKitLite

/// A number that tasks and callbacks wait for: how many requests came, how often a stub was used,
/// whether held responses may go.
final class AwaitableCounter: Sendable {
    private struct Entry: Sendable {
        let id: Int
        let number: Int
        let call: @Sendable () -> Void
    }

    private struct State {
        var number = 0
        var entries: [Entry] = []
        var lastID = 0

        mutating func takeReached() -> [Entry] {
            guard !entries.isEmpty else { return [] }
            let reached = entries.filter { $0.number <= number }
            entries.removeAll { $0.number <= number }
            return reached
        }
    }

    private let state = Locked(State())

    var number: Int { state.withLock { $0.number } }

    /// Changes the number, and calls back whoever waited for it.
    @discardableResult
    func update<R>(_ change: (inout Int) -> R) -> R {
        let (result, reached) = state.withLock { state in
            (change(&state.number), state.takeReached())
        }
        for entry in reached { entry.call() }
        return result
    }

    /// Calls back once, as soon as the number is reached: at once where it is already.
    ///
    /// - Returns: What prevents it. Nil if it has been called.
    func whenReached(_ number: Int, _ call: @escaping @Sendable () -> Void) -> Cancellation? {
        let id = state.withLock { state -> Int? in
            guard state.number < number else { return nil }
            state.lastID += 1
            state.entries.append(Entry(id: state.lastID, number: number, call: call))
            return state.lastID
        }
        guard let id else {
            call()
            return nil
        }
        return Cancellation { [self] in
            state.withLock { state in state.entries.removeAll { $0.id == id } }
        }
    }

    /// Suspends until the number is reached or the task is cancelled.
    func wait(for number: Int) async {
        let waiter = Waiter<Void>()
        let entry = whenReached(number) { waiter.end(with: .success(())) }
        try? await waiter.value(ifCancelled: .success(())) { entry?.cancel() }
    }

    /// Suspends until the number has stayed the same for two milliseconds, or the task is cancelled.
    func waitForQuiet() async {
        var seen: Int
        repeat {
            seen = number
            // The yields take longer on a busy machine; the pause is for what runs elsewhere.
            for _ in 0..<32 { await Task.yield() }
            try? await Task.sleep(for: .milliseconds(2))
        } while seen != number && !Task.isCancelled
    }
}
