/// Those who wait, each with a deadline, first come first due.
///
/// Adding, taking out and finding who is due take the same short time however many wait.
package struct DeadlineQueue<Waiter> {
    private var waiting: [Int: (deadline: Duration, waiter: Waiter)] = [:]
    // The ids of those who wait are among these. They count up, and so do the deadlines.
    private var ids = 1..<1

    /// Nobody.
    package init() {}

    /// Adds one, who is not due before those who came earlier, and returns its id.
    package mutating func add(_ waiter: Waiter, until deadline: Duration) -> Int {
        let id = ids.upperBound
        waiting[id] = (deadline, waiter)
        ids = ids.lowerBound..<id + 1
        return id
    }

    /// Changes one who waits; false if it waits no more.
    package mutating func replace(_ id: Int, with waiter: @autoclosure () -> Waiter) -> Bool {
        guard let deadline = waiting[id]?.deadline else { return false }
        waiting[id] = (deadline, waiter())
        return true
    }

    /// Takes one out; nil if it waits no more.
    package mutating func remove(_ id: Int) -> Waiter? {
        let entry = waiting.removeValue(forKey: id)
        forgetGone()
        return entry?.waiter
    }

    /// Takes those out whose deadline has come, oldest first.
    package mutating func takeDue(at now: Duration) -> [Waiter] {
        var due: [Waiter] = []
        while let id = ids.first, let entry = waiting[id], entry.deadline <= now {
            due.append(entry.waiter)
            waiting[id] = nil
            forgetGone()
        }
        return due
    }

    /// Whether one still waits.
    package func contains(_ id: Int) -> Bool { waiting[id] != nil }

    /// How many wait.
    package var count: Int { waiting.count }

    /// The next deadline; nil if nobody waits.
    package var next: Duration? {
        ids.first.flatMap { waiting[$0]?.deadline }
    }

    /// The first id is always that of one who waits.
    private mutating func forgetGone() {
        while let id = ids.first, waiting[id] == nil { ids.removeFirst() }
    }
}
