import APIKitLite
import Foundation

/// Drives a request through everything that a server and a network do to it, and reports at which
/// stage each load ended.
///
/// Every request needs the same thirty tests, and nobody writes them thirty times. These are them,
/// over a real `APIRequestLoader` on a ``MockNetwork``:
///
/// ```swift
/// let report = try await checkLoader(
///     of: UserRequest(), with: .json(#"{"name": "Emma"}"#), from: 42)
///
/// #expect(report[.status(404)] == .error(.validate))
/// ```
///
/// What is right for one request is wrong for another, so most of it is only reported. Whatever the
/// request, the sample must give a value; an error on the way ends in stage `.transport` and is no
/// cancellation; a cancelled load ends in `.transport` and is one, and sends nothing if it was
/// cancelled before; and no load hangs.
///
/// - Parameters:
///   - request: Yours.
///   - sample: A good answer to it.
///   - input: What the request is made from.
///   - isolation: The caller's actor, where the loads run.
///   - fileID: The file that a failure names.
///   - line: The line that a failure names.
/// - Returns: What the load came to in every situation.
/// - Throws: ``LoaderFailure``, which names what the request must not do; ``MockFailure`` if the
///   sample is not usable; `CancellationError`.
@discardableResult
public func checkLoader<T: APIRequest>(
    of request: T, with sample: MockResponse, from input: T.RequestDataType,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line
) async throws -> LoaderReport {
    let sourceLocation = "\(fileID):\(line)"
    try sample.checkAsSample(of: "checkLoader(of:with:from:)", at: sourceLocation)
    let check = LoaderCheck(request: request, input: input, sample: sample)
    let (report, findings) = try await check.run()
    if findings.isEmpty { return report }
    throw LoaderFailure(
        findings: findings, report: report, subject: "\(T.self)", sourceLocation: sourceLocation)
}

/// Drives a request that needs no input through everything that a server and a network do to it.
@discardableResult
public func checkLoader<T: APIRequest>(
    of request: T, with sample: MockResponse, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line
) async throws -> LoaderReport where T.RequestDataType == Void {
    try await checkLoader(
        of: request, with: sample, from: (), isolation: isolation, fileID: fileID, line: line)
}

/// The loads of one `checkLoader`, one after another.
struct LoaderCheck<T: APIRequest> {
    let request: T
    let input: T.RequestDataType
    let sample: MockResponse
    var watchdog = Watchdog.oneSecond

    func run(
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> (LoaderReport, findings: [String]) {
        var report = LoaderReport()
        var findings: [String] = []
        for situation in LoaderSituation.all(of: sample) {
            let trial = Trial<CheckedOutcome>(
                situation.response(from: sample), watchdog: watchdog)
            let outcome = await load(situation, in: trial)
            try Task.checkCancellation()
            report[situation] = outcome?.outcome
            let finding =
                outcome.map { self.finding($0, in: situation, trial.network) }
                ?? "did not end within a second\(trial.pendingDescription)"
            if let finding { findings.append("\(situation): \(finding)") }
            // Whatever follows would say the same again.
            if situation == .success, finding != nil { break }
        }
        return (report, findings)
    }

    private func load(
        _ situation: LoaderSituation, in trial: Trial<CheckedOutcome>,
        isolation: isolated (any Actor)? = #isolation
    ) async -> CheckedOutcome? {
        let load = Confined(
            APIRequestLoader(apiRequest: request, urlSession: MockURLSession(trial.network)), input)
        let canceller = Locked<Task<Void, Never>?>(nil)
        defer { canceller.withLock { $0?.cancel() } }
        return await trial.outcome { progress in
            let work = Task {
                // A task that mentions the actor runs on it: there the request is at home.
                _ = isolation
                await progress.run {
                    if situation == .cancelledBefore { withUnsafeCurrentTask { $0?.cancel() } }
                    do throws(APIRequestError) {
                        _ = try await load.loader.load(load.input)
                        return CheckedOutcome(outcome: .value)
                    } catch {
                        return CheckedOutcome(outcome: LoadOutcome(error), error: error)
                    }
                }
            }
            if situation == .cancelledDuring {
                let task = Task {
                    await trial.network.waitForRequests()
                    work.cancel()
                }
                canceller.withLock { $0 = task }
            }
            return work
        }
    }

    /// What is wrong about it, whatever the request.
    private func finding(
        _ ended: CheckedOutcome, in situation: LoaderSituation, _ network: MockNetwork
    ) -> String? {
        let wanted: LoadOutcome
        switch situation {
        case .success: wanted = .value
        case .error, .noAnswer, .cutHeaders, .cutBody: wanted = .error(.transport)
        case .cancelledDuring, .cancelledBefore:
            wanted = .error(.transport, isCancellation: true)
            if situation == .cancelledBefore, let sent = network.requests.first {
                return "sent \(sent.request.line), although it was cancelled before"
            }
        case .status, .html, .emptyBody, .truncatedBody, .wrongTypes, .wrongTopLevel, .null:
            return nil
        }
        guard ended.outcome != wanted else { return nil }
        let reason = ended.error.map { ": " + Excerpt("\($0)").text(limit: 500) } ?? ""
        let aim = wanted == .value ? "a value" : "\(wanted)"
        return "must end in \(aim), but ended in \(ended.outcome)\(reason)"
    }
}

/// What a load came to, with its error if it has one.
struct CheckedOutcome: Sendable {
    var outcome: LoadOutcome
    var error: APIRequestError?
}

/// A loader and its input, which stay on one actor although a task carries them there.
private struct Confined<T: APIRequest>: @unchecked Sendable {  // Used on the caller's actor alone.
    let loader: APIRequestLoader<T>
    let input: T.RequestDataType

    init(_ loader: APIRequestLoader<T>, _ input: T.RequestDataType) {
        self.loader = loader
        self.input = input
    }
}
