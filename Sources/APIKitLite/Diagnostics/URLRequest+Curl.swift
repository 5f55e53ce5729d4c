import Foundation

extension URLRequest {
    /// A command for `sh` that sends this request, on one line.
    ///
    /// - Parameter redacting: What to leave out. With `.none` the command sends the same method,
    ///   headers and body; a body that comes from a stream cannot be shown and is named instead.
    public func curlCommand(redacting: Redaction = .standard) -> String {
        curlCommand(redacting: redacting, longestBody: .max)
    }

    func curlCommand(redacting: Redaction, longestBody: Int) -> String {
        let url = redacting.url(url?.absoluteString ?? "")
        let body = curlBody(redacting, longest: longestBody)
        let method = httpMethod ?? "GET"

        var words = ["curl"]
        // curl reads [] and {} as patterns, and folds "/../".
        if url.utf8.contains(where: { "[]{}".utf8.contains($0) }) { words.append("--globoff") }
        if url.contains("/.") { words.append("--path-as-is") }
        if method == "HEAD", body == nil {
            words.append("--head")
        } else if method != "GET" || body != nil {
            words += ["-X", shellQuoted(method, unlessWord: true)]
        }
        words.append(shellQuoted(url))
        for (name, value) in (allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            let shown = redacting.headerValue(value, named: name)
            // "Name:" would take the header away.
            let isBlank = shown.allSatisfy { $0 == " " || $0 == "\t" }
            words += ["-H", shellQuoted(isBlank ? name + ";" : name + ": " + shown)]
        }
        guard let body else { return words.joined(separator: " ") }
        if value(forHTTPHeaderField: "Content-Type") == nil { words += ["-H", "'Content-Type:'"] }
        return body.command(words)
    }

    private func curlBody(_ redaction: Redaction, longest: Int) -> CurlBody? {
        let type = value(forHTTPHeaderField: "Content-Type")
        if let body = httpBody {
            if body.count <= longest,
                let text = redaction.body(body, contentType: type), !text.utf8.contains(0)
            {
                return CurlBody(bytes: Data(text.utf8), isText: true)
            }
            if redaction.isEmpty { return CurlBody(bytes: body, isText: false) }
            let placeholder = redaction.placeholder(for: body, contentType: type)
            return CurlBody(bytes: Data(placeholder.utf8), isText: true)
        }
        guard httpBodyStream != nil else { return nil }
        let placeholder = redaction.placeholder(size: "a stream, not read", contentType: type)
        return CurlBody(bytes: Data(placeholder.utf8), isText: true)
    }
}

/// A body on its way into a shell command.
private struct CurlBody {
    let bytes: Data
    let isText: Bool

    /// Linux takes 128 KiB in one argument.
    private static let longestArgument = 100_000

    func command(_ words: [String]) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        let words = words.joined(separator: " ")
        if isText, bytes.count <= Self.longestArgument {
            return words + " --data-raw " + shellQuoted(text)
        }
        // Built into the shell, so its arguments have no limit.
        let source = isText ? "printf %s " + shellQuoted(text) : "printf '" + octal + "'"
        // Without "Expect:" curl would wait for a word of the server before it sends a large body.
        let expect = bytes.count > Self.longestArgument ? " -H 'Expect:'" : ""
        return source + " | " + words + expect + " --data-binary @-"
    }

    /// Each byte for `printf`, in the one way that dash and bash read alike.
    private var octal: String {
        bytes.map { byte in
            let digits = String(byte, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }.joined()
    }
}

private func shellQuoted(_ text: String, unlessWord: Bool = false) -> String {
    if unlessWord, !text.isEmpty, text.utf8.allSatisfy({ 65...90 ~= $0 }) { return text }
    return "'" + text.replacingOccurrences(of: "'", with: #"'\''"#) + "'"
}
