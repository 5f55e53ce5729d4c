import APIKitLite
import Foundation

/// Runs a client once for each of some faults of one answer.
///
/// Each run has its own network and its own clock. The clock advances automatically as soon as
/// nothing else happens.
struct FaultRun: Sendable {
    /// What the client did under one fault.
    struct Ending: Sendable {
        /// The outcome; `nil` if the client hung, or threw an error that it must not throw.
        var outcome: LoadOutcome?
        /// What the client must not do, as text; `nil` if it met all requirements.
        var violation: String?
        /// A text that is the same for violations which probably have the same cause.
        var kind: String?
        var isHung = false
    }

    /// Runs the client once, and says what it did.
    typealias Client = @Sendable (Fault, MockNetwork, MockClock) async -> Ending

    /// After so many clients hang, no other run starts: each takes the whole time limit, and may
    /// block a thread for ever.
    private static let mostHung = 3
    /// After so many sleeps without an end, a client hangs.
    private static let mostSleeps = 1_000

    /// A good answer.
    let sample: MockResponse
    let faults: [Fault]
    /// How long a client may run while nothing moves its clock.
    let timeLimit: Duration
    /// The seed of the random choices; `nil` if there were none.
    var seed: UInt64?
    /// The name of the public function, for the error of an unusable sample.
    let function: String
    /// What an error names as the client.
    let subject: String
    /// The file and the line that an error names.
    let sourceLocation: String
    /// Lines that say what the client must do, and how to repeat the run.
    var advice: [String] = []
    /// How many clients run at once.
    var mostAtOnce = 16

    /// Runs a client under each fault.
    ///
    /// - Throws: ``FaultError`` when the client failed a requirement; ``MockError`` when the sample
    ///   is held, is faulty itself, or has a configuration error; `CancellationError` when the task
    ///   is cancelled.
    func report(_ client: @escaping Client) async throws -> FaultReport {
        if let reason = sample.reasonAgainstSample {
            throw MockError(
                .brokenStub, "\(function) cannot use its sample: \(reason) (\(sourceLocation))")
        }
        let endings = try await endings(of: client)
        let report = FaultReport(
            seed: seed, faults: faults, outcomes: endings.compactMapValues(\.outcome))
        let violations = faults.compactMap { fault in
            endings[fault].flatMap { ending in
                ending.violation.map { event in
                    FaultError.Violation(fault: fault, event: event, kind: ending.kind ?? event)
                }
            }
        }
        if violations.isEmpty { return report }
        let skipped = faults.count - endings.count
        var lines: [String] = []
        if endings[.noFault]?.violation != nil {
            lines = ["The sample must give a value: the other faults were not tried."]
        } else if skipped > 0 {
            lines = ["So many hung that the last \(skipped) faults were not tried."]
        }
        if endings.values.contains(where: \.isHung) {
            lines.append("If the machine was very busy, allow more time by the argument timeLimit.")
        }
        throw FaultError(
            violations: violations, report: report, skippedCount: skipped, subject: subject,
            sourceLocation: sourceLocation, advice: lines + advice)
    }

    /// Returns what the client did, without the faults that were not tried.
    private func endings(of client: @escaping Client) async throws -> [Fault: Ending] {
        try await withThrowingTaskGroup(of: (Fault, Ending).self) { group in
            var endings: [Fault: Ending] = [:]
            for (index, fault) in faults.enumerated() {
                if index >= mostAtOnce, let (fault, ending) = try await group.next() {
                    endings[fault] = ending
                }
                // If the sample itself fails, all faults would fail for the same reason.
                let isHopeless = endings[.noFault]?.violation != nil
                if isHopeless || endings.values.count(where: \.isHung) >= Self.mostHung { break }
                group.addTask { (fault, try await ending(of: client, under: fault)) }
            }
            for try await (fault, ending) in group { endings[fault] = ending }
            return endings
        }
    }

    /// Runs a client under one fault. If it hangs, its task is cancelled, but not waited for.
    private func ending(of client: @escaping Client, under fault: Fault) async throws -> Ending {
        let clock = MockClock()
        // The run moves the clock, so a task that sleeps on it needs no report.
        clock.watch.reporter = nil
        let network = MockNetwork(clock: clock)
        network.stub(.any, fault.response(from: sample), times: .any)
        let waiter = Waiter<Ending>()
        let begun = Awaitable(false)
        let work = startHandlerTask {
            // The time before this does not count: the machine may have been busy.
            begun.update { $0 = true }
            waiter.end(with: .success(await client(fault, network, clock)))
        }
        let moving = Task {
            await begun.wait { $0 }
            let reason = await move(clock, of: network)
            waiter.end(with: .success(.hung(network, reason)))
        }
        defer {
            work.cancel()
            moving.cancel()
        }
        try Task.checkCancellation()
        return try await waiter.value(ifCancelled: .failure(CancellationError()))
    }

    /// Moves the clock to the next sleeper, again and again, until the client hangs or the task is
    /// cancelled.
    ///
    /// Nothing shows what a client does between its requests and its sleeps, so it has a time limit.
    /// A client on the main actor gets no time while that is busy with other tests. So the time counts
    /// only while the main actor runs; if it does nothing for as long, it is blocked.
    ///
    /// - Returns: Why the client counts as hung.
    private func move(_ clock: MockClock, of network: MockNetwork) async -> String {
        var (left, blockedLeft) = (timeLimit, timeLimit)
        var sleeps = 0
        let mainActor = MainActorTurn()
        while left > .zero, blockedLeft > .zero, !Task.isCancelled {
            let start = ContinuousClock.now
            let isQuiet = await isQuiet { network.core.journal.changeCount }
            // Without a sleeper, the next step would be the deadline of an exchange that goes on.
            if isQuiet, !clock.pending.isEmpty {
                sleeps += 1
                if sleeps > Self.mostSleeps {
                    return "did not end, although its clock has woken it \(Self.mostSleeps) times"
                }
                await clock.advanceToNextSleeper()
                continue
            }
            // A look takes about two milliseconds. On a busy machine it takes longer, and the client
            // needs more time, too.
            let time = min(ContinuousClock.now - start, .milliseconds(5))
            if mainActor.isTaken {
                left -= time
                blockedLeft = timeLimit
                mainActor.request()
            } else {
                blockedLeft -= time
            }
        }
        return "did not end within \(timeLimit)"
            + (left > .zero ? ", in which something blocked the main actor" : "")
    }
}

extension FaultRun.Ending {
    /// The end of a client that hangs.
    fileprivate static func hung(_ network: MockNetwork, _ reason: String) -> Self {
        let requests = network.requests
        var state = "it sent nothing"
        if let last = requests.last {
            let count = requests.count == 1 ? "" : " (of \(requests.count) requests the last)"
            state = "\(last.line)\(count) waits for its answer"
            if last.endTime != nil {
                state = """
                    \(last.line)\(count) has had its answer for a while (what waits by itself, as \
                    a retry does, needs the clock: forEachFault { network, clock in … })
                    """
            }
        }
        return Self(
            violation: "\(reason); \(state)", kind: reason, isHung: true)
    }
}

extension MockResponse {
    /// Why this response cannot be a sample; `nil` if it can.
    fileprivate var reasonAgainstSample: String? {
        if let configurationError { return configurationError }
        guard case (.head, .end) = (start, ending), source == nil else {
            return "it is broken itself. Give the answer of a healthy server."
        }
        return isHeld || isBodyHeld ? "it is held, and nobody releases it." : nil
    }
}
