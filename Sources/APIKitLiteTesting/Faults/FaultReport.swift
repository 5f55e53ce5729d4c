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
    /// The faults under which the client ran, in order.
    public let faults: [Fault]

    let results: [Fault: LoadOutcome]

    /// The outcome under this fault; nil if the client did not run under this fault.
    ///
    /// - Parameter fault: One of ``faults``, including its `Retry-After` if any, or
    ///   ``Fault/noFault``, whose outcome is a value.
    public subscript(_ fault: Fault) -> LoadOutcome? { results[fault] }

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
    public var table: String {
        let width = faults.map(\.description.count).max() ?? 0
        return faults.compactMap { fault in
            let name = fault.description.padding(
                toLength: width + 2, withPad: " ", startingAt: 0)
            return results[fault].map { "\(name)\($0)" }
        }.joined(separator: "\n")
    }
}
