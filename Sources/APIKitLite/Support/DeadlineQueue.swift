/// A FIFO queue of elements with non-decreasing deadlines.
///
/// Adding, removing or taking an element needs amortized constant time.
package struct DeadlineQueue<Element> {
    private var elements: [Int: (deadline: Duration, element: Element)] = [:]
    // A range that contains the ids of all elements. A higher id never has an earlier deadline.
    private var ids = 1..<1

    /// Creates an empty queue.
    package init() {}

    /// Adds an element and returns its id. Its deadline must not be before that of an earlier one.
    package mutating func add(_ element: Element, until deadline: Duration) -> Int {
        let id = ids.upperBound
        elements[id] = (deadline, element)
        ids = ids.lowerBound..<id + 1
        return id
    }

    /// Removes and returns an element. If it was removed before, returns `nil`.
    @discardableResult
    package mutating func remove(_ id: Int) -> Element? {
        let entry = elements.removeValue(forKey: id)
        dropRemovedIDs()
        return entry?.element
    }

    /// Removes and returns the elements whose deadline has passed or is now, oldest first.
    package mutating func takeDue(at now: Duration) -> [Element] {
        var due: [Element] = []
        while let id = ids.first, let entry = elements[id], entry.deadline <= now {
            due.append(entry.element)
            elements[id] = nil
            dropRemovedIDs()
        }
        return due
    }

    /// Whether there are no elements.
    package var isEmpty: Bool { elements.isEmpty }

    /// The earliest deadline. If the queue is empty, `nil`.
    package var next: Duration? {
        ids.first.flatMap { elements[$0]?.deadline }
    }

    /// Removes ids from the start of the range until the first one is that of an element.
    private mutating func dropRemovedIDs() {
        while let id = ids.first, elements[id] == nil { ids.removeFirst() }
    }
}
