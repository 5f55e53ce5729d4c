import APIKitLite
import Foundation

/// The loads of one `checkLoader` call, which run one after another.
struct LoaderCheck<T: APIRequest> {
    let request: T
    let input: T.RequestDataType
    let sample: MockResponse
    let sourceLocation: String
    var watchdog = Watchdog.oneSecond

    /// Loads the request under each fault.
    ///
    /// - Throws: ``FaultError`` when the request failed a requirement; `CancellationError` when the
    ///   task is cancelled.
    func report(isolation: isolated (any Actor)? = #isolation) async throws -> FaultReport {
        let faults = Fault.checks(of: sample)
        var outcomes: [Fault: LoadOutcome] = [:]
        var violations: [FaultError.Violation] = []
        var triedCount = 0
        for fault in faults {
            let trial = Trial<CheckedOutcome>(fault.response(from: sample), watchdog: watchdog)
            let checked = await load(fault, in: trial)
            try Task.checkCancellation()
            triedCount += 1
            outcomes[fault] = checked?.outcome
            let event =
                checked.map { violation($0, under: fault, trial.network) }
                ?? "did not end within a second\(trial.pendingDescription)"
            guard let event else { continue }
            violations.append(.init(fault: fault, event: event, kind: "\(fault)"))
            // Under the other faults, the load would fail for the same reason.
            if fault == .noFault { break }
        }
        let report = FaultReport(seed: nil, faults: faults, outcomes: outcomes)
        if violations.isEmpty { return report }
        let untried = "The sample must give a value: the other faults were not tried."
        throw FaultError(
            violations: violations, report: report, skippedCount: faults.count - triedCount,
            subject: "\(T.self)", sourceLocation: sourceLocation,
            advice: triedCount == 1 ? [untried] : [])
    }

    /// Loads the request once; returns `nil` if the load hangs.
    private func load(
        _ fault: Fault, in trial: Trial<CheckedOutcome>,
        isolation: isolated (any Actor)? = #isolation
    ) async -> CheckedOutcome? {
        let load = Confined(
            APIRequestLoader(apiRequest: request, urlSession: MockURLSession(trial.network)), input)
        let canceller = Locked<Task<Void, Never>?>(nil)
        defer { canceller.withLock { $0?.cancel() } }
        return await trial.outcome { progress in
            let work = Task {
                // A task that captures the actor runs on it. The request may be bound to the actor.
                _ = isolation
                await progress.run {
                    if fault == .cancelledBefore { withUnsafeCurrentTask { $0?.cancel() } }
                    do throws(APIRequestError) {
                        _ = try await load.loader.load(load.input)
                        return CheckedOutcome(outcome: .value)
                    } catch {
                        return CheckedOutcome(outcome: LoadOutcome(error), error: error)
                    }
                }
            }
            if fault == .cancelledDuring {
                let task = Task {
                    await trial.network.core.journal.count.wait(for: 1)
                    work.cancel()
                }
                canceller.withLock { $0 = task }
            }
            return work
        }
    }

    /// Returns the requirement that an outcome fails, as text; `nil` if it fails none.
    private func violation(
        _ checked: CheckedOutcome, under fault: Fault, _ network: MockNetwork
    ) -> String? {
        guard let wanted = fault.requiredOutcome else { return nil }
        if fault == .cancelledBefore, let sent = network.requests.first {
            return "sent \(sent.line), although it was cancelled before"
        }
        guard checked.outcome != wanted else { return nil }
        let reason = checked.error.map { ": " + Excerpt("\($0)").text(limit: 500) } ?? ""
        let aim = wanted == .value ? "a value" : "\(wanted)"
        return "must end in \(aim), but ended in \(checked.outcome)\(reason)"
    }
}

/// The outcome of a load, with the error if it threw one.
struct CheckedOutcome: Sendable {
    var outcome: LoadOutcome
    var error: APIRequestError?
}

/// A loader and its input, which a task captures but uses on one actor only.
private struct Confined<T: APIRequest>: @unchecked Sendable {  // Used on the caller's actor only.
    let loader: APIRequestLoader<T>
    let input: T.RequestDataType

    init(_ loader: APIRequestLoader<T>, _ input: T.RequestDataType) {
        self.loader = loader
        self.input = input
    }
}
