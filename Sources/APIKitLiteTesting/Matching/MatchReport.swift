/// The result of matching one request: a line for each criterion.
struct MatchReport: CustomStringConvertible {
    /// The result of one criterion.
    struct Line: Sendable {
        let criterion: String
        /// How the request differs, or nil if the criterion holds. If the criterion was not
        /// checked, the difference says so.
        let difference: Difference?

        /// Whether the criterion holds.
        var holds: Bool { difference == nil }

        /// The line as text: ✓ or ✗, the criterion, and any difference with its details below.
        var text: String {
            guard let difference else { return "  ✓ \(criterion)" }
            let details = difference.details.map { "\n      \($0)" }.joined()
            return "  ✗ \(criterion), but \(difference.text)\(details)"
        }
    }

    /// How a request differs from what a criterion requires.
    struct Difference: Sendable {
        /// The end of the line, such as "the request has no body".
        let text: String
        /// Further lines, such as one for each differing key in a JSON body.
        let details: [String]
        /// Whether the request is so close to the criterion that the test probably meant the
        /// criterion's stub for the request.
        let isNear: Bool

        init(_ text: String, details: [String] = [], isNear: Bool = false) {
            (self.text, self.details, self.isNear) = (text, details, isNear)
        }

        static func has(_ actual: String) -> Difference {
            Difference("the request has \(actual)")
        }
    }

    /// The lines, in the order of the criteria. The last line describes the matcher's configuration
    /// error, if there is one.
    private(set) var lines: [Line] = []
    private(set) var areCriteriaMet = true

    /// Checks each criterion against a request, and stores the captured path values in `reading`.
    ///
    /// A predicate is not called after a failed or invalid criterion, because the predicate may
    /// rely on that criterion. A large body is not parsed merely to describe a further difference.
    init(_ matcher: RequestMatcher, on reading: RequestReading) {
        for (index, criterion) in matcher.criteria.enumerated() {
            let needsOthers = criterion.callsPredicate || criterion.readsBody && reading.isLarge
            var difference: Difference?
            if !areCriteriaMet && needsOthers
                || criterion.callsPredicate && index >= matcher.usableCount
            {
                difference = Difference("it was not checked, because another criterion failed")
            } else if !criterion.holds(reading) {
                // The criterion may contain a predicate that reads the captured values.
                reading.shown.record.pathValues = reading.record.pathValues
                difference = criterion.difference(reading.shown)
            }
            areCriteriaMet = areCriteriaMet && difference == nil
            lines.append(Line(criterion: criterion.description(), difference: difference))
        }
        guard let configurationError = matcher.configurationError else { return }
        lines.append(
            Line(
                criterion: "a criterion of this stub",
                difference: Difference("it is invalid: \(configurationError)")))
    }

    /// Whether every criterion holds and the matcher is valid.
    var isMatch: Bool { lines.allSatisfy(\.holds) }

    /// The score: two points for each criterion that holds, and one point for each criterion that
    /// nearly holds.
    var points: Int {
        lines.reduce(0) { $0 + ($1.difference.map { $0.isNear ? 1 : 0 } ?? 2) }
    }

    /// The text of all lines, one below another.
    var description: String { lines.map(\.text).joined(separator: "\n") }
}
