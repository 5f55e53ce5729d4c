import APIKitLite
import Foundation

extension RequestMatcher {
    /// Requires that a predicate returns true.
    ///
    /// - Parameters:
    ///   - description: The condition, as error messages show it, such as `"an even id"`.
    ///   - predicate: A closure that receives the request, with the path values captured by the
    ///     criteria before this criterion. The predicate is called only if those criteria hold. The
    ///     predicate may be called on any thread, and may be called again to explain a failure. A
    ///     network that has a stub with a predicate matches the requests of a `URLSession` in the
    ///     background. So the network records a request shortly after `resume()` returns, and the
    ///     predicate may use any `URLSession`.
    public func `where`(
        _ description: String, _ predicate: @escaping @Sendable (RecordedRequest) -> Bool
    ) -> RequestMatcher {
        adding(description, callsPredicate: true) {
            predicate($0.record)
        } or: { _ in
            MatchReport.Difference("its closure returned false")
        }
    }

    /// Matches requests that at least one of several matchers matches.
    ///
    /// - Parameter matchers: The matchers, in the order in which they are tried. The path values
    ///   captured by the first matcher that matches are kept. An empty list is a configuration
    ///   error.
    public static func anyOf(_ matchers: RequestMatcher...) -> RequestMatcher {
        if matchers.isEmpty { return any.broken(".anyOf(_:) was given no matcher.") }
        return any.adding(
            "any of " + matchers.map { "(\($0))" }.joined(separator: " or "),
            callsPredicate: matchers.contains(where: \.hasPredicate),
            readsBody: matchers.contains(where: \.readsBody)
        ) { reading in
            matchers.contains { $0.holds(for: reading) }
        } or: { reading in
            let nearest = matchers.map { $0.report(on: reading) }.max { $0.points < $1.points }
            let lines = (nearest?.description ?? "").components(separatedBy: "\n")
            return MatchReport.Difference(
                "none holds; the nearest:", details: lines.map { String($0.dropFirst(2)) })
        }
        .broken(matchers.lazy.compactMap(\.configurationError).first)
    }

    /// Requires that another matcher does not match.
    public func not(_ matcher: RequestMatcher) -> RequestMatcher {
        if let configurationError = matcher.configurationError { return broken(configurationError) }
        return adding(
            "not (\(matcher))", callsPredicate: matcher.hasPredicate, readsBody: matcher.readsBody
        ) { reading in
            let before = reading.record.pathValues
            defer { reading.record.pathValues = before }
            return !matcher.holds(for: reading)
        } or: { _ in
            MatchReport.Difference("that is what the request has")
        }
    }
}
