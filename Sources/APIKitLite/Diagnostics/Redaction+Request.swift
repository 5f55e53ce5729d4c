import Foundation

extension Redaction {
    /// The size of the largest body that is searched for secrets to hide elsewhere, in bytes.
    private static let longestBody = 100_000

    /// Returns this redaction, which also hides the values of a request's secrets in any text.
    package func hidingValues(of request: URLRequest?) -> Redaction {
        guard let request, !isEmpty else { return self }
        var values = Set(values)
        for secret in secrets(of: request) {
            if secret.count < 4 || ["true", "false"].contains(secret) { continue }
            values.insert(secret)
            for encoding in [PercentEncoding.pathValue, .query, .form] {
                values.insert(encoding.encode(secret))
            }
        }
        var redaction = self
        redaction.values = Array(values)
        return redaction
    }

    /// The secrets in the URL, the headers and the body of a request.
    private func secrets(of request: URLRequest) -> [String] {
        var secrets: [String] = []
        _ = url(request.url?.absoluteString ?? "", adding: &secrets)
        for (name, value) in request.allHTTPHeaderFields ?? [:] where hides(name, value) {
            secrets += [value] + credentials(in: value, of: name)
        }
        guard let body = request.knownBody, body.count <= Self.longestBody else { return secrets }
        let type = request.value(forHTTPHeaderField: "Content-Type")
        for part in (try? MultipartBody(body, contentType: type))?.parts ?? []
        where part.isHidden(by: self) {
            secrets.append(String(decoding: part.data, as: UTF8.self))
        }
        _ = self.body(body, contentType: type, adding: &secrets)
        return secrets
    }

    /// The credentials in a secret header: `Bearer a1`, `OAuth oauth_token="a1", …`, `id=a1; …`.
    private func credentials(in header: String, of name: String) -> [String] {
        let isCookie = name.lowercased().hasSuffix("cookie")
        let words = header.split { (isCookie ? " ;" : " ,").contains($0) }
        return words.enumerated().compactMap { index, word -> String? in
            let (parameter, value) = word.cut(at: "=")
            let text = String(value ?? "").replacing("\"", with: "")
            if text.allSatisfy({ $0 == "=" }) {
                // The first of several words is the scheme.
                return index > 0 || words.count == 1 ? String(word) : nil
            }
            return isCookie || hides(String(parameter), text) ? text : nil
        }
    }
}
