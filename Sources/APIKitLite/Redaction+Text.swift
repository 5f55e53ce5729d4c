import Foundation

extension Redaction {
    /// Text may hold a URL that holds text, and so on. Deeper than this, nothing is shown.
    private static let maximumDepth = 6

    /// A URL without user info and without the values of secret query items.
    package func url(_ url: String) -> String {
        isEmpty ? url : reference(url, depth: 0)
    }

    /// Text with the URLs in it redacted, relative ones included; JSON as a body would be.
    package func text(_ text: String) -> String {
        isEmpty ? text : self.text(text, depth: 0)
    }

    /// Form fields or query items, the secret ones without their values.
    func items(_ items: String) -> String {
        isEmpty ? items : self.items(items, depth: 0)
    }

    /// What to change in JSON so that it shows no secret.
    func edits(in json: JSONText) -> [Edit] {
        isEmpty ? [] : edits(in: json, json.root, depth: 0)
    }

    private func text(_ text: String, depth: Int) -> String {
        let mayBeJSON = text.utf8.first { $0 > 0x20 }.map { "{[".utf8.contains($0) } ?? false
        let mayHoldURL = text.utf8.contains { "?#/".utf8.contains($0) }
        guard mayBeJSON || mayHoldURL else { return text }
        guard depth < Self.maximumDepth else { return Self.mark }
        if mayBeJSON, let json = try? JSONText(text.utf8) {
            let edits = edits(in: json, json.root, depth: depth)
            return String(decoding: Edit.apply(edits, to: json.bytes), as: UTF8.self)
        }
        guard mayHoldURL else { return text }
        // A URL ends where no URL goes on. Rather too late than too early: the rest of a secret
        // would be left standing.
        var result = ""
        var rest = text.utf8[...]
        while !rest.isEmpty {
            let word = rest.prefix { $0 > 0x20 && !"\"<>".utf8.contains($0) }
            result += reference(String(decoding: word, as: UTF8.self), depth: depth)
            rest = rest[word.endIndex...]
            let gap = rest.prefix { $0 <= 0x20 || "\"<>".utf8.contains($0) }
            result += String(decoding: gap, as: UTF8.self)
            rest = rest[gap.endIndex...]
        }
        return result
    }

    /// A URL or a part of one: `//user@host/path`, then items after `?`, then items after `#`.
    private func reference(_ reference: String, depth: Int) -> String {
        let path = reference.utf8.prefix { !"?#".utf8.contains($0) }
        let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let head = segments.indices.map { index in
            // Backslashes: JSON that was not unescaped writes "https:\/\/".
            let isAuthority =
                index >= 2 && segments[index - 1].allSatisfy { $0 == UInt8(ascii: "\\") }
            return segment(segments[index], isAuthority: isAuthority, depth: depth)
        }.joined(separator: "/")

        let query = reference.utf8[path.endIndex...]
        guard let mark = query.first else { return head }
        // A fragment may hold items as well: OAuth hands tokens over in one.
        let parts = query.dropFirst().split(
            separator: UInt8(ascii: "#"), omittingEmptySubsequences: false)
        let tail = parts.map { items(String(decoding: $0, as: UTF8.self), depth: depth) }
        return head + String(UnicodeScalar(mark)) + tail.joined(separator: "#")
    }

    private func segment(_ bytes: Substring.UTF8View, isAuthority: Bool, depth: Int) -> String {
        guard isAuthority, let at = bytes.lastIndex(of: UInt8(ascii: "@")) else {
            return decoded(String(decoding: bytes, as: UTF8.self), .pathValue, depth: depth)
        }
        return Self.mark + String(decoding: bytes[at...], as: UTF8.self)
    }

    private func items(_ items: String, depth: Int) -> String {
        items.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            .map { item(String(decoding: $0, as: UTF8.self), depth: depth) }
            .joined(separator: "&")
    }

    private func item(_ item: String, depth: Int) -> String {
        // Some servers part items with a semicolon, and HTML writes `&amp;`. Whatever follows a
        // secret may belong to it.
        let pieces = item.utf8.split(
            separator: UInt8(ascii: ";"), omittingEmptySubsequences: false
        ).map { String(decoding: $0, as: UTF8.self) }
        let marks = pieces.lazy.map(marked)
        let open = pieces.indices.first { marks[$0] != nil } ?? pieces.endIndex
        var shown: [String] = []
        if open > 0 {
            let (name, value) = nameAndValue(pieces[..<open].joined(separator: ";"))
            let parts = [name, value].compactMap(\.self)
            shown.append(
                parts.map { decoded($0, .query, depth: depth) }.joined(separator: "="))
        }
        if open < pieces.endIndex { shown += [marks[open]].compactMap(\.self) }
        return shown.joined(separator: ";")
    }

    /// What is shown of an item that holds a secret; nil for one that holds none.
    private func marked(_ item: String) -> String? {
        let (name, value) = nameAndValue(item)
        let plainName = PercentEncoding.decode(name, plusIsSpace: true)
        guard isSecret(plainName) else { return nil }
        if value != nil { return name + "=" + Self.mark }
        // A name alone is no secret, but more than a name may be: "token%3Dhunter2".
        return hides(plainName) ? nil : Self.mark
    }

    private func nameAndValue(_ item: String) -> (String, String?) {
        let name = item.utf8.prefix { $0 != UInt8(ascii: "=") }
        let value = item.utf8[name.endIndex...]
        return (
            String(decoding: name, as: UTF8.self),
            value.isEmpty ? nil : String(decoding: value.dropFirst(), as: UTF8.self)
        )
    }

    /// The name as a whole, or one of its words: `user[password]`, `/route?token`.
    package func isSecret(_ name: String) -> Bool {
        hides(name)
            || name.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
                .contains { hides(String($0)) }
    }

    /// Escaped text, unescaped and escaped again only if there is a secret in it.
    private func decoded(_ text: String, _ encoding: PercentEncoding, depth: Int) -> String {
        let plain = PercentEncoding.decode(text, plusIsSpace: true)
        let shown = self.text(plain, depth: depth + 1)
        return shown == plain ? text : encoding.encode(shown)
    }

    private func edits(in json: JSONText, _ value: JSONText.Value, depth: Int) -> [Edit] {
        switch value.kind {
        case .object(let members):
            return members.flatMap { member in
                let key = edits(ofStringIn: json, at: member.keyRange, depth: depth)
                guard hides(member.key) else {
                    return key + edits(in: json, member.value, depth: depth)
                }
                // That there is no secret is none.
                if case .null = member.value.kind { return key }
                let mark = JSONText.quoted(Self.mark)
                return key + [Edit(range: member.value.range, replacement: Array(mark.utf8))]
            }
        case .array(let elements):
            return elements.flatMap { edits(in: json, $0, depth: depth) }
        case .string:
            return edits(ofStringIn: json, at: value.range, depth: depth)
        case .number, .boolean, .null:
            return []
        }
    }

    private func edits(ofStringIn json: JSONText, at range: Range<Int>, depth: Int) -> [Edit] {
        let plain = json.string(at: range)
        let shown = text(plain, depth: depth + 1)
        guard shown != plain else { return [] }
        return [Edit(range: range, replacement: Array(JSONText.quoted(shown).utf8))]
    }
}
