import Foundation

/// The terminal that standard error is, for a bar.
package struct Terminal: Sendable {
    /// The number of columns.
    package var width: Int
    /// The shortest time between two states of a bar.
    package var interval: Duration

    /// Creates the description of a terminal.
    package init(width: Int, interval: Duration = .milliseconds(100)) {
        self.width = width
        self.interval = interval
    }

    /// The terminal of this process; nil if standard error is a pipe or a file.
    static var standardError: Terminal? {
        guard isatty(STDERR_FILENO) == 1 else { return nil }
        var size = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return Terminal(width: isKnown ? Int(size.ws_col) : 80)
    }
}
