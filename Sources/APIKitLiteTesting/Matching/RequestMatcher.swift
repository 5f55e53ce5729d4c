import APIKitLite
import Foundation

/// Says which requests a stub answers: criteria that must all hold.
///
/// ```swift
/// network.stub(.get("/users/{id}").query(["page": "2"]), .json("[]"))
/// ```
///
/// Each criterion begins a matcher or continues one. What a matcher cannot be made from, such as a
/// template with an unclosed brace, fails the requests that the rest of it matches, and `verify()`.
public struct RequestMatcher: Sendable, CustomStringConvertible {
    /// One thing that a request must have.
    struct Criterion: Sendable {
        /// Made when it is shown: of very many criteria, most never are.
        let description: @Sendable () -> String
        let holds: @Sendable (RequestReading) -> Bool
        /// Asked only where the criterion does not hold.
        let difference: @Sendable (RequestReading) -> MatchReport.Difference
    }

    private(set) var criteria: [Criterion] = []
    /// What is wrong with the matcher, for the place that stubs it.
    private(set) var configurationError: String?
    /// Whether a criterion asks code of the user's.
    var hasPredicate = false
    /// What an index may look the matcher up by.
    var key = IndexKey()

    init() {}

    /// The criteria, in their order. Secrets are redacted.
    public var description: String {
        if criteria.isEmpty { return "any request" }
        let rest = criteria.count - Self.shownCount
        return criteria.prefix(Self.shownCount).map { $0.description() }.joined(separator: ", ")
            + (rest > 0 ? " and \(rest) more" : "")
    }

    private static let shownCount = 50

    /// Tells which criteria hold for a request, and what it has where they do not.
    public func report(on request: RecordedRequest) -> MatchReport {
        report(on: RequestReading(request))
    }

    func adding(
        _ description: @autoclosure @escaping @Sendable () -> String,
        _ holds: @escaping @Sendable (RequestReading) -> Bool,
        or difference: @escaping @Sendable (RequestReading) -> MatchReport.Difference
    ) -> RequestMatcher {
        var matcher = self
        matcher.add(description(), holds, or: difference)
        return matcher
    }

    mutating func add(
        _ description: @autoclosure @escaping @Sendable () -> String,
        _ holds: @escaping @Sendable (RequestReading) -> Bool,
        or difference: @escaping @Sendable (RequestReading) -> MatchReport.Difference
    ) {
        criteria.append(Criterion(description: description, holds: holds, difference: difference))
    }

    /// The same matcher, which can never be used rightly.
    func broken(_ configurationError: String?) -> RequestMatcher {
        var matcher = self
        matcher.configurationError = matcher.configurationError ?? configurationError
        return matcher
    }
}

extension RequestMatcher {
    /// The captured path values, or nil where a criterion does not hold.
    func match(_ reading: RequestReading) -> [String: String]? {
        reading.pathValues = [:]
        return holds(for: reading) ? reading.pathValues : nil
    }

    /// Leaves what it captures in the reading, if all criteria hold.
    func holds(for reading: RequestReading) -> Bool {
        let before = reading.pathValues
        for criterion in criteria where !criterion.holds(reading) {
            reading.pathValues = before
            return false
        }
        return true
    }

    func report(on reading: RequestReading) -> MatchReport {
        reading.pathValues = [:]
        let lines = self.lines(on: reading)
        let isMatch = lines.allSatisfy(\.holds)
        return MatchReport(lines: lines, pathValues: isMatch ? reading.pathValues : [:])
    }

    /// A line for each criterion, and one for a mistake. Captures as it goes.
    func lines(on reading: RequestReading) -> [MatchReport.Line] {
        criteria.map { Self.line($0, reading, holds: $0.holds(reading)) } + lineOfConfigurationError
    }

    /// The report as a text, without lines that are not shown.
    func reportText(on reading: RequestReading) -> String {
        reading.pathValues = [:]
        let criteria = criteria
        let configurationError = lineOfConfigurationError
        let holds = criteria.map { $0.holds(reading) } + configurationError.map { _ in false }
        return MatchReport.text(of: holds) { index in
            guard criteria.indices.contains(index) else { return configurationError[0].text }
            return Self.line(criteria[index], reading, holds: holds[index]).text
        }
    }

    private static func line(
        _ criterion: Criterion, _ reading: RequestReading, holds: Bool
    ) -> MatchReport.Line {
        MatchReport.Line(
            criterion.description(), holds ? nil : criterion.difference(reading))
    }

    private var lineOfConfigurationError: [MatchReport.Line] {
        configurationError.map {
            [MatchReport.Line("one criterion more", .init("it is unusable: \($0)"))]
        }
            ?? []
    }

    /// How many criteria hold, and whether that is all of them.
    func score(on reading: RequestReading) -> (hits: Int, isMatch: Bool) {
        reading.pathValues = [:]
        let hits = criteria.count { $0.holds(reading) }
        return (hits, hits == criteria.count)
    }
}

extension RequestMatcher {
    /// The criteria that a network looks stubs up by.
    struct IndexKey: Sendable {
        var method: String?
        /// The segments, decoded; nil for one that has a name in it.
        var path: [String?]?
    }
}
