import Foundation

extension URLRequest {
    /// The request as a canonical HTTP message with secrets redacted, so that a test can compare
    /// the whole request.
    ///
    /// `Host` is the first header; the others are sorted by name. A JSON body is indented, with
    /// sorted keys. A `multipart/form-data` body is shown part by part, with the type and the size
    /// of a file. A body that is read from files is shown as their names and sizes. The text is the
    /// same on every platform, and does not end with a line break.
    ///
    ///     #expect(
    ///         request.httpMessage == """
    ///             GET /users/42 HTTP/1.1
    ///             Host: api.example.com
    ///             Accept: application/json
    ///             """)
    public var httpMessage: String { httpMessage(redacting: .standard) }

    /// Returns the request as a canonical HTTP message, in the form that `httpMessage` describes.
    ///
    /// - Parameter redaction: The secrets to hide. With ``Redaction/none`` every text is shown. A
    ///   placeholder is shown for a body stream, or for a body that is not text.
    /// - Returns: The message.
    public func httpMessage(redacting redaction: Redaction) -> String {
        let redaction = redaction.hidingValues(of: self)
        let parts = URLParts(url?.absoluteString ?? "")
        let path = parts.path.utf8.first == UInt8(ascii: "/") ? parts.path : "/" + parts.path
        let target = redaction.url(path + (parts.query.map { "?" + $0 } ?? ""))

        var headers = (allHTTPHeaderFields ?? [:]).map { name, value in
            (name: capitalized(name), value: redaction.value(value, named: name))
        }
        headers.sort { ($0.name.lowercased(), $0.name) < ($1.name.lowercased(), $1.name) }
        let host = headers.first { $0.name.lowercased() == "host" }?.value ?? parts.hostAndPort
        headers.removeAll { $0.name.lowercased() == "host" }

        var lines = ["\(httpMethod ?? "GET") \(target) HTTP/1.1", "Host: \(host)"]
        lines += headers.map { $0.value.isEmpty ? "\($0.name):" : "\($0.name): \($0.value)" }
        if let body = messageBody(redaction) { lines += ["", body] }
        return lines.joined(separator: "\n")
    }

    /// The body to show: the redacted body, a placeholder for it, or `nil` if there is none.
    private func messageBody(_ redaction: Redaction) -> String? {
        let type = value(forHTTPHeaderField: "Content-Type")
        guard let body = knownBody, !body.isEmpty else { return streamPlaceholder(redaction) }
        if let multipart = try? MultipartBody(body, contentType: type) {
            return multipart.text(redacting: redaction)
        }
        return redaction.body(body, contentType: type, isPretty: true)
            ?? redaction.placeholder(for: body, contentType: type)
    }

    package func line(redacting redaction: Redaction) -> String {
        let url = redaction.hidingValues(of: self).url(url?.absoluteString ?? "(no URL)")
        return "\(httpMethod ?? "GET") \(url.excerpt(limit: 2_000, onOneLine: false))"
    }
}

/// Returns the name of a header with a capital at the start of each word.
///
/// On Linux, Foundation keeps names as they were set. On Apple platforms it may change their case
/// (not measured), so a canonical form is needed.
private func capitalized(_ name: String) -> String {
    name.split(separator: "-", omittingEmptySubsequences: false)
        .map { $0.prefix(1).uppercased() + $0.dropFirst() }
        .joined(separator: "-")
}
