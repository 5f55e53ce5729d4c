import APIKitLite
import Foundation

/// One run of a piece of work with a network and a clock of its own.
///
/// The clock advances automatically as soon as nothing else happens. Work that hangs is cancelled.
struct Trial<Outcome: Sendable>: Sendable {
    /// The functions with which the work reports its start and its outcome.
    struct Progress: Sendable {
        fileprivate let begin: @Sendable () -> Void
        fileprivate let finish: @Sendable (Outcome) -> Void

        /// Runs the work, and reports its start and its outcome.
        nonisolated(nonsending) func run(
            _ work: nonisolated(nonsending) () async -> Outcome
        ) async {
            // The time before this call does not count: the machine may have been busy.
            begin()
            finish(await work())
        }
    }

    let clock: MockClock
    let network: MockNetwork
    private let watchdog: Watchdog
    /// How often the clock was advanced.
    private let moves = AwaitableCounter()

    /// Creates a network that gives one answer to every request.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - watchdog: Decides when the work hangs.
    init(_ response: MockResponse, watchdog: Watchdog) {
        // It moves by itself as long as the trial lasts.
        clock = MockClock()
        clock.watch.reporter = nil
        network = MockNetwork(clock: clock)
        network.stub(.any, response, times: .any)
        self.watchdog = watchdog
    }

    /// Runs a piece of work, and returns its outcome.
    ///
    /// - Parameters:
    ///   - isolation: The caller's actor.
    ///   - start: Starts the work in a task of its own.
    /// - Returns: The outcome; `nil` if the work hangs or the caller's task is cancelled. Then the
    ///   task of the work is cancelled, but not waited for.
    func outcome(
        isolation: isolated (any Actor)? = #isolation,
        _ start: (Progress) -> Task<Void, Never>
    ) async -> Outcome? {
        // The stream keeps only the first result.
        let (results, continuation) = AsyncStream.makeStream(
            of: Outcome?.self, bufferingPolicy: .bufferingOldest(1))
        let begun = AwaitableCounter()
        let work = start(
            Progress(begin: { begun.update { $0 = 1 } }, finish: { continuation.yield($0) }))
        let watching = Task { [watchdog, moves] in
            await begun.wait(for: 1)
            await watchdog.wait { moves.number }
            continuation.yield(nil)
        }
        let autoAdvancing = Task { await autoAdvance() }
        defer {
            work.cancel()
            watching.cancel()
            autoAdvancing.cancel()
        }
        // In a cancelled task, the stream ends without a result.
        for await result in results { return result }
        return nil
    }

    /// Advances the clock to the next sleeper, again and again, until the task is cancelled.
    private func autoAdvance() async {
        while !Task.isCancelled {
            await clock.waitForSleepersUnreported()
            await network.core.journal.count.waitForQuiet()
            // Without a sleeper, the next step would be the deadline of an exchange that goes on.
            guard clock.sleeperCount.number > 0 else { continue }
            moves.update { $0 += 1 }
            await clock.advanceToNextSleeper()
        }
    }

    /// Whether the last request was answered, so that work which hangs waits for something else.
    var hasAnswer: Bool { network.requests.last?.endTime != nil }

    /// The end of a sentence that says what the work is waiting for.
    var pendingDescription: String {
        let requests = network.requests
        guard let last = requests.last else { return "; it sent nothing" }
        let state = hasAnswer ? "has had its answer for a while" : "waits for its answer"
        let count = requests.count == 1 ? "" : " (of \(requests.count) requests the last)"
        return "; \(last.line)\(count) \(state)"
    }
}
