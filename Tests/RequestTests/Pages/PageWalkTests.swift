import Foundation
import TestSupport
import Testing

@testable import APIKitLite

@Suite(.limited) struct PageWalkTests {
    /// The inputs that are loaded where each page names the next of `named`.
    private func inputs<Input: Hashable>(
        from first: Input, limit: Int = 1_000, naming next: (Input) -> Input?
    ) -> (loaded: [Input], last: Input?) {
        var walk = PageWalk(from: first, limit: limit)
        var loaded: [Input] = []
        var last: Input?
        while let input = walk.input {
            loaded.append(input)
            last = walk.move(to: next(input))
        }
        return (loaded, last)
    }

    @Test(
        arguments: [
            ([1: 2, 2: 3], [1, 2, 3]),
            ([:], [1]),
            // Repeated: the same, the one before, an older one, the first.
            ([1: 1], [1]),
            ([1: 2, 2: 2], [1, 2]),
            ([1: 2, 2: 3, 3: 2], [1, 2, 3]),
            ([1: 2, 2: 3, 3: 4, 4: 1], [1, 2, 3, 4]),
            ([1: -7, -7: 0], [1, -7, 0]),
        ] as [([Int: Int], [Int])])
    func goesOnToWhatIsNamedAndNotLoadedYet(_ names: [Int: Int], _ expected: [Int]) {
        let (loaded, last) = inputs(from: 1) { names[$0] }

        #expect(loaded == expected)
        #expect(last == nil)
    }

    // As a server does whose empty pages name ever new cursors.
    @Test(arguments: [(.min, 0), (-1, 0), (0, 0), (1, 1), (2, 2), (1_000, 1_000)])
    func endsAtTheLimit(_ limit: Int, _ count: Int) {
        let (loaded, last) = inputs(from: 1, limit: limit) { $0 + 1 }

        #expect(loaded == Array(1..<(count + 1)))
        // One may go on from there.
        #expect(last == (count == 0 ? nil : count + 1))
    }

    @Test func endsAtACursorThatIsMissing() {
        let cursors: [String?: String?] = [nil: "a", "a": "b", "b": nil]
        func next(_ cursor: String?) -> String?? { cursors[cursor] }

        #expect(inputs(from: nil, naming: next).loaded == [nil, "a", "b"])
        // Resumed in the middle, where the first page was not seen.
        #expect(inputs(from: "a", naming: next).loaded == ["a", "b"])
        #expect(inputs(from: "b", naming: next).last == .none)
    }
}
