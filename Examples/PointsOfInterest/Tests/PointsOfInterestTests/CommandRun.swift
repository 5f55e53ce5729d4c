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
    ///   - network: What the requests are sent over. By default, none gets a response.
    ///   - columns: The width of the terminal at standard output.
    ///   - showsProgress: Whether standard error is a terminal.
    init(
        _ arguments: [String], over network: MockNetwork = MockNetwork(),
        columns: Int = .max, showsProgress: Bool = false
    ) async {
        let (output, errors, clock) = (Log(), Log(), MockClock())
        let command = Command(
            network: network, clock: clock, columns: columns,
            showsProgress: showsProgress,
            output: { output.append($0) }, errors: { errors.append($0) })
        // A wait in these tests is a second at most.
        let waits = Task {
            while !Task.isCancelled {
                await clock.waitForSleepers()
                await clock.advance(by: .seconds(1))
            }
        }
        exitCode = await command.run(arguments)
        waits.cancel()
        self.output = output.entries.joined()
        self.errors = errors.entries.joined()
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
