import Foundation

/// The numbered marks for the secrets in one archive, one mark for each secret.
final class SecretMarks: Sendable, Equatable {
    private let numbers: Locked<(last: Int, of: [String: Int])>

    init(after last: Int) {
        numbers = Locked((last, [:]))
    }

    /// Returns the mark for a secret and for `otherForm`, such as the token in a secret header.
    func mark(_ secret: String, otherForm: String) -> String {
        numbers.withLock { numbers in
            let known = numbers.of[secret] ?? numbers.of[otherForm]
            let number = known ?? numbers.last + 1
            numbers.last = max(numbers.last, number)
            for form in [secret, otherForm] { numbers.of[form] = number }
            return "\(Redaction.mark)-\(number)"
        }
    }

    static func == (left: SecretMarks, right: SecretMarks) -> Bool { left === right }
}

extension Redaction {
    /// Returns this redaction with numbered marks.
    package func numbering(after last: Int) -> Redaction {
        changed { $0.marks = SecretMarks(after: last) }
    }

    /// Returns the text that replaces a secret. With numbered marks, `otherForm ?? secret` is
    /// returned unchanged if it is already a mark.
    func mark(_ secret: String, otherForm: String? = nil) -> String {
        let form = otherForm ?? secret
        guard let marks else { return Self.mark }
        return form.isMark ? form : marks.mark(secret, otherForm: form)
    }
}

extension String {
    /// The text before, between and after the marks, and the numbers of the numbered marks.
    package var splitAtMarks: (texts: [Substring], numbers: [Int]) {
        let parts = components(separatedBy: Redaction.mark).map { $0[...] }
        let digits = parts.dropFirst().map { part in
            part.first == "-" ? part.dropFirst().prefix { "0"..."9" ~= $0 } : ""
        }
        let texts = zip(parts.dropFirst(), digits).map { $1.isEmpty ? $0 : $0[$1.endIndex...] }
        // A mark's number has fewer than ten digits.
        return (parts.prefix(1) + texts, digits.compactMap { $0.count < 10 ? Int($0) : nil })
    }

    var isMark: Bool { hasPrefix(Redaction.mark) && splitAtMarks.texts == ["", ""] }
}
