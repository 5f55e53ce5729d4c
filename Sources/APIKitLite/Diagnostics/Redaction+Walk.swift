import Foundation

extension Redaction {
    /// Returns this redaction, extended to hide the values of a request's and its response's
    /// secrets in any text.
    func hidingValues(
        of request: URLRequest?, _ response: HTTPURLResponse? = nil, _ data: Data? = nil
    ) -> Redaction {
        if isEmpty { return self }
        var walk = SecretWalk(self)
        _ = walk.url((request?.url?.absoluteString ?? "")[...])
        let sent = (request?.allHTTPHeaderFields, request?.httpBody)
        for (headers, body) in [sent, (response?.allHeaderFields as? [String: String], data)] {
            for (name, value) in headers ?? [:] { _ = walk.header(name, value) }
            guard let body, body.count <= Self.longestBody else { continue }
            let type = headers?.first { $0.key.lowercased() == "content-type" }?.value
            _ = walk.body(body, contentType: type)
        }
        return hidingValues(walk.secrets)
    }

    /// Returns the method and the URL, without secrets: `GET https://api.example.com/users`.
    func line(of request: URLRequest) -> String {
        let url = request.url?.absoluteString ?? "(no URL)"
        let shown = excerpt(url, limit: 2_000, onOneLine: false, Redaction.url)
        return "\(request.httpMethod ?? "GET") \(shown)"
    }

    /// Returns a request without its secrets. Secret values that look random are also hidden
    /// elsewhere in the request.
    ///
    /// The result depends only on the request and the redaction, so you can compare the results for
    /// requests that differ only in their secrets.
    package func redacted(_ request: URLRequest) -> URLRequest {
        walked(request, hiding: Redaction.hidingRandomValues) { $0.request($1) }
    }

    /// Returns a URL, or the part of a URL that begins with the path, without the user info and the
    /// values of secret items.
    func url(_ url: String) -> String { walked(url) { $0.url($1[...]) } }

    /// Returns a header's value without its secrets.
    func value(_ value: String, named name: String) -> String {
        walked(value) { $0.header(name, $1) }
    }

    /// Returns JSON without its secrets: see `SecretWalk.json`.
    func json(_ text: String, below path: [any CodingKey] = []) -> String {
        walked(text) { $0.json($1, below: path) }
    }

    /// Returns an error's text without the secrets that can be recognized, for example in a URL.
    func prose(_ text: String) -> String { walked(text) { $0.text($1) } }

    /// Returns the text of a body without its secrets, for display.
    ///
    /// JSON is recognized by its text, and a form by its content type. In any other body, every
    /// part may be secret, so the result is `nil`. The result is also `nil` for JSON over 2,000,000
    /// bytes. Without redaction, the result is `nil` only if the body is not text.
    ///
    /// - Parameter limit: How many bytes of the body to read.
    func body(_ body: Data, contentType: String?, limit: Int = .max) -> String? {
        let isForm = mediaType(contentType) == formMediaType
        guard isEmpty || isForm || (try? parsed(body)?.get()) != nil else { return nil }
        return plainText(body.beginning(limit)).map { text in
            isForm ? walked(text) { $0.items($1[...], .form) } : json(text)
        }
    }

    /// Parses the JSON of a body. Returns nil if the body is too large to be parsed for a message.
    func parsed(_ body: Data) -> Result<Any, any Error>? {
        body.count > 2_000_000 ? nil : Result { try JSONText.read(body) }
    }

    /// Redacts `original` with a new `SecretWalk`, and again with the secrets found so far, until
    /// no new secrets are found. `hiding` decides which found secrets are hidden in any text.
    private func walked<T>(
        _ original: T, hiding: (Redaction) -> ([String]) -> Redaction = Redaction.hidingValues,
        _ redacted: (inout SecretWalk, T) -> T
    ) -> T {
        if isEmpty { return original }
        var walk = SecretWalk(self)
        let shown = redacted(&walk, original)
        let all = hiding(self)(walk.secrets)
        return all == self ? shown : all.walked(original, hiding: hiding, redacted)
    }
}

extension URLRequest {
    package func line(redacting redaction: Redaction) -> String {
        redaction.hidingValues(of: self).line(of: self)
    }
}

// Before redaction, text is cut to little more than what a message quotes, so the cost of redaction
// does not depend on the body's size.
extension Redaction {
    /// The size in bytes of the largest body that is searched for values to hide elsewhere.
    static let longestBody = 100_000

    /// How many bytes to read beyond the quoted text. A known value, or a token of up to 4 KiB,
    /// that begins in the quoted text is then read entirely.
    private var margin: Int { 4_096 + values.longest }

    /// How many bytes of a body to read for an excerpt.
    var window: Int { 12_288 + margin }

    /// Returns the beginning of the text without its secrets: see `String.excerpt`.
    ///
    /// - Parameter redacted: Redacts the text. By default, hides known values and tokens only.
    func excerpt(
        _ text: String, limit: Int = 200, onOneLine: Bool = true,
        _ redacted: (Redaction) -> (String) -> String = Redaction.text
    ) -> String {
        let start = String(text.beginning(limit + 2 * margin))
        let shown = redacted(self)(start)
        return withoutHalfSecret(shown, isCut: start.utf8.count < text.utf8.count)
            .excerpt(limit: limit, onOneLine: onOneLine)
    }

    /// Returns the beginning of a body on one line, without secrets, or nil if
    /// `body(_:contentType:limit:)` returns nil.
    func excerpt(of body: Data, contentType: String? = nil) -> String? {
        self.body(body, contentType: contentType, limit: window).map {
            withoutHalfSecret($0, isCut: body.count > window).excerpt()
        }
    }

    /// Returns the beginning of a stream's element on one line, without secrets. For invalid or too
    /// large JSON, returns only the element's size, unless this redaction hides nothing.
    func excerpt(ofElement element: Data) -> String {
        if let shown = excerpt(of: element) { return shown }
        let start = String(decoding: element.beginning(window), as: UTF8.self)
        return start.utf8.beginsAsJSON ? "<\(byteCount(element.count))>" : excerpt(start)
    }

    /// Returns a value of parsed JSON without its secrets. A long value is cut.
    func excerpt(ofValue value: Any, below path: [any CodingKey]) -> String {
        let shown = excerpt(JSONText.write(value), limit: 2_000) { redaction in
            { redaction.json($0, below: path) }
        }
        return "…\(shown)…"
    }

    /// Returns redacted text. If the text was cut, leaves out its end, which may be a part of a
    /// secret.
    private func withoutHalfSecret(_ text: String, isCut: Bool) -> String {
        guard isCut else { return text }
        let end = text.utf8.suffix(margin)
        let last =
            end.indices.last { end[$0...].starts(with: Self.mark.utf8) }
            .map { end.index($0, offsetBy: Self.mark.utf8.count) } ?? end.startIndex
        return text[..<last] + "…"
    }
}
