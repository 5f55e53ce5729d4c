import APIKitLite
import Foundation

/// The search for secrets in the bytes of a finished archive.
///
/// The search finds mistakes of the replacement, because it works differently: it undoes encodings
/// instead of applying them, and has its own list of secret names.
struct SecretSearch {
    private let secrets: [Secret]
    private let redaction: Redaction
    /// The forms of usual tokens.
    private let forms: [(name: String, pattern: NSRegularExpression)] = [
        ("a JSON Web Token", "eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}"),
        ("a private key", "-----BEGIN [A-Z ]*PRIVATE KEY"),
        ("a key of AWS", "A[KS]IA[0-9A-Z]{16}"),
        ("a token of GitHub", "gh[pousr]_[A-Za-z0-9]{36}"),
        ("a token of Slack", "xox[abprs]-[A-Za-z0-9-]{10,}"),
        ("a key of Google", "AIza[0-9A-Za-z_-]{35}"),
        ("an API key", "sk-[A-Za-z0-9_-]{20,}"),
    ].compactMap { name, pattern in
        (try? NSRegularExpression(pattern: pattern)).map { (name, $0) }
    }

    init(for secrets: [Secret], _ redaction: Redaction) {
        self.secrets = secrets
        self.redaction = redaction
    }

    /// A secret in a file.
    struct Finding {
        /// Its place, and what it is.
        let text: String
        /// The name of the value in which it is; nil if it has none.
        let key: String?
    }

    /// Returns the secrets in a file.
    func findings(in file: Data) -> [Finding] {
        let tree = try? JSONSerialization.jsonObject(with: file)
        let log = (tree as? [String: Any])?["log"] as? [String: Any]
        let entries = log?["entries"] as? [Any] ?? []
        return entries.enumerated().flatMap { index, entry in
            search(entry, at: "entry \(index + 1)", key: "entry")
        }
    }

    private func search(_ value: Any, at place: String, key: String) -> [Finding] {
        switch value {
        case let object as [String: Any]:
            var object = object
            if let text = object["text"] as? String,
                [object["encoding"], object["_encoding"]].contains(where: {
                    $0 as? String == "base64"
                }),
                let data = Data(base64Encoded: text)
            {
                object["text"] = String(decoding: data, as: UTF8.self)
            }
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

    private func search(text: String, at place: String, key: String) -> [Finding] {
        // The URL and the text of a body are no values with a name.
        func finding(_ what: String) -> Finding {
            Finding(text: "\(place): \(what)", key: ["url", "text"].contains(key) ? nil : key)
        }
        let first = text.utf8.first { $0 > 0x20 }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
            let tree = try? JSONSerialization.jsonObject(with: Data(text.utf8))
        {
            return search(tree, at: "\(place), JSON", key: key)
        }
        if hasSecretName(key), !text.contains("REDACTED-"), text.utf8.count >= 8 {
            return [finding("a value with the name \(key)")]
        }
        for (noun, decoded) in decodings(of: text) {
            if let secret = secrets.first(where: {
                decoded.range(of: $0.value, options: .literal) != nil
            }) {
                return [finding(secret.label + noun)]
            }
            let whole = NSRange(decoded.startIndex..., in: decoded)
            if let form = forms.first(where: {
                $0.pattern.firstMatch(in: decoded, range: whole) != nil
            }) {
                return [finding("what has the form of \(form.name)\(noun)")]
            }
        }
        return []
    }

    private func hasSecretName(_ key: String) -> Bool {
        let name = key.lowercased().filter(\.isLetter)
        let endings = [
            "authorization", "cookie", "password", "passwd", "secret", "accesstoken",
            "refreshtoken", "idtoken", "authtoken", "apikey", "privatekey", "sessionid",
        ]
        return endings.contains(where: name.hasSuffix) && !redaction.shows(key)
    }

    /// Returns a text in each of its decodings, and the end of the finding about each.
    private func decodings(of text: String) -> [(noun: String, text: String)] {
        let once = unescaped(text)
        var results =
            [("", text)] + once.map { (", encoded", $0) }
            + once.flatMap(unescaped).map { (", encoded twice", $0) }
        // The same as a search for `[A-Za-z0-9+/_-]{10,}`, only faster.
        for run in text.utf8.split(whereSeparator: { !isBase64[Int($0)] }) where run.count >= 10 {
            let standard = run.map { byte in
                switch byte {
                case UInt8(ascii: "-"): UInt8(ascii: "+")
                case UInt8(ascii: "_"): UInt8(ascii: "/")
                default: byte
                }
            }
            for offset in 0..<4 {
                var part = Data(standard.dropFirst(offset))
                if part.count % 4 == 1 { part.removeLast() }
                part += Data(repeating: UInt8(ascii: "="), count: (4 - part.count % 4) % 4)
                if let data = Data(base64Encoded: part) {
                    results.append((", in Base64", String(decoding: data, as: UTF8.self)))
                }
            }
        }
        for run in text.utf8.split(whereSeparator: { hexDigit($0) == nil }) where run.count >= 16 {
            let digits = run.compactMap(hexDigit)
            let bytes = stride(from: 0, to: digits.count - 1, by: 2).map {
                digits[$0] << 4 | digits[$0 + 1]
            }
            results.append((", in hexadecimal digits", String(decoding: bytes, as: UTF8.self)))
        }
        return results
    }

    /// Returns a text without percent escapes, and without JSON escapes, if it has any.
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

/// Whether a byte is one of Base64 or of Base64 for URLs (RFC 4648).
private let isBase64: [Bool] = (0..<256).map { byte in
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
    return letters.utf8.contains(UInt8(byte))
}
