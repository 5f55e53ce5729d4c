import APIKitLite
import Foundation

/// The requests that a stub responds to, described by criteria that must all hold.
///
/// ```swift
/// network.stub(.get("/users/{id}").query(["page": "2"]), .json("[]"))
/// ```
///
/// Begin a matcher with a method and a path, as in `.get("/users")`, or with `method`, `host`,
/// `path(_:)`, `url`, `request`, `anyOf` or `any`. Then chain further criteria, as in
/// `.any.json(containing: "{}")`. An invalid criterion, such as a template with an unclosed brace,
/// is a configuration error: every request that meets the other criteria fails, and `verify()`
/// reports the error. A predicate after an invalid criterion is not called.
public struct RequestMatcher: Sendable, CustomStringConvertible {
    /// One condition on a request.
    struct Criterion: Sendable {
        /// Returns the criterion's description. The description is created only for a message,
        /// because most criteria never appear in a message.
        let description: @Sendable () -> String
        let holds: @Sendable (RequestReading) -> Bool
        /// Describes how a request differs, if the criterion does not hold.
        let difference: @Sendable (RequestReading) -> MatchReport.Difference
        /// Whether the criterion calls the user's code, which may rely on earlier criteria.
        let callsPredicate: Bool
        /// Whether this library parses the body for the criterion. Parsing a large body is slow.
        let readsBody: Bool
    }

    private(set) var criteria: [Criterion] = []
    /// What is wrong with the matcher, as errors report it; nil if the matcher is valid.
    private(set) var configurationError: String?
    /// The number of criteria that were added before the configuration error; `Int.max` if the
    /// matcher is valid.
    private(set) var usableCount = Int.max
    /// Whether a criterion calls the user's code.
    var hasPredicate: Bool { criteria.contains(where: \.callsPredicate) }
    /// Whether this library parses the body for a criterion.
    var readsBody: Bool { criteria.contains(where: \.readsBody) }
    /// The secrets whose values are ignored in a request; nil if the matcher does not come from a
    /// recording.
    private(set) var ignored: Redaction?
    /// Whether the matcher comes from a recording, in which marks, such as `REDACTED-1`, match any
    /// nonempty text.
    var isRecorded: Bool { ignored != nil }

    /// A matcher for all requests.
    public static var any: RequestMatcher { RequestMatcher() }

    /// The criteria, in order, or `any request` if there are no criteria.
    public var description: String {
        criteria.isEmpty
            ? "any request" : criteria.map { $0.description() }.joined(separator: ", ")
    }

    /// Returns the matcher with one more criterion.
    func adding(
        _ description: @autoclosure @escaping @Sendable () -> String, callsPredicate: Bool = false,
        readsBody: Bool = false, _ holds: @escaping @Sendable (RequestReading) -> Bool,
        or difference: @escaping @Sendable (RequestReading) -> MatchReport.Difference
    ) -> RequestMatcher {
        var matcher = self
        matcher.criteria.append(
            Criterion(
                description: description, holds: holds, difference: difference,
                callsPredicate: callsPredicate, readsBody: readsBody))
        return matcher
    }

    /// Returns the matcher with a configuration error, unless that error is nil. Only the matcher's
    /// first error is kept.
    func broken(_ configurationError: String?) -> RequestMatcher {
        guard let configurationError, self.configurationError == nil else { return self }
        var matcher = self
        matcher.configurationError = configurationError
        matcher.usableCount = criteria.count
        return matcher
    }
}

extension RequestMatcher {
    /// Returns the captured path values, or nil if a criterion does not hold.
    func match(_ reading: RequestReading) -> [String: String]? {
        reading.record.pathValues = [:]
        return holds(for: reading) ? reading.record.pathValues : nil
    }

    /// Returns whether all criteria hold, and if so adds the captured path values to the reading.
    ///
    /// Predicates after an invalid criterion are not called, because they may rely on that
    /// criterion.
    func holds(for reading: RequestReading) -> Bool {
        let reading = compared(reading)
        let before = reading.record.pathValues
        for (index, criterion) in criteria.enumerated()
        where !(criterion.callsPredicate && index >= usableCount) && !criterion.holds(reading) {
            reading.record.pathValues = before
            return false
        }
        return true
    }

    /// Returns which criteria hold for a request, and why the other criteria do not hold. Adds the
    /// captured path values to the reading.
    func report(on reading: RequestReading) -> MatchReport {
        MatchReport(self, on: compared(reading))
    }

    private func compared(_ reading: RequestReading) -> RequestReading {
        ignored.map { reading.ignoring($0) } ?? reading
    }
}
