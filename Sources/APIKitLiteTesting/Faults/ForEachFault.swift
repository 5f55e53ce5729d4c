import APIKitLite
import Foundation

/// Runs a body of code once for each fault of one answer, each time with a network of its own that
/// gives that broken answer to any request.
///
/// Nobody thinks of a connection that ends after the 17th byte; so a client meets it first at its
/// user's. Here a test meets all of ``Fault/all(of:seed:)``:
///
/// ```swift
/// let sample = MockResponse.json(#"{"name": "Emma"}"#)
/// try await forEachFault(in: sample) { network in
///     let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)
///     return try await loader.load(42)
/// }
/// ```
///
/// The body must end in a value, whichever it is, or an `APIRequestError`, within a second of real
/// time. It may use the network over its `urlSession`, a ``MockURLSession`` or its server. Timeouts
/// and slow bytes take no real time. Up to 16 bodies run at once, on the actor of the place where
/// they stand, if it has one.
///
/// - Parameters:
///   - sample: A good answer.
///   - seed: Decides which faults of a long body are tried. A failure prints it.
///   - fileID: The file that a failure names.
///   - line: The line that a failure names.
///   - body: Gets the network.
/// - Returns: What the body came to under each fault.
/// - Throws: ``FaultFailure``, which names each fault under which the body hung, or threw another
///   error; ``MockFailure`` if the sample is not usable; `CancellationError`.
@discardableResult
public func forEachFault<R>(
    in sample: MockResponse, seed: UInt64 = .random(in: 0 ... .max),
    fileID: StaticString = #fileID, line: UInt = #line,
    // As for `Task`: else a client on the main actor would have to say so in every body.
    @_inheritActorContext _ body: @escaping @Sendable (MockNetwork) async throws -> R
) async throws -> FaultReport {
    try await FaultRun(sample, seed: seed, sourceLocation: "\(fileID):\(line)").report {
        network, _ in
        _ = try await body(network)
    }
}

/// Runs a body of code once for each fault of one answer, and hands it the clock of the network.
///
/// For a client that waits: a policy that retries after 120 seconds waits on this clock, which
/// moves on by itself as soon as nothing else happens.
///
/// ```swift
/// try await forEachFault(in: sample) { network, clock in
///     let session = network.urlSession.retrying(.standard, clock: clock)
///     return try await APIRequestLoader(apiRequest: UserRequest(), urlSession: session).load(42)
/// }
/// ```
///
/// Everything else is as without the clock.
@discardableResult
public func forEachFault<R>(
    in sample: MockResponse, seed: UInt64 = .random(in: 0 ... .max),
    fileID: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ body: @escaping @Sendable (MockNetwork, MockClock) async throws -> R
) async throws -> FaultReport {
    try await FaultRun(sample, seed: seed, sourceLocation: "\(fileID):\(line)").report {
        network, clock in
        _ = try await body(network, clock)
    }
}

/// All trials of one `forEachFault`.
struct FaultRun: Sendable {
    typealias Body = @Sendable (MockNetwork, MockClock) async throws -> Void

    private enum Outcome: Sendable {
        case ended(LoadOutcome)
        case wrong(any Error)
        case hung(String)
    }

    private static let mostAtOnce = 16
    /// A body that hangs may keep a thread for ever.
    private static let mostHung = 10

    private let sample: MockResponse
    /// Read once: a long one takes a while.
    private let json: JSONValue?
    private let seed: UInt64
    private let faults: [Fault]
    private let sourceLocation: String
    private let watchdog: @Sendable (Fault) -> Watchdog

    /// - Throws: ``MockFailure`` if the sample is not usable.
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

    func report(_ body: @escaping Body) async throws -> FaultReport {
        let results = try await results(of: body)
        var outcomes: [Fault: LoadOutcome] = [:]
        var violations: [FaultFailure.Violation] = []
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
            throw FaultFailure(
                violations: violations, report: report,
                skippedCount: faults.count - results.count, sourceLocation: sourceLocation)
        }
        return report
    }

    /// By the index of the fault; without those that were not tried any more.
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

    private static func text(of error: any Error) -> String {
        if let error = error as? URLError { return URLError.name(of: error.code) }
        let text = Excerpt(redacting: "\(error)", limit: 300).text(limit: 300)
        let type = "\(type(of: error))"
        return text.hasPrefix(type) ? text : "\(type) (\(text))"
    }

    /// A task that may block without holding up the others, where the system has such.
    private static func task(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            Task(executorPreference: HandlerThreads.shared, operation: work)
        } else {
            Task(operation: work)
        }
    }
}
