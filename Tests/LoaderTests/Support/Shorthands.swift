import APIKitLite
import Foundation

extension URL {
    /// The server of most tests.
    static let api = URL(string: "https://api.example.com")!
}

extension Locked<Int> {
    /// Adds one, and returns the sum.
    @discardableResult
    func next() -> Int {
        withLock { value in
            value += 1
            return value
        }
    }
}

extension AsyncSequence {
    /// The elements up to the end.
    func all(isolation: isolated (any Actor)? = #isolation) async throws -> [Element] {
        var elements: [Element] = []
        for try await element in self { elements.append(element) }
        return elements
    }
}
