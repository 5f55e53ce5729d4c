import Foundation

extension Redaction {
    /// Returns this redaction, which also hides the values of the secrets of a request and its
    /// response in any text.
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

    /// Returns this redaction, which also hides values in any text. A value of less than four bytes
    /// is in too many texts.
    func hidingValues(_ values: [String]) -> Redaction {
        adding(found: values.filter { $0.utf8.count >= 4 })
    }

    /// Returns this redaction, which also hides those of the values in any text that look random.
    package func hidingRandomValues(_ values: [String]) -> Redaction {
        isEmpty ? self : adding(found: values.filter(Self.looksRandom))
    }

    /// Returns the method and the URL: `GET https://api.example.com/users`.
    func line(of request: URLRequest) -> String {
        let url = request.url?.absoluteString ?? "(no URL)"
        let shown = excerpt(url, limit: 2_000, onOneLine: false, Redaction.url)
        return "\(request.httpMethod ?? "GET") \(shown)"
    }

    /// Returns a request without its secrets, also where their values occur elsewhere in it.
    ///
    /// The result depends on nothing else, so two requests can be compared that differ in their
    /// secrets.
    package func redacted(_ request: URLRequest) -> URLRequest {
        if isEmpty { return request }
        var walk = SecretWalk(self)
        let shown = walk.request(request)
        let all = hidingRandomValues(walk.secrets)
        if all == self { return shown }
        walk = SecretWalk(all)
        return walk.request(shown)
    }
}

extension URLRequest {
    package func line(redacting redaction: Redaction) -> String {
        redaction.hidingValues(of: self).line(of: self)
    }
}

extension SecretWalk {
    /// Returns a request without its secrets. A body that is a file or a stream stays.
    package mutating func request(_ request: URLRequest) -> URLRequest {
        var shown = request
        if let text = request.url?.absoluteString {
            let url = url(text[...])
            if url != text { shown.url = URL(reference: url) }
        }
        for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            shown.setValue(header(name, value), forHTTPHeaderField: name)
        }
        if let body = request.httpBody {
            let type = request.value(forHTTPHeaderField: "Content-Type")
            shown.httpBody = self.body(body, contentType: type)
        }
        return shown
    }
}
