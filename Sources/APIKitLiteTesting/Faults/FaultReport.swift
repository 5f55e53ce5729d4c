import APIKitLite
import Foundation

/// The outcome of a client under each fault of one answer.
///
/// `forEachFault` and `checkLoader` return it.
///
/// ```swift
/// #expect(report[.status(404)] == .error(.validate))
/// ```
public struct FaultReport: Equatable, Sendable, CustomStringConvertible {
    /// The seed of the random choices. Pass it to `forEachFault` to try the same faults again.
    ///
    /// It is `nil` for `checkLoader`, which makes no random choices.
    public let seed: UInt64?

    /// The faults of the run, in order. A run that failed may not have tried all of them.
    public let faults: [Fault]
    private let outcomes: [Fault: LoadOutcome]

    init(seed: UInt64?, faults: [Fault], outcomes: [Fault: LoadOutcome]) {
        self.seed = seed
        self.faults = faults
        self.outcomes = outcomes
    }

    /// The number of ``faults``.
    public var count: Int { faults.count }

    /// The outcome under this fault.
    ///
    /// It is `nil` if the fault was not tried, if the client hung, or if it threw an error that is
    /// not an `APIRequestError`.
    ///
    /// - Parameter fault: One of ``faults``. Lengths that only the descriptions show are ignored.
    public subscript(_ fault: Fault) -> LoadOutcome? { outcomes[fault] }

    /// The number of faults, the seed, and how often each outcome occurred, such as
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

    /// A text with one line for each fault: its description and its outcome, in two columns.
    ///
    /// A fault without an outcome has the word `broken` there.
    public var table: String {
        let width = faults.map(\.description.count).max() ?? 0
        return faults.map { fault in
            let name = fault.description.padding(
                toLength: width + 2, withPad: " ", startingAt: 0)
            return name + (outcomes[fault]?.description ?? "broken")
        }.joined(separator: "\n")
    }
}
