import Foundation

extension HTTPSession {
    /// Sends at most `count` requests at a time; the others wait, first come first served.
    ///
    ///     let session = URLSession.shared.limited(to: 4)
    ///
    /// A place is held until the answer is there: around `retrying`, also during the waits between
    /// its attempts. A request that is cancelled while it waits ends at once.
    ///
    /// The places are in the value that this returns: make it once and keep it. Copies share them.
    ///
    /// - Parameter count: How many. Below one counts as one.
    public func limited(to count: Int) -> LimitedSession {
        LimitedSession(next: self, count: count)
    }
}

/// A session with a limit of exchanges in flight: see ``HTTPSession/limited(to:)``.
public struct LimitedSession: SessionPolicy {
    let next: any HTTPSession
    private let places: Places

    init(next: any HTTPSession, count: Int) {
        self.next = next
        places = Places(count)
    }

    /// Waits for a place and sends the request.
    ///
    /// - Throws: What the session inside throws; `URLError.cancelled` when the task is cancelled
    ///   before it is sent.
    public func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await places.take()
        defer { places.giveBack() }
        // The place may have come together with a cancellation.
        try Task.checkNotCancelled()
        return try await next.exchange(request)
    }
}

/// Who may go and who waits, in the order in which they came.
struct Turns {
    private var free: Int
    private var last = 0
    private var head = 0
    private var waiting: Set<Int> = []

    /// This many may go at a time; at least one.
    init(_ count: Int) {
        free = max(count, 1)
    }

    /// Somebody came, and may go at once or not.
    mutating func takeFree() -> Bool {
        // Nobody waits while a place is free: who is done gives it to the next.
        guard free > 0 else { return false }
        free -= 1
        return true
    }

    /// Somebody came. Nil lets them go at once; a number is theirs to wait with.
    mutating func arrive() -> Int? {
        if takeFree() { return nil }
        last += 1
        waiting.insert(last)
        return last
    }

    /// Somebody who went is done. A number goes next, in the same place.
    mutating func finish() -> Int? {
        guard !waiting.isEmpty else {
            free += 1
            return nil
        }
        repeat { head += 1 } while waiting.remove(head) == nil
        return head
    }

    /// Somebody does not want to wait any longer. False where their turn has come.
    mutating func giveUp(_ number: Int) -> Bool {
        waiting.remove(number) != nil
    }
}

/// The places of one limit, and the tasks that wait for one.
private final class Places: Sendable {
    private struct State {
        var turns: Turns
        var continuations: [Int: CheckedContinuation<Void, any Error>] = [:]
    }

    private let state: Locked<State>

    init(_ count: Int) {
        state = Locked(State(turns: Turns(count)))
    }

    /// Returns with a place, which must be given back, or throws without one.
    func take() async throws {
        try Task.checkNotCancelled()
        if state.withLock({ $0.turns.takeFree() }) { return }
        let own = Locked<Int?>(nil)
        // Whoever takes a number out of the turns resumes its continuation: so once. A cancellation
        // that comes before there is a number is seen right after there is one.
        let giveUp: @Sendable () -> Void = { [self] in
            if let number = own.withLock({ $0 }) { leave(number) }
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let number = enter(continuation)
                own.withLock { $0 = number }
                if Task.isCancelled { giveUp() }
            }
        } onCancel: {
            giveUp()
        }
    }

    func giveBack() {
        let next = state.withLock { state in
            state.turns.finish().flatMap { state.continuations.removeValue(forKey: $0) }
        }
        next?.resume()
    }

    private func enter(_ continuation: CheckedContinuation<Void, any Error>) -> Int? {
        let number = state.withLock { state in
            let number = state.turns.arrive()
            if let number { state.continuations[number] = continuation }
            return number
        }
        if number == nil { continuation.resume() }
        return number
    }

    private func leave(_ number: Int) {
        let continuation = state.withLock { state in
            state.turns.giveUp(number) ? state.continuations.removeValue(forKey: number) : nil
        }
        continuation?.resume(throwing: URLError(.cancelled))
    }
}
