/// A FIFO queue of elements with non-decreasing deadlines.
///
/// Adding, removing and finding the due elements take the same short time at any size.
package struct DeadlineQueue<Element> {
    private var elements: [Int: (deadline: Duration, element: Element)] = [:]
    // The ids of all elements are among these. They count up, and so do the deadlines.
    private var ids = 1..<1

    /// Creates an empty queue.
    package init() {}

    /// Adds an element that is not due before those that were added earlier, and returns its id.
    package mutating func add(_ element: Element, until deadline: Duration) -> Int {
        let id = ids.upperBound
        elements[id] = (deadline, element)
        ids = ids.lowerBound..<id + 1
        return id
    }

    /// Removes an element. Returns `nil` if it has been removed before.
    @discardableResult
    package mutating func remove(_ id: Int) -> Element? {
        let entry = elements.removeValue(forKey: id)
        dropRemovedIDs()
        return entry?.element
    }

    /// Removes and returns the elements whose deadline has come, oldest first.
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

    /// Keeps the first id that of an element.
    private mutating func dropRemovedIDs() {
        while let id = ids.first, elements[id] == nil { ids.removeFirst() }
    }
}
