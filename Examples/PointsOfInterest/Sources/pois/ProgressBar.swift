import Foundation

/// A line on a terminal that is replaced with each state of a transfer.
final class ProgressBar: @unchecked Sendable {
    // Safe: the variables are touched only while holding `lock`.
    private let terminal: Terminal?
    private let write: @Sendable (String) -> Void
    private let lock = NSLock()
    private var last = TransferState(completed: 0, total: nil)
    private var lastDrawing: ContinuousClock.Instant?
    /// The first state since the transfer began or started over.
    private var first: (state: TransferState, time: ContinuousClock.Instant)?
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
            write("\r" + measured(state, at: now).text(width: terminal.width - 1) + "\u{1B}[K")
        }
    }

    /// Returns the state with its speed and the time that is left, from the first second on.
    private func measured(_ state: TransferState, at now: ContinuousClock.Instant) -> TransferState
    {
        guard let first, first.state.completed <= state.completed else {
            first = (state, now)
            return state
        }
        let seconds = (now - first.time) / .seconds(1)
        let speed = Double(state.completed - first.state.completed) / seconds
        guard seconds >= 1, speed > 0 else { return state }
        var state = state
        state.bytesPerSecond = Int(speed)
        state.secondsRemaining = state.total.map { max(0, Double($0 - state.completed) / speed) }
        return state
    }

    /// Ends the line, so that other text follows below it.
    func end() {
        lock.withLock {
            if isOpen, lastDrawing != nil { write("\n") }
            isOpen = false
        }
    }
}
