/// Where a walk through pages stands, and where it ends: all without loading anything.
struct PageWalk<Input: Hashable> {
    /// The page to load now; nil at the end.
    private(set) var input: Input?
    private var seen: Set<Input>
    private var pagesLeft: Int

    init(from first: Input, limit: Int) {
        input = limit < 1 ? nil : first
        seen = [first]
        pagesLeft = limit
    }

    /// The page at `input` is there, and names the next one.
    ///
    /// - Returns: The next input, unless it is one that was already loaded.
    mutating func move(to next: Input?) -> Input? {
        let new = next.flatMap { !isNil($0) && seen.insert($0).inserted ? $0 : nil }
        pagesLeft -= 1
        input = pagesLeft > 0 ? new : nil
        return new
    }
}

extension PageWalk: Sendable where Input: Sendable {}

/// Whether an input that is optional itself is nil: a cursor that is missing in the answer.
private func isNil<Input>(_ input: Input) -> Bool {
    (input as? any PerhapsNil)?.isNil ?? false
}

private protocol PerhapsNil {
    var isNil: Bool { get }
}

extension Optional: PerhapsNil {
    fileprivate var isNil: Bool { self == nil }
}
