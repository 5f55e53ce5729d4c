import APIKitLite
import APIKitLiteTesting

/// Collects the reports about waits, whose time the test moves.
package final class ReportRecorder: Sendable {
    /// The clock that measures how long a wait lasts.
    package let clock = MockClock()
    private let recorded = Locked<[String]>([])

    package init() {}

    /// The reports so far.
    package var reports: [String] { recorded.withLock { $0 } }

    /// Runs a body whose waits and networks report here.
    package func run<R: Sendable>(_ body: () throws -> R) rethrows -> R {
        let reporter = WaitReporter(clock: clock) { [recorded] text in
            recorded.withLock { $0.append(text) }
        }
        return try WaitReporter.$current.withValue(reporter, operation: body)
    }

    /// Suspends until something is watched.
    package func waitForWatch() async {
        await yieldWhile { clock.pendingDeadlines.isEmpty }
    }
}
