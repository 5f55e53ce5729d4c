import Foundation

extension Redaction {
    /// Returns a URL, or a part of it that begins with the path, without its secrets: its user info,
    /// and the values of secret items and parameters.
    package func url(_ url: String) -> String {
        if isEmpty { return url }
        var walk = SecretWalk(self)
        return walk.url(url[...])
    }

    /// Returns the value of a header without its secrets.
    package func value(_ value: String, named name: String) -> String {
        if isEmpty { return value }
        var walk = SecretWalk(self)
        return walk.header(name, value)
    }

    /// Returns a body without its secrets, to be shown.
    ///
    /// JSON is recognized by its text, a form by its content type. Any part of another body may be a
    /// secret, so the result is `nil`; without redaction, it is `nil` only if the body is not text.
    package func body(_ body: Data, contentType: String?) -> String? {
        guard !body.contains(0), let text = exactText(body) else { return nil }
        if isEmpty { return text }
        var walk = SecretWalk(self)
        let shown: String
        if mediaType(contentType) == formMediaType {
            shown = walk.items(text[...], .form)
        } else if (try? JSONText.read(body)) != nil {
            shown = walk.json(text)
        } else {
            return nil
        }
        // The values that were hidden may be elsewhere in the body, too.
        let redaction = hidingValues(walk.secrets)
        return redaction == self ? shown : redaction.body(body, contentType: contentType)
    }

    /// Returns a text of the server without its secrets. JSON that is incomplete is shown as its
    /// size.
    func element(_ text: String) -> String {
        if let json = body(Data(text.utf8), contentType: nil) { return json }
        let isIncomplete = text.first { !$0.isWhitespace }.map { "{[".contains($0) } ?? false
        return isIncomplete ? "<\(byteCount(text.utf8.count))>" : self.text(text)
    }
}
