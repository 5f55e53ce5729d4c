/// The result of matching one request.
///
/// The lines are built on demand, because most never appear in a message.
struct MatchReport: CustomStringConvertible {
    /// The result of one criterion.
    struct Line: Sendable {
        let criterion: String
        /// What the request has instead, or nil if the criterion holds. For a criterion that was
        /// not checked, says so.
        let difference: String?
        /// Further lines about the difference, such as one for each differing key in a JSON body.
        let details: [String]

        /// Whether the criterion holds.
        var holds: Bool { difference == nil }

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
        /// The end of the line, such as "the request has no body".
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

    /// The outcome of one criterion.
    private enum Outcome {
        case holds, fails
        /// The criterion was not checked: its predicate may rely on a criterion that failed or is
        /// unusable, or a large body would be parsed only to describe the difference.
        case notAsked
    }

    private let reading: RequestReading
    private let criteria: [RequestMatcher.Criterion]
    private let outcomes: [Outcome]
    private let configurationError: String?
    private let captured: [String: String]

    /// Checks each criterion against a request, and stores the captured path values in `reading`.
    /// Predicates are not called after a failed or invalid criterion.
    init(_ matcher: RequestMatcher, on reading: RequestReading) {
        self.reading = reading
        (criteria, configurationError) = (matcher.criteria, matcher.configurationError)
        var hasFailed = false
        outcomes = criteria.enumerated().map { index, criterion in
            if hasFailed || index >= matcher.usableCount, criterion.callsPredicate {
                return .notAsked
            }
            if hasFailed, criterion.readsBody, reading.isLarge { return .notAsked }
            if criterion.holds(reading) { return .holds }
            hasFailed = true
            return .fails
        }
        captured = reading.pathValues
    }

    /// Whether every criterion holds and the matcher is valid.
    var isMatch: Bool { areCriteriaMet && configurationError == nil }

    var areCriteriaMet: Bool { outcomes.allSatisfy { $0 == .holds } }

    /// A score that grows with each criterion that holds. A criterion that nearly holds scores more
    /// than one that does not.
    var points: Int {
        zip(criteria, outcomes).reduce(0) { points, pair in
            switch pair.1 {
            case .holds: points + 2
            case .fails: points + (pair.0.isNear(reading) ? 1 : 0)
            case .notAsked: points
            }
        }
    }

    /// The lines, in the order of the criteria. The last line describes the matcher's configuration
    /// error, if there is one.
    var lines: [Line] {
        let reading = reading.shown
        // A predicate inside a criterion may read the captured values.
        reading.pathValues = captured
        let lines = zip(criteria, outcomes).map { criterion, outcome in
            let difference: Difference? =
                switch outcome {
                case .holds: nil
                case .fails: criterion.difference(reading)
                case .notAsked: .init("it was not checked, because another criterion failed")
                }
            return Line(criterion.description(), difference)
        }
        guard let configurationError else { return lines }
        return lines + [
            Line("a criterion of this stub", Difference("it is invalid: \(configurationError)"))
        ]
    }

    /// One line of text for each criterion, with ✓ or ✗.
    var description: String { lines.map(\.text).joined(separator: "\n") }
}
