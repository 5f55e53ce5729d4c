import Foundation

extension URLRequest {
    /// Returns a curl command for `sh` that sends this request.
    ///
    /// The command is on one line, unless a body that is shown contains line breaks. The command
    /// for a file body names the file, which curl reads. A body that is not text, that may contain
    /// secrets, that has more than 100,000 bytes, or that is another stream is shown as its type and
    /// size.
    ///
    /// - Parameter redacting: The secrets to hide. With ``Redaction/none`` the command sends the same
    ///   method, headers and text of any size.
    public func curlCommand(redacting: Redaction = .standard) -> String {
        curlCommand(
            hiding: redacting.hidingValues(of: self),
            longestBody: redacting.isEmpty ? .max : Redaction.longestBody)
    }

    /// Returns a curl command, with the type and size of a body of more than `longestBody` bytes.
    func curlCommand(hiding redaction: Redaction, longestBody: Int) -> String {
        let url = redaction.url(url?.absoluteString ?? "")
        let body = curlBody(redaction, longest: longestBody)
        let method = httpMethod ?? "GET"

        var words = ["curl"]
        // By default, curl expands [] and {} as patterns.
        if url.utf8.contains(where: { "[]{}".utf8.contains($0) }) { words.append("--globoff") }
        if method == "HEAD", body == nil {
            words.append("--head")
        } else if method != "GET" || body != nil {
            let isWord = method.utf8.allSatisfy { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }
            words += ["-X", isWord ? method : shellQuoted(method)]
        }
        words.append(shellQuoted(url))
        for (name, value) in (allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            let shown = redaction.value(value, named: name)
            // For curl, "Name:" removes a header, and "Name;" sends it with an empty value.
            let isBlank = shown.allSatisfy { $0 == " " || $0 == "\t" }
            words += ["-H", shellQuoted(isBlank ? name + ";" : name + ": " + shown)]
        }
        if let body {
            if value(forHTTPHeaderField: "Content-Type") == nil {
                words += ["-H", "'Content-Type:'"]
            }
            words.append(body)
        }
        return words.joined(separator: " ")
    }

    /// The option with the body to send, or nil if there is none.
    private func curlBody(_ redaction: Redaction, longest: Int) -> String? {
        let type = value(forHTTPHeaderField: "Content-Type")
        let segments = repeatableBody?.segments ?? []
        if case .file(let file)? = segments.first, segments.count == 1 {
            let path = file.url.path(percentEncoded: false)
            return "--data-binary @" + shellQuoted(redaction.text(path))
        }
        let text: String
        if let httpBody {
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

/// Returns a text in apostrophes for `sh`.
private func shellQuoted(_ text: String) -> String {
    "'" + text.replacingOccurrences(of: "'", with: #"'\''"#) + "'"
}
