import APIKitLite
import Foundation

/// What a client did under every fault of one answer, as `forEachFault` and `checkLoader` return it.
///
/// ```swift
/// #expect(report[.status(404)] == .error(.validate))
/// ```
public struct FaultReport: Equatable, Sendable, CustomStringConvertible {
    /// The seed of the random choices: pass it to `forEachFault` to meet the same faults again. Nil
    /// for `checkLoader`, which chooses nothing at random.
    public let seed: UInt64?

    /// The faults that the client was driven through, in order.
    public let faults: [Fault]
    private let outcomes: [Fault: LoadOutcome]

    init(seed: UInt64?, faults: [Fault], outcomes: [Fault: LoadOutcome]) {
        self.seed = seed
        self.faults = faults
        self.outcomes = outcomes
    }

    /// How many faults there were.
    public var count: Int { faults.count }

    /// What the client ended in under this fault; nil if it was not driven through it, or broke.
    public subscript(_ fault: Fault) -> LoadOutcome? { outcomes[fault] }

    /// `141 faults (seed: 0x2a): value 12, .transport 62, .validate 5, .parse 62`.
    public var description: String {
        let stages = APIRequestError.Stage.allCases
        let order =
            [LoadOutcome.value] + stages.map { .error($0) }
            + stages.map { .error($0, isCancellation: true) }
        let counts = Dictionary(grouping: outcomes.values) { $0 }.mapValues(\.count)
        let parts = order.compactMap { outcome in counts[outcome].map { "\(outcome) \($0)" } }
        let seed = seed.map { " (seed: \($0.hexadecimal))" } ?? ""
        return "\(count) faults\(seed): " + parts.joined(separator: ", ")
    }

    /// A line for each fault with what the client ended in, in two columns.
    public var table: String {
        let width = faults.map(\.description.count).max() ?? 0
        return faults.map { fault in
            let name = fault.description.padding(
                toLength: width + 2, withPad: " ", startingAt: 0)
            return name + (outcomes[fault]?.description ?? "broken")
        }.joined(separator: "\n")
    }
}
