import Foundation

extension URLRequest {
    /// Returns a curl command for `sh` that sends this request.
    ///
    /// The command is on one line, unless a body that is shown contains line breaks. The command
    /// for a file body names the file, which curl reads. For any other body stream, and for a
    /// multipart body with files on disk whose fields may be secrets, a placeholder is shown.
    ///
    /// - Parameter redacting: The secrets to hide. With ``Redaction/none`` the command sends the same
    ///   method, headers and body.
    /// - Returns: The command.
    public func curlCommand(redacting: Redaction = .standard) -> String {
        curlCommand(hiding: redacting.hidingValues(of: self), longestBody: .max)
    }

    /// Returns a curl command, with a placeholder for a body of more than `longestBody` bytes.
    func curlCommand(hiding redaction: Redaction, longestBody: Int) -> String {
        let url = redaction.url(url?.absoluteString ?? "")
        let body = curlBody(redaction, longest: longestBody)
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
            let shown = redaction.value(value, named: name)
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
        if let body = knownBody {
            if body.count <= longest,
                let text = redaction.body(body, contentType: type), !text.utf8.contains(0)
            {
                return CurlBody(text)
            }
            if redaction.isEmpty {
                return .printed(by: body.printed, isLarge: body.count > CurlBody.longestArgument)
            }
            return CurlBody(redaction.placeholder(for: body, contentType: type))
        }
        if let body = repeatableBody {
            if case .file(let file)? = body.segments.first, body.segments.count == 1 {
                return .file(redaction.text(file.path))
            }
            if redaction.isEmpty {
                let commands = body.segments.map { segment in
                    switch segment {
                    case .bytes(let data): data.printed
                    case .file(let file): "cat " + shellQuoted(file.path)
                    }
                }
                return .printed(by: "{ " + commands.joined(separator: "; ") + "; }", isLarge: true)
            }
        }
        return streamPlaceholder(redaction).map { CurlBody($0) }
    }
}

extension RepeatableBody.File {
    fileprivate var path: String { url.path(percentEncoded: false) }
}

private enum CurlBody {
    /// A text in the command.
    case argument(String)
    /// A file that curl reads.
    case file(String)
    /// What another command prints.
    case printed(by: String, isLarge: Bool)

    /// The longest body that is an argument of curl. Linux limits one argument to 128 KiB.
    static let longestArgument = 100_000

    init(_ text: String) {
        // `printf` is built into the shell, so this limit does not apply to its arguments.
        self =
            text.utf8.count <= Self.longestArgument
            ? .argument(text) : .printed(by: "printf %s " + shellQuoted(text), isLarge: true)
    }

    /// Returns a command that sends the body, as an argument, from a file or over a pipe.
    func command(_ words: [String]) -> String {
        let words = words.joined(separator: " ")
        // For a large body, curl sends "Expect: 100-continue" and waits for the server (RFC 9110,
        // 10.1.1). An empty header prevents that.
        let noExpect = " -H 'Expect:'"
        switch self {
        case .argument(let text): return words + " --data-raw " + shellQuoted(text)
        case .file(let path): return words + noExpect + " --data-binary @" + shellQuoted(path)
        case .printed(let command, let isLarge):
            return command + " | " + words + (isLarge ? noExpect : "") + " --data-binary @-"
        }
    }
}

extension Data {
    /// A command that prints the bytes, as octal escapes, which dash and bash read alike.
    fileprivate var printed: String {
        "printf '" + map { "\\" + digits($0, radix: 8, count: 3) }.joined() + "'"
    }
}

/// Returns a text in apostrophes for `sh`.
private func shellQuoted(_ text: String, unlessWord: Bool = false) -> String {
    if unlessWord, !text.isEmpty, text.utf8.allSatisfy({ 65...90 ~= $0 }) { return text }
    return "'" + text.replacingOccurrences(of: "'", with: #"'\''"#) + "'"
}
