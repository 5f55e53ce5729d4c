import Foundation

extension Redaction {
    /// Returns a body with its secrets redacted.
    ///
    /// JSON is recognized by its text, a form by its content type. JSON is written again, with
    /// sorted keys. A form keeps all other bytes, and so does every text without redaction.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - contentType: The value of the `Content-Type` header.
    /// - Returns: `nil` if the body is neither JSON nor a form, because any part of it may then be
    ///   a secret. Without redaction, `nil` if the body is not text.
    package func body(_ body: Data, contentType: String?) -> String? {
        var secrets: [String] = []
        return self.body(body, contentType: contentType, adding: &secrets)
    }

    /// Does the same, and adds each secret, decoded, to a list.
    func body(_ body: Data, contentType: String?, adding secrets: inout [String]) -> String? {
        if !isEmpty, let json = try? JSONText.read(body) {
            var writer = JSONWriter(self)
            writer.write(json)
            secrets += writer.secrets
            return writer.text
        }
        guard isEmpty || mediaType(contentType) == formMediaType, let text = exactText(body) else {
            return nil
        }
        return items(text[...], adding: &secrets)
    }

    /// Returns a text of the server with its secrets redacted: JSON like a body, any other text by
    /// the secrets of the request. JSON that is incomplete is shown as its size.
    func element(_ text: String) -> String {
        if let json = body(Data(text.utf8), contentType: nil) { return json }
        let isIncomplete = text.first { !$0.isWhitespace }.map { "{[".contains($0) } ?? false
        return isIncomplete ? "<\(byteCount(text.utf8.count))>" : self.text(text)
    }
}
