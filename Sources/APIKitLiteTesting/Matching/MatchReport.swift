/// What a matcher found in one request, criterion by criterion.
public struct MatchReport: Sendable, CustomStringConvertible {
    /// One criterion and what became of it.
    public struct Line: Sendable {
        /// The criterion, as the matcher describes it. Secrets are redacted.
        public let criterion: String
        /// Nil where the criterion holds; else what the request has instead.
        public let difference: String?
        /// More on the difference, such as one line for each key of a JSON body that differs.
        public let details: [String]

        /// Whether the criterion holds.
        public var holds: Bool { difference == nil }

        init(_ criterion: String, _ difference: Difference?) {
            self.criterion = criterion
            self.difference = difference?.text
            details = difference?.details ?? []
        }

        /// A line with ✓ or ✗, and the details below it.
        var text: String {
            guard let difference else { return "  ✓ \(criterion)" }
            let details = details.map { "\n      \($0)" }.joined()
            return "  ✗ \(criterion), but \(difference)\(details)"
        }
    }

    /// What a request has where a criterion does not hold.
    struct Difference {
        /// The end of a sentence: "the request has …".
        let text: String
        var details: [String] = []

        init(_ text: String, details: [String] = []) {
            self.text = text
            self.details = details
        }

        static func has(_ actual: String) -> Difference {
            Difference("the request has \(actual)")
        }
    }

    /// The criteria, in the order of the matcher.
    public let lines: [Line]

    /// What the path templates captured, if all criteria hold; else empty.
    public let pathValues: [String: String]

    /// Whether every criterion holds.
    public var isMatch: Bool { lines.allSatisfy(\.holds) }

    /// One line for each criterion, with ✓ or ✗. Of more than 50, the first, and the first that do
    /// not hold.
    public var description: String {
        Self.text(of: lines.map(\.holds)) { lines[$0].text }
    }

    private static let shownCount = 50

    /// The lines as a text; asks for those alone that are shown.
    static func text(of holds: [Bool], _ line: (Int) -> String) -> String {
        guard holds.count > shownCount else {
            return holds.indices.map(line).joined(separator: "\n")
        }
        let first = Set(holds.indices.prefix(shownCount / 2))
        let broken = holds.indices.lazy.filter { !holds[$0] }.prefix(shownCount / 2)
        let shown = first.union(broken).sorted()
        let others = holds.count(where: { !$0 }) - shown.count { !holds[$0] }
        return
            (shown.map(line) + [
                "  and \(holds.count - shown.count) more, of which \(others) do not hold"
            ]).joined(separator: "\n")
    }
}
