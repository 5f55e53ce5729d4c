import APIKitLite
import Foundation

/// The check of a file for secrets, by the rules by which they are hidden when a file is written.
struct SecretCheck {
    /// The place of a secret in a file and what it is, and the name of the value in which it is.
    typealias Finding = (text: String, name: String?)

    let walk: ValueWalk
    /// The search for the secrets that must not occur anywhere.
    let search: SecretSearch

    /// Returns the secrets in a file: in its entries, in everything that replay does not read, and
    /// in the files that it names.
    func findings(in node: HARNode, key: String = "") throws -> [Finding] {
        switch node.value {
        case .array: return try node.list().flatMap { try findings(in: $0, key: key) }
        case .object(var members):
            var findings: [Finding] = []
            if let name = node["name"].text, let value = members["value"]?.scalar {
                members["value"] = nil
                let isCookie = key == "cookies"
                findings += self.findings(
                    in: Array((isCookie ? "\(name)=\(value)" : value).utf8),
                    at: .named(isCookie ? "Cookie" : name), node["value"])
            }
            if node["text"].text != nil || node["_file"].text != nil {
                members["text"] = nil
                let type = node["mimeType"].text.flatMap {
                    ["", "x-unknown"].contains($0) ? nil : $0
                }
                findings += self.findings(
                    in: Array(try node.body), at: .body(contentType: type), node["text"])
            }
            if try node.isStillCompressed
                || !walk.redaction.values.isEmpty && node.hasUnsearchableBody
            {
                let reason = "its body is compressed, so no value can be found in it"
                findings.append(("\(node.path): \(reason)", nil))
            }
            return try findings
                + members.sorted { $0.key < $1.key }.flatMap {
                    try self.findings(in: node[$0.key], key: $0.key)
                }
        default:
            guard let text = node.text else { return [] }
            // Other programs add fields of their own.
            let isSecret =
                walk.name(key).mayBeSecret && walk.redaction.hides(key, text, isKey: true)
            return findings(in: Array(text.utf8), at: isSecret ? .named(key) : .plain, node)
        }
    }

    private func findings(in text: [UInt8], at place: TextPlace, _ node: HARNode) -> [Finding] {
        var findings: [Finding] = []
        _ = walk.edits(of: text, at: place) { value in
            if walk.hides(value) {
                let what = "the value of the \(value.kind) \(value.name)"
                findings.append(("\(node.path): \(what)", value.name))
            }
            return nil
        }
        if !findings.isEmpty { return findings }
        // Ten places show where the others come from.
        let found =
            search.occurrences(in: text).prefix(10).map { ($0.range, $0.secret.label + $0.form) }
            + TokenForm.first(in: text)
        if found.isEmpty { return [] }
        let values = walk.values(
            in: text, at: place, near: found.map(\.0).sorted { $0.lowerBound < $1.lowerBound })
        return found.map { range, what in
            let named = values.last { $0.range.overlaps(range) && !$0.name.isEmpty }
            return ("\(node.path)\(named.map { ", \($0.name)" } ?? ""): \(what)", named?.name)
        }
    }
}

/// The forms of usual tokens.
private enum TokenForm {
    /// The text with which a token begins, the name of its form, and a pattern of the rest.
    private static let all =
        [
            ("eyJ", "a JSON Web Token", "[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}"),
            ("-----BEGIN ", "a private key", "[A-Z ]*PRIVATE KEY"),
            ("AKIA", "a key of AWS", "[0-9A-Z]{16}\\b"),
            ("ASIA", "a key of AWS", "[0-9A-Z]{16}\\b"),
            ("xox", "a token of Slack", "[abprs]-[A-Za-z0-9-]{10,}"),
            ("AIza", "a key of Google", "[0-9A-Za-z_-]{35}\\b"),
            ("sk-", "an API key", "[A-Za-z0-9_-]{20,}"),
        ]
        + ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map { ($0, "a token of GitHub", "\\w{36}\\b") }

    private static let search = SecretSearch(
        all.map { Secret(value: $0.0, label: $0.1) }, isExact: true)

    /// Returns the first token in a text, and what it is.
    static func first(in text: [UInt8]) -> [(Range<Int>, String)] {
        for start in search.occurrences(in: text) {
            // A token does not begin within a word, such as "task-". In Latin-1, each byte is a
            // character.
            let slice = text[max(0, start.range.lowerBound - 1)...].prefix(4_000)
            let pattern = all.first { $0.0 == start.secret.value }?.2 ?? ""
            let token = String(bytes: slice, encoding: .isoLatin1)?.range(
                of: "^[^A-Za-z0-9]?" + start.secret.value + pattern, options: .regularExpression)
            if token != nil { return [(start.range, "what has the form of \(start.secret.label)")] }
        }
        return []
    }
}
