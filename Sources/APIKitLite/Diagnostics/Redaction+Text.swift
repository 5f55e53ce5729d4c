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
        self.body(body, contentType: contentType, isCut: false)
    }

    /// Returns a body without its secrets, or its beginning.
    func body(_ body: Data, contentType: String?, isCut: Bool) -> String? {
        guard let text = plainText(body) else { return nil }
        if isEmpty { return text }
        if mediaType(contentType) == formMediaType { return walked { $0.items(text[...], .form) } }
        // Only what was cut is not JSON before it is closed.
        guard isCut || (try? JSONText.read(body)) != nil else { return nil }
        let shown = json(text, isCut: isCut)
        return !isCut || (try? JSONText.read(Data(shown.utf8))) != nil ? shown : nil
    }

    /// Returns JSON without its secrets: see `SecretWalk.json`.
    func json(_ text: String, below path: [any CodingKey] = [], isCut: Bool = false) -> String {
        walked { $0.json(text, below: path, isCut: isCut) }
    }

    /// Returns the text of an error without the secrets of the URLs in it: nothing knows better what
    /// it quotes.
    func prose(_ text: String) -> String { isEmpty ? text : walked { $0.text(text) } }

    /// Returns the result of a walk that also hides the values of all secrets that it finds.
    private func walked(_ redacted: (inout SecretWalk) -> String) -> String {
        var walk = SecretWalk(self)
        let shown = redacted(&walk)
        let redaction = hidingValues(walk.secrets)
        return redaction == self ? shown : redaction.walked(redacted)
    }
}
