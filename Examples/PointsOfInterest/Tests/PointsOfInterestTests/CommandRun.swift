import APIKitLite
import APIKitLiteTesting
import Foundation
import pois

/// The command, run inside this process.
struct CommandRun {
    let exitCode: Int32
    let output: String
    let errors: String

    /// Runs the command to its end. The waits between attempts take no time.
    ///
    /// - Parameters:
    ///   - network: What the requests are sent over. By default, none is answered.
    ///   - terminal: The terminal that standard error is. By default, it is a pipe.
    init(
        _ arguments: [String], over network: any HTTPSession = MockURLSession(MockNetwork()),
        on terminal: Terminal? = nil
    ) async {
        let (output, errors, clock) = (Log(), Log(), MockClock())
        let command = Command(
            network: network, clock: clock, terminal: terminal,
            output: { output.append($0) }, errors: { errors.append($0) })
        let waits = clock.endingWaits()
        exitCode = await command.run(arguments)
        waits.cancel()
        self.output = output.entries.joined()
        self.errors = errors.entries.joined()
    }
}

extension MockClock {
    /// Ends each wait between two attempts as soon as it begins, until the task is cancelled.
    ///
    /// A wait in these tests is a second at most.
    func endingWaits() -> Task<Void, Never> {
        Task {
            while !Task.isCancelled {
                await waitForSleepers()
                await advance(by: .seconds(1))
            }
        }
    }
}

/// Texts, in the order in which they came.
final class Log: @unchecked Sendable {
    // Safe: `texts` is touched only while holding `lock`.
    private let lock = NSLock()
    private var texts: [String] = []

    var entries: [String] { lock.withLock { texts } }

    func append(_ text: String) {
        lock.withLock { texts.append(text) }
    }
}
