import Foundation

/// Faults under which a client did what it must not do. `forEachFault` and `checkLoader` throw it.
public struct FaultError: LocalizedError, CustomStringConvertible, Sendable {
    /// One fault, and what the client did.
    public struct Violation: Sendable, CustomStringConvertible {
        /// The fault.
        public let fault: Fault
        /// What happened.
        public let event: String
        /// The same for events that have the same cause, as far as that shows.
        let kind: String

        /// `connection lost after 7 of 34 bytes: threw …`.
        public var description: String { "\(fault): \(event)" }
    }

    /// Everything that went wrong, in the order of the faults.
    public let violations: [Violation]

    /// What the client came to under the other faults, and the seed.
    public let report: FaultReport

    /// How many faults were not tried, because too much hung or the sample itself failed.
    public let skippedCount: Int

    /// What was driven through the faults.
    let subject: String
    let sourceLocation: String
    /// What the client should have done, and how to repeat the run.
    let advice: [String]

    private static let shownCount = 10

    /// Ten of the violations, at least one of each kind; how many more there are; and what to do.
    public var description: String {
        let tried = report.count - skippedCount
        var lines = ["\(violations.count) of \(tried) faults broke \(subject) (\(sourceLocation)):"]
        lines += shown.map { "  \($0)" }
        let more = violations.count - Self.shownCount
        if more > 0 { lines.append("  and \(more) more") }
        return (lines + advice).joined(separator: "\n")
    }

    /// The same text.
    public var errorDescription: String? { description }

    private var shown: [Violation] {
        var kinds: Set<String> = []
        // A hundred of one kind must not hide the one that hung.
        let firsts = violations.indices.filter { kinds.insert(violations[$0].kind).inserted }
        let others = Set(violations.indices).subtracting(firsts).sorted()
        return (firsts + others).prefix(Self.shownCount).sorted().map { violations[$0] }
    }
}

extension UInt64 {
    /// As in source code.
    var hexadecimal: String { "0x" + String(self, radix: 16) }
}
