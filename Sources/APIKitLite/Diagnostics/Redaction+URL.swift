extension Redaction {
    /// Returns a URL with its user info and the values of secret query items redacted.
    ///
    /// - Parameter url: The URL, or a part of it that begins with the path.
    package func url(_ url: String) -> String {
        var secrets: [String] = []
        return self.url(url, adding: &secrets)
    }

    /// Does the same, and adds each secret, decoded, to a list.
    func url(_ url: String, adding secrets: inout [String]) -> String {
        if isEmpty { return url }
        let (rest, fragment) = url[...].cut(at: "#")
        let (path, query) = rest.cut(at: "?")
        var shown = withoutUserInfo(path, adding: &secrets)
        if let query { shown += "?" + items(query, adding: &secrets) }
        // A fragment may hold items as well: the OAuth implicit grant returns a token in it.
        if let fragment { shown += "#" + items(fragment, adding: &secrets) }
        return shown
    }

    /// Returns the part of a URL before its query without user info: `https://REDACTED@host/path`.
    private func withoutUserInfo(_ url: Substring, adding secrets: inout [String]) -> String {
        let (scheme, rest) = url.cut(at: "/")
        guard let rest, rest.first == "/" else { return path(url) }
        let (authority, after) = rest.dropFirst().cut(at: "/")
        var host = authority
        if let at = authority.lastIndex(of: "@") {
            let (user, password) = authority[..<at].cut(at: ":")
            secrets.append(PercentEncoding.decode(password ?? user))
            host = Self.mark + authority[at...]
        }
        return scheme + "//" + host + (after.map { "/" + path($0) } ?? "")
    }

    /// Returns a path without secrets. One that consists of words is hidden only as a whole segment,
    /// because others may contain it: `test` is in `/latest`.
    private func path(_ path: Substring) -> String {
        if values.isEmpty { return String(path) }
        let random = values.filter(Self.looksRandom)
        return path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            values.contains(String(segment))
                ? Self.mark
                : random.reduce(String(segment)) {
                    $0.replacingOccurrences(of: $1, with: Self.mark, options: .literal)
                }
        }.joined(separator: "/")
    }

    /// Returns query items or form fields with the values of secret ones redacted, and adds these
    /// values, decoded, to a list.
    func items(_ items: Substring, adding secrets: inout [String]) -> String {
        if isEmpty { return String(items) }
        return queryItems(items.utf8).map { nameBytes, valueBytes in
            let (name, value) = (Substring(nameBytes), valueBytes.map { Substring($0) })
            let plainName = PercentEncoding.decode(name, plusIsSpace: true)
            let plain = value.map { PercentEncoding.decode($0, plusIsSpace: true) }
            if let plain, hides(plainName, plain) {
                secrets.append(plain)
                return "\(name)=\(Self.mark)"
            }
            let item = value.map { "\(name)=\($0)" } ?? String(name)
            return shows(plainName) ? item : text(item)
        }.joined(separator: "&")
    }
}

extension Substring {
    /// Returns the text before the first occurrence of a character, and the text after it; if it
    /// does not occur, the whole text and `nil`.
    func cut(at character: Unicode.Scalar) -> (Substring, Substring?) {
        guard let index = unicodeScalars.firstIndex(of: character) else { return (self, nil) }
        return (self[..<index], self[unicodeScalars.index(after: index)...])
    }
}
