import Foundation

/// An error that lists the faults under which a client failed a requirement.
///
/// `forEachFault` and `checkLoader` throw it.
public struct FaultError: LocalizedError, CustomStringConvertible, Sendable {
    /// One fault under which the client failed a requirement.
    public struct Violation: Sendable, CustomStringConvertible {
        /// The fault.
        public let fault: Fault
        /// What the client did, such as `threw URLError.timedOut, not an APIRequestError`.
        public let event: String
        /// A text that is the same for events which probably have the same cause.
        let kind: String

        /// The fault and the event, such as `connection lost after 7 of 34 bytes: threw …`.
        public var description: String { "\(fault): \(event)" }
    }

    /// All violations, in the order of the faults.
    public let violations: [Violation]

    /// The outcomes under the other faults, and the seed.
    public let report: FaultReport

    /// How many faults were not tried, because too many loads hung or the sample itself failed.
    public let skippedCount: Int

    /// The name of the client or of the request's type.
    let subject: String
    /// The file and the line of the call.
    let sourceLocation: String
    /// Lines that say what the client must do, and how to repeat the run.
    let advice: [String]

    /// How many violations the description shows.
    private static let shownCount = 10

    /// Up to ten violations with as many different kinds as possible, the number of the others, and
    /// what to do.
    public var description: String {
        let tried = report.count - skippedCount
        var lines = ["\(violations.count) of \(tried) faults broke \(subject) (\(sourceLocation)):"]
        lines += shown.map { "  \($0)" }
        let more = violations.count - Self.shownCount
        if more > 0 { lines.append("  and \(more) more") }
        return (lines + advice).joined(separator: "\n")
    }

    /// The same text as ``description``.
    public var errorDescription: String? { description }

    /// The violations that the description shows.
    private var shown: [Violation] {
        var kinds: Set<String> = []
        // Many violations of one kind must not hide a single one of another kind.
        let firsts = violations.indices.filter { kinds.insert(violations[$0].kind).inserted }
        let others = Set(violations.indices).subtracting(firsts).sorted()
        return (firsts + others).prefix(Self.shownCount).sorted().map { violations[$0] }
    }
}

extension UInt64 {
    /// The number as a hexadecimal literal of Swift.
    var hexadecimal: String { "0x" + String(self, radix: 16) }
}
