/// The state of an iteration through pages: which page comes next, and whether the end is reached.
///
/// It is a pure value and loads nothing.
struct PageWalk<Input: Hashable> {
    /// The input of the page to load now; nil at the end.
    private(set) var input: Input?
    /// The inputs of the pages that were named so far.
    private var seen: Set<Input>
    private var pagesLeft: Int

    init(from first: Input, limit: Int) {
        input = limit < 1 ? nil : first
        seen = [first]
        pagesLeft = limit
    }

    /// Records that the page at `input` was loaded, and moves to the next one.
    ///
    /// - Parameter next: The input of the next page, as the loaded page names it.
    /// - Returns: The same input, or nil if its page was already loaded. The limit does not matter.
    mutating func move(to next: Input?) -> Input? {
        let new = next.flatMap { !isNil($0) && seen.insert($0).inserted ? $0 : nil }
        pagesLeft -= 1
        input = pagesLeft > 0 ? new : nil
        return new
    }
}

extension PageWalk: Sendable where Input: Sendable {}

/// Whether an input that is itself an optional is nil, such as a cursor that the response lacks.
private func isNil<Input>(_ input: Input) -> Bool {
    (input as? any PerhapsNil)?.isNil ?? false
}

/// A type with a nil value. A cast to it finds out whether a generic input is an optional.
private protocol PerhapsNil {
    var isNil: Bool { get }
}

extension Optional: PerhapsNil {
    fileprivate var isNil: Bool { self == nil }
}
