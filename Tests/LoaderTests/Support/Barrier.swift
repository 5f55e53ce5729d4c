import APIKitLite
import TestSupport

/// Suspends tasks until a number of them have come.
final class Barrier: Sendable {
    private struct State {
        var missing: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>

    init(_ count: Int) { state = Locked(State(missing: count)) }

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

/// Runs a function many times at once, and returns its results in any order.
@discardableResult
func concurrently<R: Sendable>(
    _ count: Int, _ work: @escaping @Sendable (Int) async throws -> R
) async throws -> [R] {
    try await withThrowingTaskGroup(of: R.self) { group in
        for number in 0..<count { group.addTask { try await work(number) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}

/// Cancels many loads at different moments. Each ends, with its response or as cancelled; the
/// process must not.
func cancelMany(_ request: URLRequest, over sessions: [any HTTPSession]) async throws {
    try await concurrently(12) { worker in
        let session = sessions[worker % sessions.count]
        for index in 0..<60 {
            let task = Task { await session.outcome(of: request) }
            for _ in 0..<(index + worker) % 50 { await Task.yield() }
            task.cancel()
            #expect([.body("hello"), .error(.cancelled)].contains(await task.value))
        }
    }
}
