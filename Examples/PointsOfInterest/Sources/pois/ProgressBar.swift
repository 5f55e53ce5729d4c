import Foundation

/// A line on a terminal that is replaced with each state of a transfer.
final class ProgressBar: @unchecked Sendable {
    // Safe: the last three are touched only while holding `lock`.
    private let terminal: Terminal?
    private let write: @Sendable (String) -> Void
    private let lock = NSLock()
    private var last = TransferState(completed: 0, total: nil)
    private var lastDrawing: ContinuousClock.Instant?
    private var isOpen = true

    /// Creates a bar that is not drawn yet.
    ///
    /// - Parameters:
    ///   - terminal: The terminal; nil for no bar.
    ///   - write: Gets the text for the terminal.
    init(on terminal: Terminal?, write: @escaping @Sendable (String) -> Void) {
        self.terminal = terminal
        self.write = write
    }

    /// The last state.
    var state: TransferState { lock.withLock { last } }

    /// Draws a state. Within the interval of the terminal, draws none but the complete one.
    func show(_ state: TransferState) {
        lock.withLock {
            guard isOpen else { return }
            last = state
            guard let terminal else { return }
            let now = ContinuousClock.now
            if let lastDrawing, !state.isComplete, now - lastDrawing < terminal.interval { return }
            lastDrawing = now
            // To the beginning of the line; then "erase to its end" (ECMA-48, EL). The last column
            // stays free, since a terminal may go to the next line after it.
            write("\r" + state.text(width: terminal.width - 1) + "\u{1B}[K")
        }
    }

    /// Ends the line, so that other text follows below it.
    func end() {
        lock.withLock {
            if isOpen, lastDrawing != nil { write("\n") }
            isOpen = false
        }
    }
}
