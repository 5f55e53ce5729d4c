import APIKitLite
import APIKitLiteTesting

/// Collects the reports about waits, whose time the test moves.
package final class ReportRecorder: Sendable {
    /// The clock that measures how long a wait lasts.
    package let clock = MockClock(patience: .zero)
    private let recorded = Locked<[String]>([])

    package init() {}

    /// The reports so far.
    package var reports: [String] { recorded.withLock { $0 } }

    /// A network whose waits are reported here, with those on its clock.
    package func network(clock: MockClock? = nil) -> MockNetwork {
        let network = MockNetwork(clock: clock)
        record(network.watch)
        return network
    }

    /// Collects the reports of a watch.
    package func record(_ watch: HangReporter) {
        watch.output = HangReporter.Output(clock: clock) { [recorded] text in
            recorded.withLock { $0.append(text) }
        }
    }

    /// Moves the clock until there is a report. What a request does meanwhile may begin the five
    /// seconds again.
    package func waitForReport() async {
        while reports.isEmpty, !Task.isCancelled {
            await clock.advance(by: .milliseconds(100))
            await Task.yield()
        }
    }

    /// Suspends until something is watched.
    package func waitForWatch() async { await yieldWhile { clock.pendingDeadlines.isEmpty } }
}
