import APIKitLite
import Foundation

/// An error that `forEachFault` throws, with the faults under which a client failed a requirement.
public struct FaultError: DescribedError, Sendable {
    /// One fault under which the client failed a requirement.
    package struct Violation: Error, CustomStringConvertible {
        package let fault: Fault
        /// What the client did, such as `threw URLError.timedOut, not APIRequestError`.
        package let event: String
        /// An identifier shared by events that probably have the same cause.
        let kind: String
        /// Whether the client never finished.
        var isHung = false

        /// The fault and the event, such as `connection lost after 7 bytes: threw …`.
        package var description: String { "\(fault): \(event)" }
    }

    /// All violations, in the order of their faults.
    package let violations: [Violation]

    /// The outcomes under the other faults.
    package let report: FaultReport

    /// The number of faults that were not tried, because the client failed without a fault or hung
    /// too often.
    package let skippedCount: Int

    /// The file and line of the call.
    let sourceLocation: String
    /// Lines of advice on what the client must do.
    let advice: [String]

    /// One line for each kind of violation, and the advice.
    public var description: String {
        let tried = report.faults.count - skippedCount
        let header =
            violations[0].fault == .noFault
            ? "The client failed without a fault (\(sourceLocation)):"
            : "\(violations.count) of \(tried) faults broke the client (\(sourceLocation)):"
        return ([header] + lines + advice).joined(separator: "\n")
    }

    private var lines: [String] {
        let groups = Dictionary(grouping: violations, by: \.kind)
        return violations.compactMap { violation in
            // Show only the first violation of each kind.
            guard let group = groups[violation.kind], group[0].fault == violation.fault else {
                return nil
            }
            let more = group.count > 1 ? " and \(group.count - 1) more" : ""
            return "  \(violation.fault)\(more): \(violation.event)"
        }
    }
}
