extension Redaction {
    /// Returns a URL with its user info and the values of secret query items redacted.
    package func url(_ url: String) -> String {
        isEmpty ? url : String(decoding: reference(Array(url.utf8)[...], depth: 0), as: UTF8.self)
    }

    /// Returns form fields or query items with the values of secret ones redacted.
    ///
    /// - Parameters:
    ///   - items: The text of the fields or items.
    ///   - isCut: Whether the text was cut, so that its end may be the beginning of a secret.
    func items(_ items: String, isCut: Bool = false) -> String {
        if isEmpty { return items }
        var shown: [UInt8] = []
        append(items: Array(items.utf8)[...], to: &shown, depth: 0, isCut: isCut)
        return String(decoding: shown, as: UTF8.self)
    }

    /// Returns a URL or a relative reference with its secrets redacted.
    ///
    /// The format is `//user@host/path`, then items after `?`, then items after `#`.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - depth: The number of texts that contain this one.
    ///   - isCut: Whether the text was cut, so that its end may be the beginning of a secret.
    func reference(_ url: ArraySlice<UInt8>, depth: Int, isCut: Bool = false) -> [UInt8] {
        var shown: [UInt8] = []
        var authority = Authority(url, isCut: isCut)
        var start = url.startIndex
        var isFirst = true
        // Whether the next segment is an authority. Backslashes are ignored, because escaped JSON
        // writes "https:\/\/".
        var followsSlashes = false
        while true {
            var segment = url[start..<authority.pathEnd].prefix { $0 != UInt8(ascii: "/") }
            if followsSlashes, let at = authority.endOfUserInfo(in: segment) {
                shown += Self.mark.utf8
                segment = url[at..<authority.pathEnd].prefix { $0 != UInt8(ascii: "/") }
                shown += segment
            } else {
                let isLast = isCut && segment.endIndex == url.endIndex
                append(segment, .pathValue, to: &shown, depth, isLast)
            }
            followsSlashes = !isFirst && segment.allSatisfy { $0 == UInt8(ascii: "\\") }
            isFirst = false
            guard segment.endIndex < authority.pathEnd else { break }
            shown.append(UInt8(ascii: "/"))
            start = segment.endIndex + 1
        }
        let rest = url[authority.pathEnd...]
        guard let mark = rest.first else { return shown }
        shown.append(mark)
        // A fragment may hold items as well: the OAuth implicit grant returns a token in it.
        let parts = rest.dropFirst().split(
            separator: UInt8(ascii: "#"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index > 0 { shown.append(UInt8(ascii: "#")) }
            append(
                items: part, to: &shown, depth: depth,
                isCut: isCut && part.endIndex == url.endIndex)
        }
        return shown
    }

    /// Appends items that are separated by `&`.
    private func append(
        items: ArraySlice<UInt8>, to shown: inout [UInt8], depth: Int, isCut: Bool
    ) {
        var rest = items
        while true {
            let item = rest.prefix { $0 != UInt8(ascii: "&") }
            append(
                item: item, to: &shown, depth: depth,
                isCut: isCut && item.endIndex == items.endIndex)
            guard item.endIndex < items.endIndex else { return }
            shown.append(UInt8(ascii: "&"))
            rest = rest[item.endIndex...].dropFirst()
        }
    }

    /// Appends one item, which may contain further items after a semicolon.
    ///
    /// Some servers separate items with a semicolon, and HTML writes `&amp;`. The text after a
    /// secret may belong to it, so nothing after the secret is appended.
    private func append(
        item: ArraySlice<UInt8>, to shown: inout [UInt8], depth: Int, isCut: Bool
    ) {
        var rest = item
        while true {
            let piece = rest.prefix { $0 != UInt8(ascii: ";") }
            if let marked = marked(piece) {
                if piece.startIndex > item.startIndex {
                    let before = item[..<piece.startIndex].dropLast()
                    append(plain: before, to: &shown, depth: depth, isCut: false)
                    shown.append(UInt8(ascii: ";"))
                }
                shown += marked
                return
            }
            guard piece.endIndex < item.endIndex else { break }
            rest = rest[piece.endIndex...].dropFirst()
        }
        append(plain: item, to: &shown, depth: depth, isCut: isCut)
    }

    /// Appends an item whose name does not make it a secret.
    private func append(
        plain item: ArraySlice<UInt8>, to shown: inout [UInt8], depth: Int, isCut: Bool
    ) {
        let name = item.prefix { $0 != UInt8(ascii: "=") }
        append(name, .query, to: &shown, depth, isCut && name.endIndex == item.endIndex)
        guard name.endIndex < item.endIndex else { return }
        shown.append(UInt8(ascii: "="))
        let value = item[name.endIndex...].dropFirst()
        let plainName = PercentEncoding.decode(name, plusIsSpace: true)
        if hasShownNames, shows(String(decoding: plainName, as: UTF8.self)) {
            shown += value
        } else {
            append(value, .query, to: &shown, depth, isCut)
        }
    }

    /// Returns the redacted form of a secret item, or `nil` for any other item.
    private func marked(_ item: ArraySlice<UInt8>) -> [UInt8]? {
        let name = item.prefix { $0 != UInt8(ascii: "=") }
        let value = item[name.endIndex...].dropFirst()
        let plainName = PercentEncoding.decode(name, plusIsSpace: true)
        guard
            hides(
                String(decoding: plainName, as: UTF8.self), in: .item,
                value: PercentEncoding.decode(value, plusIsSpace: true))
        else { return nil }
        if name.endIndex < item.endIndex {
            return name + [UInt8(ascii: "=")] + Array(Self.mark.utf8)
        }
        // A name alone is not a secret, but an escaped item may be: "token%3Dhunter2".
        return plainName.allSatisfy(SecretName.isNameByte) ? nil : Array(Self.mark.utf8)
    }

    /// Appends escaped text. The text is decoded and encoded again only if it contains a secret.
    private func append(
        _ text: ArraySlice<UInt8>, _ encoding: PercentEncoding, to shown: inout [UInt8],
        _ depth: Int, _ isCut: Bool
    ) {
        let plain = PercentEncoding.decode(text, plusIsSpace: true)
        guard let safe = redacted(plain, depth: depth + 1, isCut: isCut) else {
            shown += text
            return
        }
        shown += encoding.encode(String(decoding: safe, as: UTF8.self)).utf8
    }
}

/// A search for the user info in a URL, also if its password contains characters that should have
/// been escaped.
private struct Authority {
    private let url: ArraySlice<UInt8>
    private let isCut: Bool
    private let lastAt: Int?
    private let lastAtInPath: Int?
    /// The end of the path: the first `?` or `#` that is not in the user info.
    private(set) var pathEnd: Int

    init(_ url: ArraySlice<UInt8>, isCut: Bool) {
        self.url = url
        self.isCut = isCut
        pathEnd = url.firstIndex(where: Self.endsPath) ?? url.endIndex
        lastAt = url.lastIndex(of: UInt8(ascii: "@"))
        lastAtInPath = url[..<pathEnd].lastIndex(of: UInt8(ascii: "@"))
    }

    /// Whether a byte is `?` or `#`.
    private static func endsPath(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// Returns the end of the user info of an authority: the index of its `@` or, if the URL was
    /// cut before the `@`, the end of the URL.
    ///
    /// Returns `nil` if there is no user info.
    mutating func endOfUserInfo(in authority: ArraySlice<UInt8>) -> Int? {
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            // A password may contain a slash and another `@`.
            return authority[..<at].contains(UInt8(ascii: ":")) ? lastAtInPath : at
        }
        // The URL was cut in the authority, which may be the beginning of a user info.
        guard authority.endIndex < url.endIndex || !isCut else { return endPath(after: nil) }
        // Text after the colon that is not a port is the beginning of a password.
        let host = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
        guard let colon = authority[host...].firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let port = authority[colon...].dropFirst()
        guard port.contains(where: { !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0) }) else {
            return nil
        }
        if let lastAt, lastAt > colon { return endPath(after: lastAt) }
        return isCut ? endPath(after: nil) : nil
    }

    /// Moves the end of the path behind the user info, unless it is there already.
    ///
    /// - Parameter at: The index of the `@`, or `nil` if the user info reaches the end of the URL.
    /// - Returns: The end of the user info.
    private mutating func endPath(after at: Int?) -> Int {
        let at = at ?? url.endIndex
        if at >= pathEnd { pathEnd = url[at...].firstIndex(where: Self.endsPath) ?? url.endIndex }
        return at
    }
}
