import APIKitLite
import Foundation

/// The search for secrets in the bytes of a finished archive.
///
/// It shares no code with what replaces them: it undoes encodings instead of applying them, and has
/// its own names. So a mistake there does not hide itself here.
struct SecretSearch {
    private let secrets: [Secret]
    private let redaction: Redaction

    init(for secrets: [Secret], _ redaction: Redaction) {
        self.secrets = secrets.filter { $0.value.utf8.count >= 8 }
        self.redaction = redaction
    }

    /// Returns the places of secrets, and what they are.
    func findings(in file: Data) -> [String] {
        let tree = try? JSONSerialization.jsonObject(with: file)
        let log = (tree as? [String: Any])?["log"] as? [String: Any]
        let entries = log?["entries"] as? [Any] ?? []
        return entries.enumerated().flatMap { index, entry in
            search(entry, at: "entry \(index + 1)", key: "")
        }
    }

    private func search(_ value: Any, at place: String, key: String) -> [String] {
        switch value {
        case let object as [String: Any]:
            let label = object["name"] as? String
            return object.sorted { $0.key < $1.key }.flatMap { name, member in
                let key = name == "value" ? label ?? name : name
                let step =
                    name == "value" && label != nil
                    ? " \(key)" : name == "text" ? ", body" : ", \(name)"
                return search(member, at: name == "name" ? place : place + step, key: key)
            }
        case let list as [Any]:
            return list.enumerated().flatMap { index, element in
                search(element, at: "\(place)[\(index)]", key: key)
            }
        case let text as String: return search(text: text, at: place, key: key)
        default: return []
        }
    }

    private func search(text: String, at place: String, key: String) -> [String] {
        let first = text.utf8.first { $0 > 0x20 }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
            let tree = try? JSONSerialization.jsonObject(with: Data(text.utf8))
        {
            return search(tree, at: "\(place), JSON", key: key)
        }
        if hasSecretName(key), !text.contains("REDACTED-"), text.utf8.count >= 8 {
            return ["\(place): a value with the name \(key)"]
        }
        for (noun, decoded) in decodings(of: text) {
            if let secret = secrets.first(where: { decoded.contains($0.value) }) {
                return ["\(place): \(secret.label)\(noun)"]
            }
        }
        return forms.compactMap { form, pattern in
            text.firstMatch(of: pattern).map { _ in "\(place): what has the form of \(form)" }
        }
    }

    private func hasSecretName(_ key: String) -> Bool {
        let name = key.lowercased().filter(\.isLetter)
        let endings = [
            "authorization", "cookie", "password", "passwd", "secret", "accesstoken",
            "refreshtoken", "idtoken", "authtoken", "apikey", "privatekey", "sessionid",
        ]
        return endings.contains(where: name.hasSuffix) && !redaction.shows(key)
    }

    /// The forms of usual tokens.
    private var forms: [(String, Regex<Substring>)] {
        [
            ("a JSON Web Token", /eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/),
            ("a private key", /-----BEGIN [A-Z ]*PRIVATE KEY/),
            ("a key of AWS", /AKIA[0-9A-Z]{16}/),
            ("a token of GitHub", /gh[pousr]_[A-Za-z0-9]{36}/),
            ("a token of Slack", /xox[abprs]-[A-Za-z0-9-]{10,}/),
            ("a key of Google", /AIza[0-9A-Za-z_-]{35}/),
            ("an API key", /sk-[A-Za-z0-9_-]{20,}/),
        ]
    }

    /// Returns a text with its encodings undone, and what to say of them.
    private func decodings(of text: String) -> [(noun: String, text: String)] {
        let once = unescaped(text)
        var results =
            [("", text)] + once.map { (", encoded", $0) }
            + once.flatMap(unescaped).map { (", encoded twice", $0) }
        for run in text.matches(of: /[A-Za-z0-9+\/_-]{10,}/) {
            let standard = run.output.replacingOccurrences(of: "-", with: "+")
                .replacingOccurrences(of: "_", with: "/")
            for offset in 0..<4 {
                let part = standard.dropFirst(offset)
                let whole = part.prefix(part.count / 4 * 4)
                let rest =
                    part.count % 4 > 1 ? String(repeating: "=", count: 4 - part.count % 4) : ""
                let padded = rest.isEmpty ? String(whole) : part + rest
                if let data = Data(base64Encoded: padded) {
                    results.append((", in Base64", String(decoding: data, as: UTF8.self)))
                }
            }
        }
        for run in text.matches(of: /(?:[0-9A-Fa-f]{2}){8,}/) {
            let digits = Array(run.output.utf8)
            let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
            }
            results.append((", in hexadecimal digits", String(decoding: bytes, as: UTF8.self)))
        }
        return results
    }

    /// Returns a text without percent escapes, and without those of JSON, if it has any.
    private func unescaped(_ text: String) -> [String] {
        var results: [String] = []
        if text.contains("%") || text.contains("+") {
            results += [text, text.replacingOccurrences(of: "+", with: " ")]
                .compactMap(\.removingPercentEncoding)
        }
        if text.contains("\\"),
            let plain = try? JSONSerialization.jsonObject(
                with: Data("\"\(text)\"".utf8), options: .fragmentsAllowed)
        {
            results.append(plain as? String ?? "")
        }
        return results
    }
}
