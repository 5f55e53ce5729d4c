/// A queue whose elements can also be removed from the middle. Each operation takes constant time.
struct RemovableQueue<Element> {
    private var elements: [Int: Element] = [:]
    /// The lowest number that an element may have. The numbers before it are not searched again.
    private var first = 0
    private var end = 0

    var isEmpty: Bool { elements.isEmpty }

    /// Adds an element at the end, and returns its number.
    mutating func append(_ element: Element) -> Int {
        defer { end += 1 }
        elements[end] = element
        return end
    }

    /// Removes the element with a number, if it is still there.
    mutating func remove(_ number: Int) {
        elements[number] = nil
    }

    /// Returns the element that has been in the queue longest.
    mutating func oldest() -> Element? {
        while first < end {
            if let element = elements[first] { return element }
            first += 1
        }
        return nil
    }

    mutating func removeOldest() -> Element? {
        guard let element = oldest() else { return nil }
        remove(first)
        return element
    }
}
