import APIKitLite
import Foundation

/// The search for secrets in a file, by the rules by which they are hidden when a file is written.
struct SecretSearch {
    /// A secret in a file.
    struct Finding {
        /// Its place, and what it is.
        let text: String
        /// The name of the value in which it is; nil if it has none.
        let name: String?
    }

    let redaction: Redaction
    /// The secrets that must not occur anywhere.
    let index: SecretIndex

    /// Returns the secrets in a file: in its entries, in everything that replay does not read, and
    /// in the files that it names.
    func findings(in node: HARNode, key: String = "") throws -> [Finding] {
        switch node.value {
        case .array: return try node.list().flatMap { try findings(in: $0, key: key) }
        case .object(var members):
            var findings: [Finding] = []
            if let name = node["name"].text, let value = members["value"]?.scalar {
                members["value"] = nil
                findings +=
                    key == "cookies"
                    ? self.findings(
                        in: "\(name)=\(value)".utf8, at: .named("Cookie"), node["value"])
                    : self.findings(in: value.utf8, at: .named(name), node["value"])
            }
            if node["text"].text != nil || node["_file"].text != nil {
                members["text"] = nil
                let type = node["mimeType"].text.flatMap {
                    ["", "x-unknown"].contains($0) ? nil : $0
                }
                findings += self.findings(
                    in: try node.body, at: .body(contentType: type), node["text"])
            }
            if !redaction.values.isEmpty, try node.hasCompressedBody {
                findings.append(
                    Finding(
                        text:
                            "\(node.path): its body is compressed, so no value can be found in it",
                        name: nil))
            }
            return try findings
                + members.sorted { $0.key < $1.key }.flatMap {
                    try self.findings(in: node[$0.key], key: $0.key)
                }
        default:
            guard let text = node.text else { return [] }
            // Other programs add fields of their own.
            let isSecret = Redaction.standard.hides(key, text, isKey: true)
            return findings(in: text.utf8, at: isSecret ? .named(key) : .plain, node)
        }
    }

    private func findings(
        in text: some Sequence<UInt8>, at place: TextPlace, _ node: HARNode
    ) -> [Finding] {
        let text = Array(text)
        var findings: [Finding] = []
        var values: [NamedValue] = []
        _ = NamedValue.edits(of: text, at: place) { value in
            if value.isHidden(by: redaction) {
                findings.append(
                    Finding(
                        text: "\(node.path): the value of the \(value.kind) \(value.name)",
                        name: value.name))
            }
            values.append(value)
            return nil
        }
        if !findings.isEmpty { return findings }
        let found =
            index.occurrences(in: text).map { ($0.range, $0.secret.label + $0.encoding) }
            + TokenForm.occurrences(in: text)
        return found.map { range, what in
            let named = values.last { $0.range.contains(range.lowerBound) && !$0.name.isEmpty }
            return Finding(
                text: "\(node.path)\(named.map { ", \($0.name)" } ?? ""): \(what)",
                name: named?.name)
        }
    }
}

/// The forms of usual tokens.
private struct TokenForm {
    /// The name of the form, the text with which its tokens begin, and a pattern.
    private static let all: [(name: String, start: String, pattern: NSRegularExpression)] = [
        ("a JSON Web Token", "eyJ", "[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}"),
        ("a private key", "-----BEGIN ", "[A-Z ]*PRIVATE KEY"),
        ("a key of AWS", "AKIA", "[0-9A-Z]{16}"), ("a key of AWS", "ASIA", "[0-9A-Z]{16}"),
        ("a token of GitHub", "gh", "[pousr]_[A-Za-z0-9]{36}"),
        ("a token of Slack", "xox", "[abprs]-[A-Za-z0-9-]{10,}"),
        ("a key of Google", "AIza", "[0-9A-Za-z_-]{35}"),
        ("an API key", "sk-", "[A-Za-z0-9_-]{20,}"),
    ].compactMap { name, start, pattern in
        // Not within a word, such as the "sk-" of "task-".
        let expression = try? NSRegularExpression(pattern: "(?<![A-Za-z0-9])" + start + pattern)
        return expression.map { (name, start, $0) }
    }

    private static let starts = SecretIndex(all.map { Secret(value: $0.start, label: $0.name) })

    /// Returns the first token in a text.
    static func occurrences(in text: [UInt8]) -> [(Range<Int>, String)] {
        var found: [(Range<Int>, String)] = []
        forEachReading(of: text) { reading in
            guard found.isEmpty, !starts.matches(in: reading.bytes).isEmpty else { return }
            // In Latin-1, each byte is a character, so that the range is one of bytes.
            let text = String(data: Data(reading.bytes), encoding: .isoLatin1) ?? ""
            let whole = NSRange(location: 0, length: reading.bytes.count)
            for form in all {
                let match = form.pattern.firstMatch(in: text, range: whole)
                guard let range = match.flatMap({ Range<Int>($0.range) }) else { continue }
                let what = "what has the form of \(form.name)\(reading.encoding)"
                found = [(reading.range(range), what)]
            }
        }
        return found
    }
}
