extension Redaction {
    /// Returns a URL with its user info and the values of secret query items redacted.
    ///
    /// - Parameters:
    ///   - url: The URL, or a part of it that begins with the path.
    ///   - found: Receives each secret, decoded.
    package func url(_ url: String, found: (String) -> Void = { _ in }) -> String {
        if isEmpty { return url }
        let (rest, fragment) = url[...].cut(at: "#")
        let (path, query) = rest.cut(at: "?")
        var shown = withoutUserInfo(path, found: found)
        if let query { shown += "?" + items(query, found: found) }
        // A fragment may hold items as well: the OAuth implicit grant returns a token in it.
        if let fragment { shown += "#" + items(fragment, found: found) }
        return shown
    }

    /// Returns the part of a URL before its query without user info: `https://REDACTED@host/path`.
    private func withoutUserInfo(_ url: Substring, found: (String) -> Void) -> String {
        var (scheme, rest) = url.cut(at: "/")
        guard rest?.first == "/" else { return text(String(url)) }
        scheme = url[...scheme.endIndex]
        let authority = url[scheme.endIndex...].dropFirst().prefix { $0 != "/" }
        guard let at = authority.lastIndex(of: "@") else { return text(String(url)) }
        let (user, password) = authority[..<at].cut(at: ":")
        found(PercentEncoding.decode(password ?? user))
        return "\(scheme)/\(Self.mark)" + text(String(url[at...]))
    }

    /// Returns query items or form fields with the values of secret ones redacted.
    ///
    /// - Parameters:
    ///   - items: The text of the items or fields.
    ///   - found: Receives each secret, decoded.
    func items(_ items: Substring, found: (String) -> Void = { _ in }) -> String {
        if isEmpty { return String(items) }
        let parts = items.unicodeScalars.split(separator: "&", omittingEmptySubsequences: false)
        return parts.map { part in
            let (name, value) = Substring(part).cut(at: "=")
            guard let value else { return text(String(name)) }
            let plainName = PercentEncoding.decode(name, plusIsSpace: true)
            let plain = PercentEncoding.decode(value, plusIsSpace: true)
            if hides(plainName, plain) {
                found(plain)
                return "\(name)=\(Self.mark)"
            }
            let shown = shows(plainName) ? String(value) : text(String(value))
            return text(String(name)) + "=" + shown
        }.joined(separator: "&")
    }
}

extension Substring {
    /// Returns the text before the first occurrence of a character, and the text after it; if it does
    /// not occur, the whole text and `nil`.
    fileprivate func cut(at character: Unicode.Scalar) -> (Substring, Substring?) {
        guard let index = unicodeScalars.firstIndex(of: character) else { return (self, nil) }
        return (self[..<index], self[unicodeScalars.index(after: index)...])
    }
}
