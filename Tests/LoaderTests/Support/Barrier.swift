import APIKitLite
import TestSupport

/// Suspends tasks until a number of them have come.
final class Barrier: Sendable {
    private let missing: Locked<Int>
    private let gate = Gate()

    init(_ count: Int) { missing = Locked(count) }

    func wait() async {
        let isLast = missing.withLock { missing in
            missing -= 1
            return missing <= 0
        }
        if isLast { gate.open() }
        await gate.wait()
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
