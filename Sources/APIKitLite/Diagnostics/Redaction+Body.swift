import Foundation

extension Redaction {
    /// The media type of a form.
    private static let formType = "application/x-www-form-urlencoded"

    /// The size of the largest body that is searched for secrets to hide elsewhere, in bytes.
    private static let longestBody = 100_000

    /// The number of values that each text is searched for.
    private static let mostValues = 200

    /// Returns a body with its secrets redacted. JSON without secrets and forms keep all other bytes.
    ///
    /// JSON is recognized by its text, a form by its content type.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - contentType: The value of the `Content-Type` header.
    ///   - isPretty: Whether JSON is indented, with sorted keys.
    ///   - found: Receives each secret, decoded.
    /// - Returns: `nil` if the body is neither JSON nor a form, because any part of it may then be a
    ///   secret. Without redaction, `nil` if the body is not text.
    package func body(
        _ body: Data, contentType: String?, isPretty: Bool = false,
        found: (String) -> Void = { _ in }
    ) -> String? {
        if isPretty || !isEmpty, let json = try? JSONText.read(body) {
            var writer = JSONWriter(self, isPretty: isPretty)
            writer.write(json)
            writer.secrets.forEach(found)
            let original = writer.isRedacted || isPretty ? nil : exactText(body)
            return original ?? writer.text
        }
        guard isEmpty || mediaType(contentType) == Self.formType else { return nil }
        return exactText(body).map { items($0[...], found: found) }
    }

    /// Returns a text of the server with its secrets redacted: JSON like a body, any other text by
    /// the secrets of the request. JSON that is incomplete is shown as its size.
    func element(_ text: String) -> String {
        if let json = body(Data(text.utf8), contentType: nil) { return json }
        let isIncomplete = text.first { !$0.isWhitespace }.map { "{[".contains($0) } ?? false
        return isIncomplete ? "<\(byteCount(text.utf8.count))>" : self.text(text)
    }

    /// Returns this redaction, which also hides the values of a request's secrets in any text.
    package func hidingValues(of request: URLRequest?) -> Redaction {
        guard let request, !isEmpty else { return self }
        var found: Set<String> = []
        let add = { (value: String) in _ = found.insert(value) }
        _ = url(request.url?.absoluteString ?? "", found: add)
        for (name, value) in request.allHTTPHeaderFields ?? [:] where hides(name, value) {
            found.formUnion([value] + credentials(in: value))
        }
        if let body = request.knownBody, body.count <= Self.longestBody {
            let type = request.value(forHTTPHeaderField: "Content-Type")
            let multipart = try? MultipartBody(body, contentType: type)
            for part in multipart?.parts ?? [] where part.isHidden(by: self) {
                add(String(decoding: part.data, as: UTF8.self))
            }
            _ = self.body(body, contentType: type, found: add)
        }
        let long = found.filter { $0.count >= 4 && !["true", "false"].contains($0) }
        let encodings = [PercentEncoding.pathValue, .query, .form]
        let encoded = long.flatMap { value in encodings.map { $0.encode(value) } }
        var redaction = self
        let all = long.union(encoded).union(values).sorted {
            ($1.utf8.count, $1) < ($0.utf8.count, $0)
        }
        redaction.values = Array(all.prefix(Self.mostValues))
        return redaction
    }

    /// The credentials in the value of a header: `Bearer a1`, `Digest response="a1", …`, `id=a1; …`.
    private func credentials(in header: String) -> [String] {
        let words = header.split { " ,;".contains($0) }
        return words.enumerated().compactMap { index, word in
            let value = word.drop { $0 != "=" }.filter { $0 != "\"" }.dropFirst()
            if value.contains(where: { $0 != "=" }) { return String(value) }
            // The first of several words is the scheme.
            return index > 0 || words.count == 1 ? String(word) : nil
        }
    }
}
