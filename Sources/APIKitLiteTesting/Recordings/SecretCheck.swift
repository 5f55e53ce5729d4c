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

/// The form of usual tokens: how they begin, and how many letters and digits follow.
private struct TokenForm {
    let start: String
    let label: String
    /// The number of letters and digits in each part.
    let count: Int
    /// Whether a part may have more of them.
    var mayBeLonger = true
    /// What may be among them.
    var others = "_-"
    /// The number of parts, which dots separate.
    var partCount = 1

    private static let all =
        [
            TokenForm(start: "eyJ", label: "a JSON Web Token", count: 8, partCount: 2),
            TokenForm(start: "sk-", label: "an API key", count: 20),
            TokenForm(start: "AIza", label: "a key of Google", count: 35, mayBeLonger: false),
        ]
        + ["AKIA", "ASIA"].map {
            TokenForm(start: $0, label: "a key of AWS", count: 16, mayBeLonger: false, others: "")
        }
        + ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map {
            TokenForm(
                start: $0, label: "a token of GitHub", count: 36, mayBeLonger: false, others: "")
        }
        + ["xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-"].map {
            TokenForm(start: $0, label: "a token of Slack", count: 10)
        }
        + ["", "DSA ", "EC ", "ENCRYPTED ", "OPENSSH ", "PGP ", "RSA "].map {
            TokenForm(start: "-----BEGIN \($0)PRIVATE KEY", label: "a private key", count: 0)
        }

    private static let search = SecretSearch(
        all.map { Secret(value: $0.start, label: $0.label) }, isExact: true)

    /// Returns the first token in a text, and what it is.
    static func first(in text: [UInt8]) -> [(Range<Int>, String)] {
        let found = search.occurrences(in: text).first { found in
            all.contains { $0.start == found.secret.value && $0.isAt(found.range, in: text) }
        }
        return found.map { [($0.range, "what has the form of \($0.secret.label)")] } ?? []
    }

    /// Whether the text at a range, which is the beginning of the form, is a token.
    private func isAt(_ range: Range<Int>, in text: [UInt8]) -> Bool {
        // A token does not begin within a word, such as "task-".
        if let before = text[..<range.lowerBound].last, Self.isAlphanumeric(before) { return false }
        var rest = text[range.upperBound...].prefix(4_000)
        return (1...partCount).allSatisfy { part in
            let digits = rest.prefix { Self.isAlphanumeric($0) || others.utf8.contains($0) }
            rest = rest[digits.endIndex...]
            let isFollowed = part == partCount || rest.popFirst() == UInt8(ascii: ".")
            return isFollowed && (mayBeLonger ? digits.count >= count : digits.count == count)
        }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x61...0x7A ~= byte | 0x20
    }
}
