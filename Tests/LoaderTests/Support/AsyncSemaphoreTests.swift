import APIKitLite
import Foundation
import TestSupport
import Testing

@Suite(.limited) struct AsyncSemaphoreTests {
    /// Tasks that come to a semaphore in a known order, and what they have told.
    private final class Users: Sendable {
        let semaphore: AsyncSemaphore
        let holders = Recorder<Int>()
        private let tasks = Locked<[Int: Task<Void, any Error>]>([:])

        init(_ count: Int) {
            semaphore = AsyncSemaphore(count)
        }

        /// Lets one come, who has taken its place in the queue or the semaphore on return.
        @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
        func come(_ number: Int) {
            let task = Task.immediate { [self] in
                try await semaphore.wait()
                holders.append(number)
            }
            tasks.withLock { $0[number] = task }
        }

        func cancel(_ number: Int) {
            tasks.withLock { $0[number] }?.cancel()
        }

        func end(of number: Int) async -> Result<Void, any Error>? {
            await tasks.withLock { $0[number] }?.result
        }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test(arguments: [(1, 1), (3, 3), (0, 1), (-5, 1), (.min, 1)])
    func isHeldBySoManyAtATimeInTheOrderOfArrival(_ count: Int, _ expected: Int) async throws {
        let users = Users(count)
        for number in 1...6 { users.come(number) }
        let first = await users.holders.events { $0 == expected }
        #expect(first == Array(1...expected))

        for number in expected + 1...6 {
            users.semaphore.signal()
            #expect(await users.holders.events { _ in true } == [number])
        }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func passesOverTheCancelled() async throws {
        let users = Users(1)
        for number in 1...4 { users.come(number) }
        users.cancel(2)
        users.cancel(3)
        for number in 2...3 {
            let end = await users.end(of: number)
            #expect(throws: URLError(.cancelled)) { try end?.get() }
        }

        users.semaphore.signal()

        #expect(await users.holders.events { $0 == 4 } == [1, 4])
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func isAvailableAgainWhenAllWhoWaitedAreCancelled() async throws {
        let users = Users(1)
        users.come(0)
        // More than are kept before the queue is cleaned up.
        for number in 1...1_000 { users.come(number) }
        for number in 1...1_000 {
            users.cancel(number)
            _ = await users.end(of: number)
        }

        users.semaphore.signal()
        users.come(1_001)

        #expect(await users.holders.events { $0 == 1_001 } == [0, 1_001])
    }

    @Test func doesNotSuspendTheCancelled() async throws {
        let semaphore = AsyncSemaphore(1)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await semaphore.wait()
        }

        await #expect(throws: URLError(.cancelled)) { try await task.value }
        try await semaphore.wait()
    }

    @Test func losesNoPlaceUnderCancellation() async throws {
        let semaphore = AsyncSemaphore(3)
        let holders = Locked((now: 0, most: 0))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<3_000 {
                let task = Task {
                    try await semaphore.wait()
                    holders.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                    await Task.yield()
                    holders.withLock { $0.now -= 1 }
                    semaphore.signal()
                }
                group.addTask {
                    if number.isMultiple(of: 2) {
                        for _ in 0..<(number % 7) { await Task.yield() }
                        task.cancel()
                    }
                    _ = await task.result
                }
            }
        }

        #expect(holders.withLock { $0.most } <= 3)
        for _ in 0..<3 { try await semaphore.wait() }
    }
}
