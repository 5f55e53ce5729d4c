import APIKitLite

/// A number that tasks wait for: how many requests came, how often a stub was called, whether a
/// gate is open.
final class Milestone: Sendable {
    private struct Waiter: Sendable {
        let id: Int
        let number: Int
        let resume: @Sendable () -> Void
    }

    private struct State {
        var number = 0
        var waiters: [Waiter] = []
        var nextID = 0

        mutating func takeReached() -> [Waiter] {
            guard !waiters.isEmpty else { return [] }
            let reached = waiters.filter { $0.number <= number }
            waiters.removeAll { $0.number <= number }
            return reached
        }
    }

    private let state = Locked(State())

    var number: Int { state.withLock { $0.number } }

    /// Changes the number, and wakes whoever waited for it.
    @discardableResult
    func update<R>(_ change: (inout Int) -> R) -> R {
        let (result, reached) = state.withLock { state in
            (change(&state.number), state.takeReached())
        }
        for waiter in reached { waiter.resume() }
        return result
    }

    /// Calls back once, as soon as the number is reached: at once where it is already.
    ///
    /// - Returns: What `forget(_:)` takes, if the number is not reached yet.
    func whenReached(_ number: Int, _ resume: @escaping @Sendable () -> Void) -> Int? {
        let id = state.withLock { state -> Int? in
            guard state.number < number else { return nil }
            state.nextID += 1
            state.waiters.append(Waiter(id: state.nextID, number: number, resume: resume))
            return state.nextID
        }
        if id == nil { resume() }
        return id
    }

    /// Takes a waiter out and gives back what would have woken it, unless it was woken already.
    @discardableResult
    func forget(_ id: Int) -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters.remove(at: index).resume
        }
    }

    /// Suspends until the number is reached or the task is cancelled.
    func wait(for number: Int) async {
        let waiting = Locked<Int?>(nil)
        // Whoever takes the waiter out wakes it: so once. A cancellation that comes before there is
        // a waiter is seen right after there is one.
        let giveUp: @Sendable () -> Void = { [self] in
            if let id = waiting.withLock({ $0 }) { forget(id)?() }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let id = whenReached(number) { continuation.resume() }
                waiting.withLock { $0 = id }
                if Task.isCancelled { giveUp() }
            }
        } onCancel: {
            giveUp()
        }
    }

    /// Suspends until the number has stayed the same for two milliseconds, or the task is cancelled.
    func waitForQuiet() async {
        var seen: Int
        repeat {
            seen = number
            // The turns grow with the load of the machine; the pause is for what runs elsewhere.
            for _ in 0..<32 { await Task.yield() }
            try? await Task.sleep(for: .milliseconds(2))
        } while seen != number && !Task.isCancelled
    }
}
