import Foundation

/// How far the transfer of a file is.
package struct TransferState: Equatable, Sendable {
    /// The bytes that were transferred, those of an earlier call included.
    package var completed: Int64
    /// The bytes of the whole file; nil if it is unknown.
    package var total: Int64?
    /// The speed; nil if it is unknown.
    package var bytesPerSecond: Int?
    /// The time that is left; nil if it is unknown.
    package var secondsRemaining: Double?

    /// Creates a state.
    package init(
        completed: Int64, total: Int64?, bytesPerSecond: Int? = nil, secondsRemaining: Double? = nil
    ) {
        self.completed = completed
        self.total = total
        self.bytesPerSecond = bytesPerSecond
        self.secondsRemaining = secondsRemaining
    }

    /// Reads the state of a progress whose unit is a byte.
    init(_ progress: Progress) {
        completed = progress.completedUnitCount
        total = progress.totalUnitCount < 0 ? nil : progress.totalUnitCount
    }

    /// Whether all bytes were transferred.
    package var isComplete: Bool { completed == total }

    /// Returns one line with a bar, the part in percent, the bytes, the speed and the time left.
    ///
    /// - Parameter width: The number of columns. If it is too small, the bar is left out first, then
    ///   the time and the speed. The percentage and the bytes always stay.
    package func text(width: Int) -> String {
        let part = total.map { $0 > 0 ? min(1, Double(completed) / Double($0)) : 1 }
        var fields: [String] = []
        if let part { fields.append(String(format: "%3d%%", Int(part * 100))) }
        let required = fields.count + 1
        fields.append(size(of: completed) + (total.map { " of " + size(of: $0) } ?? ""))
        if let bytesPerSecond { fields.append(size(of: Int64(bytesPerSecond)) + "/s") }
        if let secondsRemaining, !isComplete {
            fields.append(time(of: secondsRemaining) + " left")
        }
        func text() -> String { fields.joined(separator: "  ") }
        while fields.count > required, text().count > width { fields.removeLast() }

        // Two brackets, two spaces, and at least ten columns for the bar itself.
        let room = min(20, width - text().count - 4)
        guard let part, room >= 10 else { return text() }
        let filled = Int(part * Double(room))
        let head = filled > 0 && filled < room ? ">" : ""
        let bar =
            String(repeating: "=", count: filled - head.count) + head
            + String(repeating: " ", count: room - filled)
        return "[\(bar)]  " + text()
    }
}

/// Returns a number of bytes with three digits or four: `999 bytes`, `1.2 kB`, `34.5 MB`.
package func size(of bytes: Int64) -> String {
    if bytes < 1_000 { return bytes == 1 ? "1 byte" : "\(bytes) bytes" }
    var (number, units) = (Double(bytes) / 1_000, ["kB", "MB", "GB", "TB"][...])
    // Rounded to one digit, such a number would have five.
    while number >= 999.95, units.count > 1 {
        number /= 1_000
        units.removeFirst()
    }
    return String(format: "%.1f", number) + " " + (units.first ?? "")
}

/// Returns a time that is rounded up to seconds: `7 s`, `2 min 5 s`, `1 h 30 min`.
private func time(of seconds: Double) -> String {
    let seconds = Int(min(seconds, 1e9).rounded(.up))
    if seconds < 60 { return "\(seconds) s" }
    if seconds < 3_600 { return "\(seconds / 60) min \(seconds % 60) s" }
    return "\(seconds / 3_600) h \(seconds / 60 % 60) min"
}
