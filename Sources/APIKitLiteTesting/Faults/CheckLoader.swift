import APIKitLite
import Foundation

/// Loads a request once under each of about thirty faults, and reports at which stage each load
/// ended.
///
/// The faults are faults of servers and networks which matter to every request, so a test need
/// not list them. Each load uses a real `APIRequestLoader` and its own ``MockNetwork``:
///
/// ```swift
/// let report = try await checkLoader(
///     of: UserRequest(), with: .json(#"{"name": "Emma"}"#), from: 42)
///
/// #expect(report[.status(404)] == .error(.validate))
/// ```
///
/// ```
/// no fault                            value
/// status 404                          .validate
/// HTML from a proxy, status 200       .parse
/// connection lost before the headers  .transport
/// ```
///
/// The right outcome depends on the request, so most outcomes are only reported. But every request
/// must meet these requirements:
/// - The sample ends in a value.
/// - A transport error ends in the stage `.transport`, and is not a cancellation.
/// - A cancelled load ends in the stage `.transport`, and is a cancellation. If it was cancelled
///   before it began, it sends nothing.
/// - Every load ends.
///
/// A `StreamedAPIRequest` is read element by element, and about ten faults are added: the body is
/// also cut between its pieces, stops arriving, and repeats a piece. Two requirements are added:
/// - If a part of the body arrives, the elements are the first ones of the sample.
/// - If the format has a terminator, such as `[DONE]`, a part of the elements without an error is
///   not accepted. Without one, a lost connection is still an error.
///
/// - Parameters:
///   - request: The request to check.
///   - sample: A good answer to the request.
///   - input: The value from which the request is made.
///   - timeLimit: The real time after which a load counts as hung. The time in which the main actor is
///     busy with other work does not count.
///   - isolation: The caller's actor, on which the loads run.
///   - fileID: The file that an error names.
///   - line: The line that an error names.
/// - Returns: The outcome under each fault. `print(report.table)` shows all of them.
/// - Throws: ``FaultError``, which names each requirement that the request failed; ``MockError``
///   when the sample is not usable; `CancellationError` when the task is cancelled.
@discardableResult
public func checkLoader<T: APIRequest>(
    of request: T, with sample: MockResponse, from input: T.RequestDataType,
    timeLimit: Duration = .seconds(30), isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line
) async throws -> FaultReport {
    let run = FaultRun(
        sample: sample, faults: Fault.checks(of: sample), timeLimit: timeLimit,
        function: "checkLoader(of:with:from:)", subject: "\(T.self)",
        sourceLocation: "\(fileID):\(line)", mostAtOnce: 1)
    let load = RequestLoad(request: request, input: input, sample: sample)
    let check = LoaderCheck(load: load, isolation: isolation)
    return try await run.report { fault, network, _ in
        await check.ending(under: fault, network)
    }
}

/// Loads a request that needs no input once under each of about thirty faults, and reports at which
/// stage each load ended.
///
/// The requirements are the same as for a request with an input.
///
/// - Parameters:
///   - request: The request to check.
///   - sample: A good answer to the request.
///   - timeLimit: The real time after which a load counts as hung. The time in which the main actor is
///     busy with other work does not count.
///   - isolation: The caller's actor, on which the loads run.
///   - fileID: The file that an error names.
///   - line: The line that an error names.
/// - Returns: The outcome under each fault. `print(report.table)` shows all of them.
/// - Throws: ``FaultError``, which names each requirement that the request failed; ``MockError``
///   when the sample is not usable; `CancellationError` when the task is cancelled.
@discardableResult
public func checkLoader<T: APIRequest>(
    of request: T, with sample: MockResponse, timeLimit: Duration = .seconds(30),
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line
) async throws -> FaultReport where T.RequestDataType == Void {
    try await checkLoader(
        of: request, with: sample, from: (), timeLimit: timeLimit, isolation: isolation,
        fileID: fileID, line: line)
}

/// What one load ended in.
private struct Loaded: Sendable {
    var error: APIRequestError?
    /// The debug descriptions of the elements that a stream delivered; `nil` for another load.
    var elements: [String]?
    /// Whether a stream has a terminator, so that a part of it is never a value.
    var isTerminated = false
    var outcome: LoadOutcome { error.map(LoadOutcome.init) ?? .value }
}

/// A request that can be loaded again and again. It hides the request's type, which a task must not
/// capture.
private protocol RepeatableLoad: Sendable {
    func run(over session: MockURLSession, on isolation: isolated (any Actor)?) async -> Loaded
}

private struct RequestLoad<T: APIRequest>: RepeatableLoad,
    @unchecked Sendable  // It is used on the caller's actor only, while the caller waits.
{
    let request: T
    let input: T.RequestDataType
    let sample: MockResponse

    func run(over session: MockURLSession, on isolation: isolated (any Actor)?) async -> Loaded {
        if let request = request as? any StreamedAPIRequest {
            return await read(request, over: session, on: isolation)
        }
        do throws(APIRequestError) {
            _ = try await APIRequestLoader(apiRequest: request, urlSession: session).load(input)
            return Loaded()
        } catch {
            return Loaded(error: error)
        }
    }

    /// Reads the elements of the response one by one.
    private func read<S: StreamedAPIRequest>(
        _ request: S, over session: MockURLSession, on isolation: isolated (any Actor)?
    ) async -> Loaded {
        let response = sample.reply(to: URLRequest(url: .unnamed)).response
        var parser = response.flatMap { try? request.makeParser(for: $0) }
        _ = try? parser?.parse(sample.body)
        var loaded = Loaded(elements: [], isTerminated: parser?.isComplete == true)
        do throws(APIRequestError) {
            // `S` is `T`, as a `StreamedAPIRequest`.
            var elements = session.stream(request, input as! S.RequestDataType).makeAsyncIterator()
            while let element = try await elements.next() {
                loaded.elements?.append(String(reflecting: element))
            }
        } catch {
            loaded.error = error
        }
        return loaded
    }
}

/// The loads of one `checkLoader` call, which run one after another.
private struct LoaderCheck: Sendable {
    let load: any RepeatableLoad
    let isolation: (any Actor)?
    /// What the load of the sample ended in.
    private let good = Locked<Loaded?>(nil)

    init(load: any RepeatableLoad, isolation: (any Actor)?) {
        self.load = load
        self.isolation = isolation
    }

    /// Loads the request once.
    func ending(under fault: Fault, _ network: MockNetwork) async -> FaultRun.Ending {
        let task = Task {
            if fault == .cancelledBefore { withUnsafeCurrentTask { $0?.cancel() } }
            return await load.run(over: MockURLSession(network), on: isolation)
        }
        let loaded = await withTaskCancellationHandler {
            if fault == .cancelledDuring {
                await network.waitForRequests()
                task.cancel()
            }
            return await task.value
        } onCancel: {
            task.cancel()
        }
        if fault == .noFault { good.withLock { $0 = loaded } }
        let violation = violation(loaded, under: fault, network)
        let reason = loaded.error.map { ": " + "\($0)".excerpt(limit: 500) } ?? ""
        return FaultRun.Ending(
            outcome: loaded.outcome, violation: violation.map { $0 + reason }, kind: violation)
    }

    /// Returns the requirement that a load fails, as text; `nil` if it fails none.
    private func violation(
        _ loaded: Loaded, under fault: Fault, _ network: MockNetwork
    ) -> String? {
        if fault.cutsBody, let elements = loaded.elements,
            let wanted = good.withLock({ $0 })?.elements
        {
            if let violation = prefixViolation(elements, wanted) { return violation }
            if loaded.outcome == .value {
                // The terminator may have arrived before the connection was lost.
                if elements.count == wanted.count { return nil }
                if loaded.isTerminated || fault.requiredOutcome != nil {
                    return "ended like a whole stream after \(elements.count) of "
                        + "\(wanted.count) elements"
                }
            }
        }
        guard let wanted = fault.requiredOutcome else { return nil }
        if fault == .cancelledBefore, let sent = network.requests.first {
            return "sent \(sent.line), although it was cancelled before"
        }
        if loaded.outcome == wanted { return nil }
        let aim = wanted == .value ? "a value" : "\(wanted)"
        return "must end in \(aim), but ended in \(loaded.outcome)"
    }
}

/// Returns the first element that differs from the sample, as text; `nil` if all are equal.
private func prefixViolation(_ elements: [String], _ wanted: [String]) -> String? {
    for (index, element) in elements.enumerated() {
        let other = index < wanted.count ? wanted[index] : nil
        if element == other { continue }
        let aim = other.map { "is \($0)" } ?? "does not exist"
        return "delivered \(element) as element \(index + 1), which \(aim) in the sample"
            .excerpt(limit: 500)
    }
    return nil
}

extension Fault {
    /// The outcome that every request must have under this fault; `nil` if the request decides.
    fileprivate var requiredOutcome: LoadOutcome? {
        switch self {
        case .noFault: .value
        case .error, .hanging, .failingInHeaders, .failing, .longContentLength, .stalled:
            .error(.transport)
        case .cancelledBefore, .cancelledDuring: .error(.transport, isCancellation: true)
        default: nil
        }
    }

    /// Whether a part of the good body arrives, and nothing else.
    fileprivate var cutsBody: Bool {
        switch self {
        case .failing, .truncated, .longContentLength, .shortContentLength, .emptyBody, .stalled:
            true
        default: false
        }
    }
}
