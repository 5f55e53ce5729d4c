import APIKitLite
import Foundation

/// An error that lists the faults under which a client failed a requirement.
///
/// `forEachFault` and `checkLoader` throw it.
public struct FaultError: DescribedError, Sendable {
    /// One fault under which the client failed a requirement.
    package struct Violation: Sendable, CustomStringConvertible {
        /// The fault.
        package let fault: Fault
        /// What the client did, such as `threw URLError.timedOut, not APIRequestError`.
        package let event: String
        /// A text that is the same for events which probably have the same cause.
        let kind: String

        /// The fault and the event, such as `connection lost after 7 bytes: threw …`.
        package var description: String { "\(fault): \(event)" }
    }

    /// All violations, in the order of the faults.
    package let violations: [Violation]

    /// The outcomes under the other faults, and the seed.
    package let report: FaultReport

    /// How many faults were not tried, because too many loads hung or the sample itself failed.
    package let skippedCount: Int

    /// The name of the client or of the request's type.
    let subject: String
    /// The file and the line of the call.
    let sourceLocation: String
    /// Lines that say what the client must do, and how to repeat the run.
    let advice: [String]

    /// One line for each kind of violation, and what to do. If all faults break the client in the
    /// same way, it is one line.
    public var description: String {
        let tried = report.count - skippedCount
        let header = "\(violations.count) of \(tried) faults broke \(subject) (\(sourceLocation)):"
        return ([header] + lines(of: tried).map { "  \($0)" } + advice).joined(separator: "\n")
    }

    private func lines(of tried: Int) -> [String] {
        if tried > 1, violations.count == tried, Set(violations.map(\.event)).count == 1 {
            return ["every fault: \(violations[0].event)"]
        }
        let groups = Dictionary(grouping: violations, by: \.kind)
        return violations.compactMap { violation in
            // Only the first violation of each kind.
            guard let group = groups[violation.kind], group[0].fault == violation.fault else {
                return nil
            }
            let more = group.count > 1 ? " and \(group.count - 1) more" : ""
            return "\(violation.fault)\(more): \(violation.event)"
        }
    }
}

extension UInt64 {
    /// The number as a hexadecimal literal of Swift.
    var hexadecimal: String { "0x" + String(self, radix: 16) }
}
