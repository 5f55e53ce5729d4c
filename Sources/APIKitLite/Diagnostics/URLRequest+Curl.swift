import Foundation

extension URLRequest {
    /// Returns a curl command for `sh` that sends this request.
    ///
    /// The command is on one line, unless a body that is shown contains line breaks. A body stream
    /// is not read; a placeholder is shown in its place.
    ///
    /// - Parameter redacting: The secrets to hide. With ``Redaction/none`` the command sends the
    ///   same method, headers and body.
    /// - Returns: The command.
    public func curlCommand(redacting: Redaction = .standard) -> String {
        curlCommand(redacting: redacting, longestBody: .max)
    }

    /// Returns a curl command, with a placeholder for a body of more than `longestBody` bytes.
    func curlCommand(redacting: Redaction, longestBody: Int) -> String {
        let url = redacting.url(url?.absoluteString ?? "")
        let body = curlBody(redacting, longest: longestBody)
        let method = httpMethod ?? "GET"

        var words = ["curl"]
        // By default, curl expands [] and {} as patterns, and removes "/../" from a path.
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
            // For curl, "Name:" removes a header, and "Name;" sends it with an empty value.
            let isBlank = shown.allSatisfy { $0 == " " || $0 == "\t" }
            words += ["-H", shellQuoted(isBlank ? name + ";" : name + ": " + shown)]
        }
        guard let body else { return words.joined(separator: " ") }
        if value(forHTTPHeaderField: "Content-Type") == nil { words += ["-H", "'Content-Type:'"] }
        return body.command(words)
    }

    /// The body to show: the redacted body, a placeholder for it, or `nil` if there is none.
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

/// The body of a curl command.
private struct CurlBody {
    let bytes: Data
    let isText: Bool

    /// The longest body that is an argument of curl. Linux limits one argument to 128 KiB.
    private static let longestArgument = 100_000

    /// Returns a command that sends the body, as an argument or over a pipe.
    func command(_ words: [String]) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        let words = words.joined(separator: " ")
        if isText, bytes.count <= Self.longestArgument {
            return words + " --data-raw " + shellQuoted(text)
        }
        // `printf` is built into the shell, so this limit does not apply to its arguments.
        let source = isText ? "printf %s " + shellQuoted(text) : "printf '" + octal + "'"
        // For a large body, curl sends "Expect: 100-continue" and waits for the server (RFC 9110,
        // 10.1.1). An empty header prevents that.
        let expect = bytes.count > Self.longestArgument ? " -H 'Expect:'" : ""
        return source + " | " + words + expect + " --data-binary @-"
    }

    /// The bytes as octal escapes for `printf`, the form that dash and bash read alike.
    private var octal: String {
        bytes.map { byte in
            let digits = String(byte, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }.joined()
    }
}

/// Returns a text in apostrophes for `sh`.
///
/// - Parameters:
///   - text: The text.
///   - unlessWord: Whether a text of capital letters remains without apostrophes.
private func shellQuoted(_ text: String, unlessWord: Bool = false) -> String {
    if unlessWord, !text.isEmpty, text.utf8.allSatisfy({ 65...90 ~= $0 }) { return text }
    return "'" + text.replacingOccurrences(of: "'", with: #"'\''"#) + "'"
}
