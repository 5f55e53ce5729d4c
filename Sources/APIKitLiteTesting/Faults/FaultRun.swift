import APIKitLite
import Foundation

/// Runs a client once with a good response, and then once under each fault of that response.
///
/// Each run has its own network and its own clock. The clock advances automatically when nothing
/// else is happening.
struct FaultRun: Sendable {
    /// One fault under which the client failed a requirement.
    struct Violation: Error {
        let fault: Fault
        /// What the client did, such as `threw URLError.timedOut, not APIRequestError`.
        let event: String
        /// An identifier shared by events that probably have the same cause.
        let kind: String
        /// Whether the client counts as hung.
        var isHung = false
    }

    /// A client's outcome, or what went wrong.
    typealias Ending = Result<LoadOutcome, Violation>

    /// Runs the client once and returns what it did.
    typealias Client = @Sendable (Fault, MockNetwork, MockClock) async -> Ending

    /// The number of hung clients after which no other run starts. A hung client can take the whole
    /// time limit, and can block a thread forever.
    private static let mostHung = 3
    /// The number of sleeps after which a client counts as hung.
    private static let mostSleeps = 1_000
    /// The maximum number of clients that run at the same time.
    private static let mostAtOnce = 16

    /// A good response.
    let sample: MockResponse
    let faults: [Fault]
    /// How long a client may run while its clock does not move.
    let timeLimit: Duration
    /// The file and line that an error names.
    let sourceLocation: String
    /// A sentence that says what the client must do.
    let advice: String
    /// What a check waits for, so that other queues have time to work.
    var pause: @Sendable () async -> Void = { try? await Task.sleep(for: Self.check) }
    let client: Client

    /// Runs the client under each fault.
    ///
    /// - Throws: ``FaultError`` if the client failed a requirement; ``MockError`` if the sample is
    ///   not usable; `CancellationError` if the task is cancelled.
    func report() async throws -> FaultReport {
        if let reason = sample.reasonAgainstSample {
            throw MockError(
                "forEachFault(in:) cannot use its sample: \(reason) (\(sourceLocation))")
        }
        let good = try await ending(under: .noFault)
        if let violation = good.violation {
            throw FaultError(
                "The client failed without a fault (\(sourceLocation)):", [violation],
                "The sample must give a value. The faults were not tried.")
        }
        let endings = try await endings()
        let violations = faults.compactMap { endings[$0]?.violation }
        if violations.isEmpty {
            let results = endings.compactMapValues { try? $0.get() }
            return FaultReport(faults: faults, results: results.merging([.noFault: .value]) { $1 })
        }
        let skippedCount = faults.count - endings.count
        let skipped = "So many hung that the last \(skippedCount) faults were not tried.\n"
        throw FaultError(
            "\(violations.count) of \(endings.count) faults broke the client (\(sourceLocation)):",
            violations, (skippedCount > 0 ? skipped : "") + advice)
    }

    /// Returns what the client did under each fault that was tried.
    private func endings() async throws -> [Fault: Ending] {
        try await withThrowingTaskGroup(of: (Fault, Ending).self) { group in
            var endings: [Fault: Ending] = [:]
            for (index, fault) in faults.enumerated() {
                if index >= Self.mostAtOnce, let (fault, ending) = try await group.next() {
                    endings[fault] = ending
                }
                let hung = endings.values.count { $0.violation?.isHung == true }
                if hung >= Self.mostHung { break }
                group.addTask { (fault, try await ending(under: fault)) }
            }
            for try await (fault, ending) in group { endings[fault] = ending }
            return endings
        }
    }

    /// Runs the client under one fault. If the client hangs, its task is cancelled but not awaited.
    private func ending(under fault: Fault) async throws -> Ending {
        try await Fault.$ofThisRun.withValue(fault) {
            // A short patience is enough, because the run itself waits before it moves the clock.
            let clock = MockClock(patience: .milliseconds(10))
            // The run moves the clock, so a task that sleeps on the clock should not be reported.
            clock.watch.output = nil
            let network = MockNetwork(clock: clock)
            let stub = network.stub(.any, fault.response(from: sample), times: .any)
            let promise = Promise<Ending>()
            let begun = Monitor(false)
            let work = startHandlerTask {
                // The time limit starts here, because the machine may have been busy before.
                begun.update { $0 = true }
                if fault == .cancelledBefore { withUnsafeCurrentTask { $0?.cancel() } }
                promise.resolve(with: .success(await client(fault, network, clock)))
            }
            let moving = Task {
                await begun.wait { $0 }
                let reason = await move(clock, of: network, fault, cancelling: work, of: stub)
                promise.resolve(with: .success(.failure(.hung(fault, network, reason))))
            }
            defer {
                work.cancel()
                moving.cancel()
            }
            try Task.checkCancellation()
            return try await promise.value(ifCancelled: .failure(CancellationError()))
        }
    }

    /// Moves the clock to the next sleeper repeatedly, until the client hangs or the task is
    /// cancelled. Returns why the client counts as hung.
    ///
    /// A client's work between requests and sleeps cannot be observed, so the work has a time
    /// limit, measured in checks (passes of the loop that do not move the clock). On a busy
    /// machine, both a check and the client's work take longer.
    private func move(
        _ clock: MockClock, of network: MockNetwork, _ fault: Fault,
        cancelling work: Task<Void, Never>, of stub: Stub
    ) async -> String {
        var (checks, sleeps, restingLooks) = (0, 0, 0)
        while Self.check * checks < timeLimit, !Task.isCancelled {
            let mayCancel = fault == .cancelledDuring && network.core.journal.requestCount > 0
            if mayCancel { work.cancel() }
            let seen = network.core.journal.changeCount
            for _ in 0..<32 { await Task.yield() }
            // The client may run on the main actor, which other tests can keep busy.
            await MainActor.run {}
            await pause()
            restingLooks = seen == network.core.journal.changeCount ? restingLooks + 1 : 0
            // A client that ignores cancellation receives the response.
            if mayCancel, restingLooks > 0 { stub.release() }
            // Without a sleeper, the clock would move to the deadline of a pending exchange.
            if restingLooks >= (fault == .noFault ? Self.restOfGoodRun : 1), !clock.pending.isEmpty
            {
                sleeps += 1
                if sleeps > Self.mostSleeps {
                    return "did not end, although its clock has woken it \(Self.mostSleeps) times"
                }
                await clock.advanceToNextSleeper()
                continue
            }
            checks += 1
        }
        return "did not end within \(timeLimit)"
    }

    /// The minimum duration of a check.
    private static let check = Duration.milliseconds(2)

    /// In the run with the good response, how many checks must find nothing new before the clock
    /// moves. That run must succeed, so the client's own timeouts must not fire too early on a
    /// busy machine.
    private static let restOfGoodRun = 25
}

extension FaultRun.Ending {
    fileprivate var violation: FaultRun.Violation? {
        if case .failure(let violation) = self { violation } else { nil }
    }
}

extension MockResponse {
    /// Why this response cannot be a sample, or `nil` if it can be a sample.
    fileprivate var reasonAgainstSample: String? {
        if let configurationError { return configurationError }
        guard case .end = ending, session == nil, source == nil else {
            return "it is a faulty response (.failing, .error, .hanging) or a .stream. "
                + "Pass a complete response without a fault."
        }
        return isHeld ? "it is .held, and nothing calls stub.release(). Omit .held." : nil
    }
}
