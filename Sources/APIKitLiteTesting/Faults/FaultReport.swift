import APIKitLite
import Foundation

/// What a client made of every fault of one answer.
public struct FaultReport: Equatable, Sendable, CustomStringConvertible {
    /// What decided where chance did: pass it to `forEachFault` to meet the same faults.
    public let seed: UInt64

    /// The faults that the client was driven through.
    public let faults: [Fault]
    private let outcomes: [Fault: LoadOutcome]

    init(seed: UInt64, faults: [Fault], outcomes: [Fault: LoadOutcome]) {
        self.seed = seed
        self.faults = faults
        self.outcomes = outcomes
    }

    /// How many faults there were.
    public var count: Int { faults.count }

    /// What the client came to under this fault; nil where it was none of these.
    public subscript(_ fault: Fault) -> LoadOutcome? { outcomes[fault] }

    /// `141 faults (seed: 0x2a): value 12, .transport 62, .validate 5, .parse 62`.
    public var description: String {
        let stages = APIRequestError.Stage.allCases
        let order =
            [LoadOutcome.value] + stages.map { .error($0) }
            + stages.map { .error($0, isCancellation: true) }
        let counts = Dictionary(grouping: outcomes.values) { $0 }.mapValues(\.count)
        let parts = order.compactMap { outcome in counts[outcome].map { "\(outcome) \($0)" } }
        return "\(count) faults (seed: \(seed.hexadecimal)): " + parts.joined(separator: ", ")
    }
}

/// What a client did under faults that it must not do. `forEachFault` throws it.
public struct FaultFailure: LocalizedError, CustomStringConvertible, Sendable {
    /// One fault, and what the client did.
    public struct Violation: Sendable, CustomStringConvertible {
        /// The fault.
        public let fault: Fault
        /// What happened.
        public let event: String
        /// The same for events that have the same cause, as far as that shows.
        let kind: String

        /// `cut after 7 of 34 bytes: threw …`.
        public var description: String { "\(fault): \(event)" }
    }

    /// Everything that went wrong, in the order of the faults.
    public let violations: [Violation]

    /// What the client came to under the other faults, and the seed.
    public let report: FaultReport

    /// How many faults were left out, because too many bodies hung.
    public let skippedCount: Int

    let sourceLocation: String

    private static let shownCount = 10

    /// Ten of them, one of each kind at least, how many more there are, and the call that repeats
    /// it.
    public var description: String {
        let tried = report.count - skippedCount
        var lines = ["\(violations.count) of \(tried) faults broke the client (\(sourceLocation)):"]
        lines += shown.map { "  \($0)" }
        let more = violations.count - Self.shownCount
        if more > 0 { lines.append("  and \(more) more") }
        if skippedCount > 0 {
            lines.append("So many hung that the last \(skippedCount) faults were not tried.")
        }
        lines.append("A body must end within a second, in a value or an APIRequestError.")
        lines.append(
            "The same faults again: forEachFault(in: sample, seed: \(report.seed.hexadecimal))")
        return lines.joined(separator: "\n")
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
    fileprivate var hexadecimal: String { "0x" + String(self, radix: 16) }
}
