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
        let answer = response?.allHeaderFields as? [String: String]
        for (headers, body) in [(request?.allHTTPHeaderFields, request?.httpBody), (answer, data)] {
            for (name, value) in headers ?? [:] { _ = walk.header(name, value) }
            guard let body, body.count <= Self.longestBody else { continue }
            let type = headers?.first { $0.key.lowercased() == "content-type" }?.value
            _ = walk.body(body, contentType: type)
        }
        return hidingValues(walk.secrets)
    }

    /// Returns the method and the URL: `GET https://api.example.com/users`.
    func line(of request: URLRequest) -> String {
        let url = request.url?.absoluteString ?? "(no URL)"
        let shown = excerpt(url, limit: 2_000, onOneLine: false, Redaction.url)
        return "\(request.httpMethod ?? "GET") \(shown)"
    }

    /// Returns a request without its secrets, even where their values occur elsewhere in it.
    ///
    /// The result depends on nothing else, so you can compare requests that differ only in their
    /// secrets.
    package func redacted(_ request: URLRequest) -> URLRequest {
        if isEmpty { return request }
        return walked(hiding: Redaction.hidingRandomValues) { $0.request(request) }
    }

    /// Returns a URL, or the part that begins with its path, without its user info and the values
    /// of secret items and parameters.
    package func url(_ url: String) -> String {
        if isEmpty { return url }
        var walk = SecretWalk(self)
        return walk.url(url[...])
    }

    /// Returns a header's value without its secrets.
    package func value(_ value: String, named name: String) -> String {
        if isEmpty { return value }
        var walk = SecretWalk(self)
        return walk.header(name, value)
    }

    /// Returns a body without its secrets, for display.
    ///
    /// JSON is recognized by its text, and a form by its content type. Any part of another body may
    /// be secret, so returns `nil`. Without redaction, returns `nil` only if the body is not text.
    ///
    /// - Parameter isCut: Whether the body is only the beginning of a longer one.
    package func body(_ body: Data, contentType: String?, isCut: Bool = false) -> String? {
        guard let text = plainText(body) else { return nil }
        if isEmpty { return text }
        if mediaType(contentType) == formMediaType { return walked { $0.items(text[...], .form) } }
        // The beginning of JSON is valid JSON only after its objects and arrays are closed.
        guard isCut || (try? JSONText.read(body)) != nil else { return nil }
        let shown = json(text, isCut: isCut)
        return !isCut || (try? JSONText.read(Data(shown.utf8))) != nil ? shown : nil
    }

    /// Returns JSON without its secrets: see `SecretWalk.json`.
    func json(_ text: String, below path: [any CodingKey] = [], isCut: Bool = false) -> String {
        walked { $0.json(text, below: path, isCut: isCut) }
    }

    /// Returns an error's text without the secrets in its URLs, as far as these can be recognized.
    func prose(_ text: String) -> String { isEmpty ? text : walked { $0.text(text) } }

    /// Redacts with a new `SecretWalk`, and again with the values of the secrets found so far,
    /// until no new ones are found. `hiding` decides which of the values are hidden everywhere.
    private func walked<T>(
        hiding: (Redaction) -> ([String]) -> Redaction = Redaction.hidingValues,
        _ redacted: (inout SecretWalk) -> T
    ) -> T {
        var walk = SecretWalk(self)
        let shown = redacted(&walk)
        let all = hiding(self)(walk.secrets)
        return all == self ? shown : all.walked(hiding: hiding, redacted)
    }
}

extension URLRequest {
    package func line(redacting redaction: Redaction) -> String {
        redaction.hidingValues(of: self).line(of: self)
    }
}
