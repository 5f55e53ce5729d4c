import APIKitLite

/// The times between the pieces of a body.
struct Pace: Sendable {
    /// The time between the head and the first piece.
    var first = Duration.zero
    /// The time before each further piece.
    var interval = Duration.zero
    /// How much an interval may be shorter or longer.
    var jitter = Duration.zero
    /// The seed of the random intervals.
    var seed: UInt64 = 0
    /// The time before each piece, if each has its own; otherwise empty.
    var recorded: [Duration] = []

    /// Whether any piece takes time.
    var takesTime: Bool {
        first > .zero || interval > .zero || recorded.contains { $0 > .zero }
    }

    /// Returns the time before each of so many pieces. The same pace always returns the same times.
    func waits(_ count: Int) -> [Duration] {
        if !recorded.isEmpty { return Array(recorded.prefix(count)) }
        var random = SeededRandom(seed: seed)
        return (0..<count).map { index in
            guard index > 0 else { return first }
            guard jitter > .zero else { return interval }
            return interval + jitter * Double.random(in: -1...1, using: &random)
        }
    }
}
