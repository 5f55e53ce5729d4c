import APIKitLite
import Foundation

/// A value that must not be in a file.
struct Secret {
    let value: String
    /// The origin of the value, such as `the value of the header Authorization`.
    let label: String
}

/// The placeholders that replace secrets in an archive: `REDACTED-1`, and `REDACTED-NUMBER-2` for a
/// number in JSON.
struct Placeholders {
    /// The number of bytes from which a value is replaced wherever it occurs. A shorter value is
    /// replaced only where its name says that it is a secret.
    private static let shortest = 8

    let redaction: Redaction
    /// The secrets that are replaced wherever they occur, in order.
    private(set) var secrets: [Secret]
    /// The numbers of the placeholders by values. The key of a short value also contains its name.
    private var numbers: [String: Int] = [:]
    private var lastNumber: Int
    /// The names in the archive. A value that equals a name is replaced only at its own place.
    private var names: Set<String> = []
    /// The spellings of the secrets, by their values.
    private var spellings: [String: [Spelling]] = [:]

    /// Creates the placeholders for an archive, which may have some already.
    init(_ redaction: Redaction, after archive: HTTPArchive) {
        self.redaction = redaction
        // Only the exchanges of a file have placeholders.
        let text = archive.contains { $0.place != nil } ? archive.text : ""
        lastNumber = Placeholder.all(in: text).compactMap { Int($0.number) }.max() ?? 0
        secrets =
            redaction.values.map { Secret(value: $0, label: "a value of the redaction") }
            + Self.environmentSecrets
    }

    /// The values of the environment variables with secret names.
    static var environmentSecrets: [Secret] {
        ProcessInfo.processInfo.environment.sorted { $0.key < $1.key }
            // `PWD` is the working directory.
            .filter {
                $0 != "PWD" && Redaction.standard.hides($0, $1) && $1.utf8.count >= shortest
            }
            .map { Secret(value: $1, label: "the value of the environment variable \($0)") }
    }

    /// Returns the placeholder for a value; nil if the redaction shows the value, or if the value
    /// is a placeholder already.
    mutating func replacement(for value: NamedValue) -> String? {
        names.insert(value.name)
        guard value.isHidden(by: redaction), !Placeholder.isWhole(value.value) else {
            return nil
        }
        add(value.value, label: "the value of the \(value.kind) \(value.name)")
        let isShort = value.value.utf8.count < Self.shortest
        let number = number(of: isShort ? "\(value.name)\0\(value.value)" : value.value)
        return switch value.encoding {
        case .plain: "REDACTED-\(number)"
        case .json: "\"REDACTED-\(number)\""
        case .jsonNumber: "\"REDACTED-NUMBER-\(number)\""
        }
    }

    /// Adds a secret, unless it is known already.
    mutating func add(_ value: String, label: String) {
        if value.utf8.count >= Self.shortest, !secrets.contains(where: { $0.value == value }) {
            secrets.append(Secret(value: value, label: label))
        }
    }

    private mutating func number(of key: String) -> Int {
        if let number = numbers[key] { return number }
        lastNumber += 1
        numbers[key] = lastNumber
        return lastNumber
    }

    /// Returns where a text contains secrets in any encoding, and what replaces them, in order.
    mutating func occurrences(in text: [UInt8]) -> [(range: Range<Int>, text: String)] {
        var found: [(range: Range<Int>, text: String)] = []
        for secret in secrets where !names.contains(secret.value) {
            let known = spellings[secret.value] ?? secret.spellings
            spellings[secret.value] = known
            for spelling in known {
                for range in spelling.ranges(in: text)
                where !found.contains(where: { $0.range.overlaps(range) }) {
                    found.append((range, "REDACTED-\(number(of: secret.value))"))
                }
            }
        }
        return found.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }
}

/// A way to write a value: for each of its characters, the byte sequences that may stand for it.
private struct Spelling {
    let characters: [[[UInt8]]]

    /// Returns where the value is written in a text.
    func ranges(in text: [UInt8]) -> [Range<Int>] {
        let firstBytes = Set(characters.first?.compactMap(\.first) ?? [])
        var ranges: [Range<Int>] = []
        var start = 0
        while start < text.count {
            if firstBytes.contains(text[start]), let end = end(in: text, from: start) {
                ranges.append(start..<end)
                start = end
            } else {
                start += 1
            }
        }
        return ranges
    }

    private func end(in text: [UInt8], from start: Int) -> Int? {
        var index = start
        for sequences in characters {
            guard let found = sequences.first(where: text[index...].starts) else { return nil }
            index += found.count
        }
        return index
    }
}

extension Secret {
    /// The value as it is; in JSON, percent-encoded or in a form, once or twice; in hexadecimal
    /// digits; and in Base64 at each of the three positions in a group.
    fileprivate var spellings: [Spelling] {
        let inText = value.unicodeScalars.map { scalar in
            let percent = percentEncoded(String(scalar))
            let units = String(scalar).utf16.map {
                let digits = String($0, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
            let quoted = JSONText.escaped(String(scalar))
            let escapes = [quoted, "\\\(scalar)", units].filter { $0 != String(scalar) }
            let twice = escapes.map(JSONText.escaped)
            let texts =
                [percent, percent.replacing("%", with: "%25")] + escapes + twice
                + escapes.map(percentEncoded)
                + (scalar == " " ? ["+", "%2B"] : [])
            // The digits of an escape may be capitals or small letters.
            return texts + texts.map { $0.lowercased() } + [String(scalar)]
        }
        let digits = value.utf8.map { [hexadecimal($0), hexadecimal($0).lowercased()] }
        let base64 = (0..<3).map { count in
            charactersInBase64(after: count).map { character in
                switch character {
                case "+", "-": ["+", "-"]
                case "/", "_": ["/", "_"]
                default: [String(character)]
                }
            }
        }
        return ([inText, digits] + base64).map { characters in
            Spelling(
                characters: characters.map { texts in
                    texts.map { Array($0.utf8) }.sorted { $0.count > $1.count }
                })
        }
    }

    /// Returns the Base64 characters that depend only on the value, if `count` bytes precede it.
    private func charactersInBase64(after count: Int) -> String {
        let size = count + value.utf8.count
        let text = Data(repeating: 0, count: count) + Data(value.utf8)
        return String(
            text.base64EncodedString().prefix(size * 8 / 6).dropFirst((count * 8 + 5) / 6))
    }
}

private func percentEncoded(_ text: String) -> String {
    text.utf8.map { "%" + hexadecimal($0) }.joined()
}

private func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16).uppercased()
}
