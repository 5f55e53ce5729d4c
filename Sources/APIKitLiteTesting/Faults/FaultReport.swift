import APIKitLite
import Foundation

/// The outcome of a client under one fault.
public enum LoadOutcome: Hashable, Sendable, CustomStringConvertible {
    /// The client returned a value.
    case value
    /// The client threw an `APIRequestError` of this stage. The error may be a cancellation.
    case error(APIRequestError.Stage, isCancellation: Bool = false)
    /// The client threw an error of another type, described by this text. See the parameter
    /// `throwing` of `forEachFault`.
    case thrown(String)

    /// Creates the outcome of a load that threw this error.
    init(_ error: APIRequestError) {
        self = .error(error.stage, isCancellation: error.isCancellation)
    }

    /// A short description of the outcome, such as `value`, `.parse` or `.transport, cancelled`.
    public var description: String {
        switch self {
        case .value: "value"
        case .error(let stage, false): ".\(stage)"
        case .error(let stage, true): ".\(stage), cancelled"
        case .thrown(let text): text
        }
    }
}

/// The outcomes of a client under each fault of one response.
///
/// `forEachFault` returns this report.
///
/// ```swift
/// #expect(report[.status(404)] == .error(.validate))
/// ```
public struct FaultReport: Equatable, Sendable, CustomStringConvertible {
    /// The faults of the run, in order. A run that failed may not have tried all faults.
    public let faults: [Fault]

    let results: [Fault: (outcome: LoadOutcome, error: (any Error)?)]

    /// The outcome under this fault.
    ///
    /// A status without a `Retry-After`, such as `.status(503)`, also finds the first fault with
    /// that status and a `Retry-After`. The outcome is `nil` if the fault was not tried, or if the
    /// client hung or threw an unexpected error.
    ///
    /// - Parameter fault: One of ``faults``, or ``Fault/noFault``, whose outcome is a value.
    public subscript(_ fault: Fault) -> LoadOutcome? { result(under: fault)?.outcome }

    /// Returns the error thrown by the client under a fault, such as an `APIRequestError`, or nil
    /// if the client returned a value or has no outcome.
    ///
    ///     let error = report.error(under: .status(404)) as? APIRequestError
    ///     #expect(error?.localizedDescription == "The server responded with 404 (Not Found).")
    public func error(under fault: Fault) -> (any Error)? { result(under: fault)?.error }

    private func result(
        under fault: Fault
    ) -> (outcome: LoadOutcome, error: (any Error)?)? {
        guard case .status(let wanted, nil) = fault, !faults.contains(fault) else {
            return results[fault]
        }
        return faults.first { if case .status(wanted, _) = $0 { true } else { false } }
            .flatMap { results[$0] }
    }

    /// Returns whether two reports have the same faults and outcomes.
    public static func == (left: FaultReport, right: FaultReport) -> Bool {
        left.faults == right.faults
            && left.results.mapValues(\.outcome) == right.results.mapValues(\.outcome)
    }

    /// The number of faults, and how often each outcome occurred, the most frequent outcome first,
    /// such as `141 faults: .parse 62, .transport 62, value 12, .validate 5`.
    public var description: String {
        let texts = faults.compactMap { self[$0]?.description }
        let counts = Dictionary(texts.map { ($0, 1) }, uniquingKeysWith: +)
        let parts = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return "\(faults.count) faults: "
            + parts.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    /// A table with one line for each fault: its description and its outcome.
    ///
    /// A missing outcome is shown as `broken`.
    public var table: String {
        let width = faults.map(\.description.count).max() ?? 0
        return faults.map { fault in
            let name = fault.description.padding(
                toLength: width + 2, withPad: " ", startingAt: 0)
            return name + (self[fault]?.description ?? "broken")
        }.joined(separator: "\n")
    }
}
