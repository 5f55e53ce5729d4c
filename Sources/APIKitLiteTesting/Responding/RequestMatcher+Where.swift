import APIKitLite

// What matches or reports on a request of the journal.
extension RequestMatcher {
    /// Matches requests for which a predicate returns true.
    ///
    /// - Parameters:
    ///   - description: The condition, as an error text shows it: `"an even id"`.
    ///   - predicate: Receives the request. It may be called on any thread, and again to explain a
    ///     failure.
    public static func `where`(
        _ description: String, _ predicate: @escaping @Sendable (RecordedRequest) -> Bool
    ) -> RequestMatcher {
        any.where(description, predicate)
    }

    /// Requires that a predicate returns true.
    ///
    /// - Parameters:
    ///   - description: The condition, as an error text shows it: `"an even id"`.
    ///   - predicate: Receives the request, with the path values that the criteria before this one
    ///     captured. It is called only if those criteria hold. It may be called on any thread, and
    ///     again to explain a failure. A network with such a stub matches in the background: it
    ///     records a request a moment after `resume()` has returned, and the predicate may use any
    ///     `URLSession`.
    public func `where`(
        _ description: String, _ predicate: @escaping @Sendable (RecordedRequest) -> Bool
    ) -> RequestMatcher {
        var criterion = Criterion { _ in
            description
        } holds: {
            predicate($0.recorded)
        } difference: { _ in
            MatchReport.Difference("the predicate says no")
        }
        criterion.callsPredicate = true
        return adding(criterion)
    }

    /// Returns which criteria hold for a request, and what the request has instead where they do
    /// not.
    ///
    /// - Parameter request: The request to check.
    package func report(on request: RecordedRequest) -> MatchReport {
        report(on: RecordedReading(request))
    }
}

/// A recorded request as matchers read it.
final class RecordedReading: RequestReading {
    fileprivate let record: RecordedRequest

    init(_ record: RecordedRequest) {
        self.record = record
        super.init(record.request, redacting: record.redaction)
    }
}

extension RequestReading {
    /// The request as a predicate receives it, with the path values captured so far.
    fileprivate var recorded: RecordedRequest {
        var record = (self as? RecordedReading)?.record ?? RecordedRequest(request: request)
        record.pathValues = pathValues
        return record
    }
}
