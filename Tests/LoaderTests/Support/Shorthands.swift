import APIKitLite
import Foundation

extension URL {
    /// The server of most tests.
    static let api = URL(string: "https://api.example.com")!
}

extension AsyncSequence {
    /// The elements up to the end.
    func all(isolation: isolated (any Actor)? = #isolation) async throws -> [Element] {
        var elements: [Element] = []
        for try await element in self { elements.append(element) }
        return elements
    }
}
