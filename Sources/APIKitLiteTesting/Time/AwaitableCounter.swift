import APIKitLite

/// A number that tasks and callbacks can wait for: how many requests came, how often a stub was
/// used, whether held responses are released.
///
/// `state` has its own lock. Callbacks run outside of it.
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

    /// Changes the number, and calls the callbacks whose number is reached.
    ///
    /// - Returns: What `change` returns.
    @discardableResult
    func update<R>(_ change: (inout Int) -> R) -> R {
        let (result, reached) = state.withLock { state in
            (change(&state.number), state.takeReached())
        }
        for entry in reached { entry.call() }
        return result
    }

    /// Calls back once, as soon as a number is reached. If it is reached already, calls back at
    /// once.
    ///
    /// - Parameters:
    ///   - number: The number to wait for.
    ///   - call: The callback, on the thread that changes the number.
    /// - Returns: A handle that removes the callback; nil if it was called immediately.
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

    /// Suspends until a number is reached, or until the task is cancelled.
    func wait(for number: Int) async {
        let waiter = Waiter<Void>()
        let entry = whenReached(number) { waiter.end(with: .success(())) }
        defer { entry?.cancel() }
        try? await waiter.value(ifCancelled: .success(()))
    }

    /// Suspends until the number has not changed for two milliseconds, or until the task is
    /// cancelled.
    func waitForQuiet() async {
        while await !isQuiet(), !Task.isCancelled {}
    }

    /// Suspends for two milliseconds, and returns whether the number is the same as before.
    func isQuiet() async -> Bool {
        let seen = number
        // The yields take longer on a busy machine. The pause covers work on other queues.
        for _ in 0..<32 { await Task.yield() }
        try? await Task.sleep(for: .milliseconds(2))
        return seen == number
    }
}
