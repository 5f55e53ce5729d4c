import APIKitLite
import Foundation

/// An error that `forEachFault` throws, with the faults under which a client failed a requirement.
public struct FaultError: DescribedError, Sendable {
    /// One line for each kind of failure, and advice on what the client must do.
    public let description: String

    /// Creates an error with a line about the first violation of each kind, between two other
    /// texts.
    init(_ start: String, _ violations: [FaultRun.Violation], _ advice: String) {
        var groups = Dictionary(grouping: violations, by: \.kind)
        let lines = violations.compactMap { violation -> String? in
            guard let group = groups.removeValue(forKey: violation.kind) else { return nil }
            let more = group.count > 1 ? " and \(group.count - 1) more" : ""
            return "  \(violation.fault)\(more): \(violation.event)"
        }
        description = ([start] + lines + [advice]).joined(separator: "\n")
    }
}

extension FaultRun.Violation {
    /// Returns the violation for a client that hangs.
    static func hung(_ fault: Fault, _ network: MockNetwork, _ reason: String) -> Self {
        let requests = network.requests
        var state = "it sent nothing"
        if let last = requests.last {
            let count = requests.count == 1 ? "" : " (the last of \(requests.count) requests)"
            state = "\(last.line)\(count) waits for its response"
            if last.endTime != nil {
                state = """
                    \(last.line)\(count) has its response. If the client waits (a retry, a timeout), \
                    pass it the clock: forEachFault { network, clock in … }
                    """
            }
        }
        return Self(fault: fault, event: "\(reason); \(state)", kind: reason, isHung: true)
    }
}
