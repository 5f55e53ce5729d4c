import APIKitLite
import Foundation

/// One attempt to bring a piece of work to its end, on a network whose time flies: whatever waits
/// on its clock is woken as soon as nothing else happens, and what hangs is given up.
struct Trial<Outcome: Sendable>: Sendable {
    /// How the work tells that it runs, and what it came to.
    struct Progress: Sendable {
        fileprivate let begin: @Sendable () -> Void
        fileprivate let finish: @Sendable (Outcome) -> Void

        nonisolated(nonsending) func run(
            _ work: nonisolated(nonsending) () async -> Outcome
        ) async {
            // Before, the machine may have been busy with others.
            begin()
            finish(await work())
        }
    }

    let clock: MockClock
    let network: MockNetwork
    private let watchdog: Watchdog
    private let moves = AwaitableCounter()

    init(_ response: MockResponse, watchdog: Watchdog) {
        clock = MockClock()
        network = MockNetwork(clock: clock)
        network.stub(.any, response, times: .any)
        self.watchdog = watchdog
    }

    /// What the work comes to. Nil if it hangs, or if the caller is cancelled: then its task is
    /// cancelled and left to itself.
    ///
    /// - Parameter start: Starts the work in a task of its own.
    func outcome(
        isolation: isolated (any Actor)? = #isolation,
        _ start: (Progress) -> Task<Void, Never>
    ) async -> Outcome? {
        // Whatever is told first counts.
        let (events, told) = AsyncStream.makeStream(
            of: Outcome?.self, bufferingPolicy: .bufferingOldest(1))
        let begun = AwaitableCounter()
        let work = start(
            Progress(begin: { begun.update { $0 = 1 } }, finish: { told.yield($0) }))
        let watching = Task { [watchdog, moves] in
            await begun.wait(for: 1)
            await watchdog.wait { moves.number }
            told.yield(nil)
        }
        let autoAdvancing = Task { await autoAdvance() }
        defer {
            work.cancel()
            watching.cancel()
            autoAdvancing.cancel()
        }
        // A cancelled caller gets none.
        for await event in events { return event }
        return nil
    }

    /// Moves the clock on from wait to wait until the task is cancelled.
    private func autoAdvance() async {
        while !Task.isCancelled {
            await clock.waitForSleepers()
            await network.core.journal.count.waitForQuiet()
            moves.update { $0 += 1 }
            await clock.advanceToNextSleeper()
        }
    }

    /// Whether the last request was answered, so that the work waited for something else.
    var hasAnswer: Bool { network.requests.last?.endTime != nil }

    /// What the work waited for when it was given up.
    var pendingDescription: String {
        let requests = network.requests
        guard let last = requests.last else { return "; it sent nothing" }
        let state = hasAnswer ? "has had its answer for a while" : "waits for its answer"
        let count = requests.count == 1 ? "" : " (of \(requests.count) requests the last)"
        return "; \(last.request.line)\(count) \(state)"
    }
}
