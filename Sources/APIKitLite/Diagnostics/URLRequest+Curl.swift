import Foundation

extension URLRequest {
    /// Returns a curl command for `sh` that sends this request.
    ///
    /// The command is one line, unless a body in it contains line breaks. For a file body, the
    /// command names the file, which curl reads. Of a stream that is not a file, a body over
    /// 100,000 bytes, or a body that is neither JSON nor a form, the command contains only the type
    /// and the size, if known.
    ///
    /// - Parameter redacting: The secrets to hide. With ``Redaction/none``, the command sends the
    ///   request's method, headers and text body as a `URLSession` does, whatever the body's size.
    public func curlCommand(redacting: Redaction = .standard) -> String {
        curlCommand(
            hiding: redacting.hidingValues(of: self),
            longestBody: redacting.isEmpty ? .max : Redaction.longestBody)
    }

    /// Returns a curl command. An `httpBody` over `longestBody` bytes is shown as type and size.
    func curlCommand(hiding redaction: Redaction, longestBody: Int) -> String {
        let url = redaction.url(url?.absoluteString ?? "")
        let method = httpMethod ?? "GET"
        // A session does not send a body with a HEAD request.
        let body = method == "HEAD" ? nil : curlBody(redaction, longest: longestBody)

        var words = ["curl"]
        // By default, curl expands [] and {} as patterns.
        if url.utf8.contains(where: { "[]{}".utf8.contains($0) }) { words.append("--globoff") }
        if method == "HEAD" {
            words.append("--head")
        } else if method != "GET" || body != nil {
            let isWord = method.utf8.allSatisfy { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }
            words += ["-X", isWord ? method : shellQuoted(method)]
        }
        words.append(shellQuoted(url))
        for (name, value) in sortedHeaderFields {
            let shown = redaction.value(value, named: name)
            // For "Name;", curl sends a header with an empty value, and for "Name:", no header. A
            // session on Linux also sends no header for a value of spaces.
            let isBlank = shown.allSatisfy { $0 == " " || $0 == "\t" }
            let end = shown.isEmpty ? ";" : isBlank ? ":" : ": " + shown
            words += ["-H", shellQuoted(name + end)]
        }
        if let body {
            // Without a content type, curl sends a form's content type. A session sends that type
            // only with a POST.
            if method != "POST", value(forHTTPHeaderField: "Content-Type") == nil {
                words += ["-H", "'Content-Type:'"]
            }
            words.append(body)
        } else if method != "GET", method != "HEAD",
            value(forHTTPHeaderField: "Content-Length") == nil
        {
            // A session also sends `Content-Length: 0`. Without this header, some servers respond
            // with a 411.
            words += ["-H", "'Content-Length: 0'"]
        }
        return words.joined(separator: " ")
    }

    /// Returns the curl option with the body to send, or nil if there is no body to send.
    private func curlBody(_ redaction: Redaction, longest: Int) -> String? {
        let type = value(forHTTPHeaderField: "Content-Type")
        let segments = repeatableBody?.segments ?? []
        if case .file(let file)? = segments.first, segments.count == 1 {
            let path = file.url.path(percentEncoded: false)
            return "--data-binary @" + shellQuoted(redaction.text(path))
        }
        let text: String
        if let httpBody, !httpBody.isEmpty {
            let shown =
                httpBody.count > longest ? nil : redaction.body(httpBody, contentType: type)
            text = shown ?? redaction.placeholder(for: httpBody, contentType: type)
        } else if httpBodyStream != nil {
            let size = repeatableBody.map { byteCount($0.size) } ?? "a stream, not read"
            text = redaction.placeholder(size: size, contentType: type)
        } else {
            return nil
        }
        return "--data-raw " + shellQuoted(text)
    }
}

/// Returns text in single quotes for `sh`.
private func shellQuoted(_ text: String) -> String {
    "'" + text.replacingOccurrences(of: "'", with: #"'\''"#) + "'"
}
