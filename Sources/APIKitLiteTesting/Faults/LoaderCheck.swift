import APIKitLite
import Foundation

/// The loads of one `checkLoader` call, which run one after another.
struct LoaderCheck<T: APIRequest> {
    let request: T
    let input: T.RequestDataType
    let sample: MockResponse
    let sourceLocation: String
    let watchdog: Watchdog
    /// Loads the request once, on the caller's actor.
    var load: Load = { (loader, input) in
        do throws(APIRequestError) {
            _ = try await loader.load(input)
            return CheckedOutcome(outcome: .value)
        } catch {
            return CheckedOutcome(outcome: LoadOutcome(error), error: error)
        }
    }
    /// Whether the sample is a stream with a terminator, so that a part of it is never a value.
    var isTerminated = false

    typealias Load =
        nonisolated(nonsending) (APIRequestLoader<T>, T.RequestDataType) async -> CheckedOutcome

    /// - Throws: ``MockError`` when the sample is not usable.
    init(
        request: T, input: T.RequestDataType, sample: MockResponse, sourceLocation: String,
        watchdog: Watchdog = .oneSecond
    ) throws {
        try sample.checkAsSample(of: "checkLoader(of:with:from:)", at: sourceLocation)
        self.request = request
        self.input = input
        self.sample = sample
        self.sourceLocation = sourceLocation
        self.watchdog = watchdog
    }

    /// Loads the request under each fault.
    ///
    /// - Throws: ``FaultError`` when the request failed a requirement; `CancellationError` when the
    ///   task is cancelled.
    func report(isolation: isolated (any Actor)? = #isolation) async throws -> FaultReport {
        let faults = Fault.checks(of: sample)
        var outcomes: [Fault: LoadOutcome] = [:]
        var violations: [FaultError.Violation] = []
        var triedCount = 0
        var sampleElements: [String]?
        for fault in faults {
            let trial = Trial<CheckedOutcome>(fault.response(from: sample), watchdog: watchdog)
            let checked = await load(fault, in: trial)
            try Task.checkCancellation()
            triedCount += 1
            outcomes[fault] = checked?.outcome
            if fault == .noFault { sampleElements = checked?.elements }
            let event =
                checked.map { violation($0, sampleElements, under: fault, trial.network) }
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
            APIRequestLoader(apiRequest: request, urlSession: MockURLSession(trial.network)), input,
            self.load)
        let canceller = Locked<Task<Void, Never>?>(nil)
        defer { canceller.withLock { $0?.cancel() } }
        return await trial.outcome { progress in
            let work = Task {
                // A task that captures the actor runs on it. The request may be bound to the actor.
                _ = isolation
                await progress.run {
                    if fault == .cancelledBefore { withUnsafeCurrentTask { $0?.cancel() } }
                    return await load.load(load.loader, load.input)
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
        _ checked: CheckedOutcome, _ sampleElements: [String]?, under fault: Fault,
        _ network: MockNetwork
    ) -> String? {
        if fault.cutsBody, let elements = checked.elements, let sampleElements {
            if let violation = prefixViolation(elements, sampleElements) { return violation }
            if checked.outcome == .value {
                // The terminator may have arrived before the connection was lost.
                if elements.count == sampleElements.count { return nil }
                if isTerminated || fault.requiredOutcome != nil {
                    return "ended like a whole stream after \(elements.count) of "
                        + "\(sampleElements.count) elements"
                }
            }
        }
        guard let wanted = fault.requiredOutcome else { return nil }
        if fault == .cancelledBefore, let sent = network.requests.first {
            return "sent \(sent.line), although it was cancelled before"
        }
        guard checked.outcome != wanted else { return nil }
        let reason = checked.error.map { ": " + "\($0)".excerpt(limit: 500) } ?? ""
        let aim = wanted == .value ? "a value" : "\(wanted)"
        return "must end in \(aim), but ended in \(checked.outcome)\(reason)"
    }
}

/// Returns the first element that is not the one of the sample, as text; `nil` if there is none.
private func prefixViolation(_ elements: [String], _ sampleElements: [String]) -> String? {
    guard
        let index = elements.indices.first(where: { index in
            !sampleElements.indices.contains(index) || elements[index] != sampleElements[index]
        })
    else { return nil }
    let wanted =
        sampleElements.indices.contains(index) ? "is \(sampleElements[index])" : "does not exist"
    return "delivered \(elements[index]) as element \(index + 1), which \(wanted) in the sample"
        .excerpt(limit: 500)
}

/// The outcome of a load, with the error if it threw one.
struct CheckedOutcome: Sendable {
    var outcome: LoadOutcome
    var error: APIRequestError?
    /// The debug descriptions of the elements that a stream delivered; `nil` for another load.
    var elements: [String]?
}

extension LoaderCheck where T: StreamedAPIRequest {
    /// Returns a check that reads the elements of each response one by one.
    func streaming() -> Self {
        var check = self
        check.isTerminated = hasTerminator
        check.load = { (loader, input) in
            var elements: [String] = []
            do throws(APIRequestError) {
                var iterator = loader.stream(input).makeAsyncIterator()
                while let element = try await iterator.next() {
                    elements.append(String(reflecting: element))
                }
                return CheckedOutcome(outcome: .value, elements: elements)
            } catch {
                return CheckedOutcome(
                    outcome: LoadOutcome(error), error: error, elements: elements)
            }
        }
        return check
    }

    /// Whether the parser is complete before the body of the sample ends.
    private var hasTerminator: Bool {
        let answer = sample.answer(to: URLRequest(url: .unnamed))
        guard var parser = try? request.makeParser(for: answer.response) else { return false }
        _ = try? parser.parseWhole(sample.body)
        return parser.isComplete
    }
}

/// A loader and its input, which a task captures but uses on one actor only.
private struct Confined<T: APIRequest>: @unchecked Sendable {  // Used on the caller's actor only.
    let loader: APIRequestLoader<T>
    let input: T.RequestDataType
    let load: LoaderCheck<T>.Load

    init(
        _ loader: APIRequestLoader<T>, _ input: T.RequestDataType,
        _ load: @escaping LoaderCheck<T>.Load
    ) {
        self.loader = loader
        self.input = input
        self.load = load
    }
}
