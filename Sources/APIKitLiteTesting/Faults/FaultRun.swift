import APIKitLite
import Foundation

/// All trials of one `forEachFault` call.
struct FaultRun: Sendable {
    typealias Body = @Sendable (MockNetwork, MockClock) async throws -> Void

    /// The result of one trial.
    private enum Outcome: Sendable {
        /// A value or an `APIRequestError`.
        case ended(LoadOutcome)
        /// An error of another type.
        case wrong(any Error)
        /// A description of what the body waited for.
        case hung(String)
    }

    /// How many trials run at once.
    private static let mostAtOnce = 16
    /// After so many bodies hang, no other trial starts. A body that hangs may block a thread for
    /// ever.
    private static let mostHung = 10

    private let sample: MockResponse
    /// The body of the sample, parsed only once because a long body takes a while.
    private let json: JSONValue?
    private let seed: UInt64
    private let faults: [Fault]
    private let sourceLocation: String
    private let watchdog: @Sendable (Fault) -> Watchdog

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - sample: A good answer.
    ///   - seed: Determines the random choices.
    ///   - sourceLocation: The file and the line that an error names.
    ///   - faults: The faults to try; `nil` for all faults of the sample.
    ///   - watchdog: Returns the watchdog for the trial of a fault.
    /// - Throws: ``MockError`` when the sample is not usable.
    init(
        _ sample: MockResponse, seed: UInt64, sourceLocation: String, faults: [Fault]? = nil,
        watchdog: @escaping @Sendable (Fault) -> Watchdog = { _ in .oneSecond }
    ) throws {
        try sample.checkAsSample(of: "forEachFault(in:)", at: sourceLocation)
        self.sample = sample
        json = try? JSONValue(sample.body)
        self.seed = seed
        self.sourceLocation = sourceLocation
        self.faults = faults ?? Fault.all(of: sample, seed: seed)
        self.watchdog = watchdog
    }

    /// Runs a body under each fault.
    ///
    /// - Throws: ``FaultError`` when the body failed a requirement; `CancellationError` when the
    ///   task is cancelled.
    func report(_ body: @escaping Body) async throws -> FaultReport {
        let results = try await results(of: body)
        var outcomes: [Fault: LoadOutcome] = [:]
        var violations: [FaultError.Violation] = []
        for (index, outcome) in results.sorted(by: { $0.key < $1.key }) {
            switch outcome {
            case .ended(let outcome): outcomes[faults[index]] = outcome
            case .wrong(let error):
                let event = "threw \(Self.text(of: error)), not an APIRequestError"
                violations.append(
                    .init(fault: faults[index], event: event, kind: "\(type(of: error))"))
            case .hung(let event):
                violations.append(.init(fault: faults[index], event: event, kind: "hung"))
            }
        }
        let report = FaultReport(seed: seed, faults: faults, outcomes: outcomes)
        guard violations.isEmpty else {
            let skippedCount = faults.count - results.count
            throw FaultError(
                violations: violations, report: report, skippedCount: skippedCount,
                subject: "the client", sourceLocation: sourceLocation,
                advice: advice(skippedCount))
        }
        return report
    }

    /// Returns the last lines of an error's text.
    private func advice(_ skippedCount: Int) -> [String] {
        let hung = "So many hung that the last \(skippedCount) faults were not tried."
        return (skippedCount > 0 ? [hung] : [])
            + ["A body must end within a second, in a value or an APIRequestError."]
            + ["The same faults again: forEachFault(in: sample, seed: \(seed.hexadecimal))"]
    }

    /// Returns the outcomes by the index of the fault, without those of faults that were not tried.
    private func results(of body: @escaping Body) async throws -> [Int: Outcome] {
        try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
            var outcomes: [Int: Outcome] = [:]
            var hungCount = 0
            for index in faults.indices {
                if index >= Self.mostAtOnce, let (index, outcome) = try await group.next() {
                    outcomes[index] = outcome
                    if case .hung = outcome { hungCount += 1 }
                }
                if hungCount >= Self.mostHung { break }
                group.addTask { (index, try await outcome(of: body, under: faults[index])) }
            }
            for try await (index, outcome) in group { outcomes[index] = outcome }
            return outcomes
        }
    }

    /// Runs a body under one fault.
    private func outcome(of body: @escaping Body, under fault: Fault) async throws -> Outcome {
        let response = fault.response(from: sample, json: json)
        let trial = Trial<Outcome>(response, watchdog: watchdog(fault))
        let outcome = await trial.outcome { progress in
            Self.task {
                await progress.run {
                    do {
                        try await body(trial.network, trial.clock)
                        return .ended(.value)
                    } catch let error as APIRequestError {
                        return .ended(LoadOutcome(error))
                    } catch {
                        return .wrong(error)
                    }
                }
            }
        }
        try Task.checkCancellation()
        let hint =
            trial.hasAnswer
            ? " (what waits by itself, as a retry does, needs the clock: forEachFault { network, clock in … })"
            : ""
        return outcome ?? .hung("did not end within a second\(trial.pendingDescription)\(hint)")
    }

    /// Returns the text for an error, without secrets.
    private static func text(of error: any Error) -> String {
        if let error = error as? URLError { return URLError.name(of: error.code) }
        let text = "\(error)".excerpt(limit: 300)
        let type = "\(type(of: error))"
        return text.hasPrefix(type) ? text : "\(type) (\(text))"
    }

    /// Starts a task. Where the system has task executors, it may block without delaying others.
    private static func task(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            Task(executorPreference: HandlerThreads.shared, operation: work)
        } else {
            Task(operation: work)
        }
    }
}
