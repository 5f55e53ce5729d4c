/// The result of a matcher for one request, with a line for each criterion.
package struct MatchReport: Sendable, CustomStringConvertible {
    /// The result of one criterion.
    package struct Line: Sendable {
        /// The criterion, as the matcher describes it. Secrets are redacted.
        package let criterion: String
        /// What the request has instead; nil if the criterion holds. A predicate that was not
        /// called, because another criterion does not hold, has a difference too.
        package let difference: String?
        /// More about the difference, such as a line for each key that differs in a JSON body.
        package let details: [String]

        /// Whether the criterion holds.
        package var holds: Bool { difference == nil }

        init(_ criterion: String, _ difference: Difference?) {
            self.criterion = criterion
            self.difference = difference?.text
            details = difference?.details ?? []
        }

        /// The line as text: ✓ or ✗, the criterion, and the details below it.
        var text: String {
            guard let difference else { return "  ✓ \(criterion)" }
            let details = details.map { "\n      \($0)" }.joined()
            return "  ✗ \(criterion), but \(difference)\(details)"
        }
    }

    /// How a request differs from a criterion.
    struct Difference {
        /// The end of the line's sentence, such as "the request has no body".
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

    /// The lines, in the order of the criteria. If the matcher has a configuration error, the last
    /// line describes it.
    package let lines: [Line]

    /// The values that the path templates captured; empty unless all criteria hold.
    package let pathValues: [String: String]

    /// Whether every criterion holds.
    package var isMatch: Bool { lines.allSatisfy(\.holds) }

    /// One line of text for each criterion, with ✓ or ✗.
    ///
    /// Of more than 50 criteria, it shows the first 25 and the first 25 that do not hold.
    package var description: String {
        Self.text(of: lines.map(\.holds)) { lines[$0].text }
    }

    private static let shownCount = 50

    /// Returns the lines as one text. Calls `line` only for the lines that are shown.
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
