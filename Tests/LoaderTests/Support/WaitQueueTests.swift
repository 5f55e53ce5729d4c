import Foundation
import TestSupport
import Testing

@testable import APIKitLite

/// Waits for a limit, and deadlines of a timeout.
@Suite(.limited, .serialized) struct WaitQueueTests {
    @Test func keepsTheOrderOfThoseThatHaveNotLeft() {
        var queue = WaitQueue<String>()
        let numbers = ["a", "b", "c", "d"].map { queue.append($0) }

        queue.remove(numbers[0])
        queue.remove(numbers[2])

        #expect(queue.oldest() == "b")
        #expect(queue.removeOldest() == "b")
        queue.remove(numbers[1])
        _ = queue.append("e")
        #expect(queue.removeOldest() == "d")
        #expect(queue.removeOldest() == "e")
        #expect(queue.removeOldest() == nil)
    }

    /// Deadlines end in the order of their start, or in the opposite one.
    @Test(arguments: [true, false])
    func deadlinesTakeLinearTime(_ isReversed: Bool) {
        func once(_ count: Int) -> Duration {
            let timer = DeadlineTimer(.seconds(1_000), on: Timeline(ContinuousClock()))
            return ContinuousClock().measure {
                let deadlines = (0..<count).map { _ in timer.schedule {}.1 }
                for deadline in isReversed ? deadlines.reversed() : deadlines { deadline.cancel() }
            }
        }
        // The least of several, because another process may take the processor.
        func time(_ count: Int) -> Duration { (0..<5).map { _ in once(count) }.min()! }

        // Twenty times the deadlines: quadratic time would be four hundred times as long.
        #expect(time(40_000) < time(2_000) * 100)
    }

    @Test func cancelledWaitsTakeLinearTime() async {
        func once(_ count: Int) async -> Duration {
            let semaphore = AsyncSemaphore(1)
            try? await semaphore.wait()
            return await ContinuousClock().measure {
                let tasks = (0..<count).map { _ in Task { try? await semaphore.wait() } }
                for task in tasks.reversed() { task.cancel() }
                for task in tasks { await task.value }
            }
        }
        func time(_ count: Int) async -> Duration {
            var least = await once(count)
            for _ in 0..<4 { least = await min(least, once(count)) }
            return least
        }

        #expect(await time(40_000) < time(2_000) * 100)
    }
}
