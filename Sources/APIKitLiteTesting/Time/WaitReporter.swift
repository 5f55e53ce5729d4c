import APIKitLite
import Foundation

/// Writes reports about waits that last, and calls back each second while something waits.
///
/// One timer serves all waits of the process, because a timer for each would cost more than most
/// waits.
package final class WaitReporter: Sendable {
    /// The reporter of the waits and networks that the task begins.
    @TaskLocal package static var current = WaitReporter()

    /// How long something waits before it is reported.
    static let patience = Duration.seconds(seconds)
    /// The number of calls after which something is reported.
    static let seconds = 5
    /// How long a wait lasts before its cancellation is reported. A wait that ends sooner was
    /// cancelled by the test itself, such as that of a loop that moves a clock.
    static let grace = Duration.milliseconds(50)

    private let timeline: Timeline
    private let timer: DeadlineTimer
    private let output: @Sendable (String) -> Void

    /// Creates a reporter.
    ///
    /// - Parameters:
    ///   - clock: The clock that measures how long something waits.
    ///   - output: Receives each report.
    package init(
        clock: any Clock<Duration> = ContinuousClock(),
        output: @escaping @Sendable (String) -> Void = WaitReporter.writeToStandardError
    ) {
        timeline = Timeline(clock)
        timer = DeadlineTimer(.seconds(1), on: timeline)
        self.output = output
    }

    /// The time since the creation of the reporter.
    var now: Duration { timeline.now() }

    func write(_ report: WaitReport) {
        output("APIKitLiteTesting: \(report)\n")
    }

    /// Calls back each second until the callback returns false.
    func everySecond(_ call: @escaping @Sendable () -> Bool) {
        _ = timer.schedule { [weak self] in
            if call() { self?.everySecond(call) }
        }
    }

    /// Writes with one call, so that the reports of parallel tests do not mix.
    package static let writeToStandardError: @Sendable (String) -> Void = { text in
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
