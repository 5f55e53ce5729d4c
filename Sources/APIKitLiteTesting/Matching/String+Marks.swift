import APIKitLite
import Foundation

extension String {
    /// Returns whether a request's text equals this text byte for byte.
    ///
    /// - Parameter marks: Whether each mark in this text, such as `REDACTED-1`, matches any
    ///   nonempty text.
    func matches(_ live: String?, marks: Bool) -> Bool {
        guard let live, !hasSameBytes(as: live) else { return live != nil }
        guard marks, contains(Redaction.mark) else { return false }
        let texts = splitAtMarks.texts.map { Data($0.utf8) }
        var rest = Data(live.utf8)
        guard rest.starts(with: texts[0]) else { return false }
        rest = rest.dropFirst(texts[0].count)
        for text in texts.dropFirst().dropLast() where !text.isEmpty {
            guard let found = rest.dropFirst().range(of: text) else { return false }
            rest = rest[found.upperBound...]
        }
        let end = texts[texts.count - 1]
        return rest.count > end.count && rest.suffix(end.count) == end
    }
}

extension Data {
    /// Returns whether a request's bytes equal these bytes. In text, marks match as in
    /// `String.matches(_:marks:)`.
    func matches(_ live: Data, marks: Bool) -> Bool {
        if self == live || !marks { return self == live }
        guard let text = exactText(self), let live = exactText(live) else { return false }
        return text.matches(live, marks: true)
    }
}
