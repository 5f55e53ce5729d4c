import Foundation
import TestSupport
import Testing

@testable import APIKitLite

/// Waits for a limit, and deadlines of a timeout.
@Suite(.limited) struct WaitQueueTests {
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
}
