import APIKitLite
import Testing

@Suite(.timeLimit(.minutes(5))) struct DeadlineQueueTests {
    @Test func takesOutWhoIsDueOldestFirst() {
        var queue = DeadlineQueue<String>()
        _ = queue.add("a", until: .seconds(1))
        _ = queue.add("b", until: .seconds(2))
        _ = queue.add("c", until: .seconds(2))
        _ = queue.add("d", until: .seconds(3))

        #expect(queue.takeDue(at: .seconds(0.9)) == [])
        #expect(queue.takeDue(at: .seconds(2)) == ["a", "b", "c"])
        #expect(queue.next == .seconds(3))
        #expect(queue.takeDue(at: .seconds(9)) == ["d"])
        #expect(queue.takeDue(at: .seconds(9)) == [])
        #expect(queue.next == nil)
    }

    @Test func handsOutEachOnce() {
        var queue = DeadlineQueue<String>()
        let first = queue.add("a", until: .seconds(1))
        let second = queue.add("b", until: .seconds(1))

        #expect(queue.remove(first) == "a")
        #expect(queue.remove(first) == nil)
        #expect(queue.takeDue(at: .seconds(1)) == ["b"])
        #expect(queue.remove(second) == nil)
        #expect(queue.remove(99) == nil)
    }

    @Test func tellsTheNextDeadlineOfThoseWhoStillWait() {
        var queue = DeadlineQueue<Int>()
        let ids = (1...5).map { queue.add($0, until: .seconds($0)) }

        _ = queue.remove(ids[1])
        #expect(queue.next == .seconds(1))
        _ = queue.remove(ids[0])
        #expect(queue.next == .seconds(3))
        _ = queue.remove(ids[4])
        _ = queue.remove(ids[2])
        _ = queue.remove(ids[3])
        #expect(queue.next == nil)
        _ = queue.add(6, until: .seconds(6))
        #expect(queue.next == .seconds(6))
    }

    // As a clock that is set back makes them.
    @Test func nobodyIsDueBeforeThoseWhoCameEarlier() {
        var queue = DeadlineQueue<String>()
        _ = queue.add("a", until: .seconds(5))
        _ = queue.add("b", until: .seconds(1))

        #expect(queue.takeDue(at: .seconds(4)) == [])
        #expect(queue.takeDue(at: .seconds(5)) == ["a", "b"])
    }
}
