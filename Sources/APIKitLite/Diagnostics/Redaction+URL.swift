extension Redaction {
    /// A URL without user info and without the values of secret query items.
    package func url(_ url: String) -> String {
        isEmpty ? url : String(decoding: reference(Array(url.utf8)[...], depth: 0), as: UTF8.self)
    }

    /// Form fields or query items, the secret ones without their values.
    func items(_ items: String, isCut: Bool = false) -> String {
        if isEmpty { return items }
        var shown: [UInt8] = []
        append(items: Array(items.utf8)[...], to: &shown, depth: 0, isCut: isCut)
        return String(decoding: shown, as: UTF8.self)
    }

    /// A URL or a part of one: `//user@host/path`, then items after `?`, then items after `#`.
    func reference(_ url: ArraySlice<UInt8>, depth: Int, isCut: Bool = false) -> [UInt8] {
        var shown: [UInt8] = []
        var authority = Authority(url, isCut: isCut)
        var start = url.startIndex
        var isFirst = true
        // Whether it is an authority that comes. Backslashes count as nothing: JSON that was not
        // unescaped writes "https:\/\/".
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
        // A fragment may hold items as well: OAuth hands tokens over in one.
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

    /// Some servers part items with a semicolon, and HTML writes `&amp;`. Whatever follows a secret
    /// may belong to it.
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

    /// An item that is no secret by its name.
    private func append(
        plain item: ArraySlice<UInt8>, to shown: inout [UInt8], depth: Int, isCut: Bool
    ) {
        let name = item.prefix { $0 != UInt8(ascii: "=") }
        append(name, .query, to: &shown, depth, isCut && name.endIndex == item.endIndex)
        guard name.endIndex < item.endIndex else { return }
        shown.append(UInt8(ascii: "="))
        append(item[name.endIndex...].dropFirst(), .query, to: &shown, depth, isCut)
    }

    /// What is shown of an item that holds a secret; nil for one that holds none.
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
        // A name alone is no secret, but more than a name may be: "token%3Dhunter2".
        return plainName.allSatisfy(SecretName.isNameByte) ? nil : Array(Self.mark.utf8)
    }

    /// Escaped text, unescaped and escaped again only if there is a secret in it.
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

/// Finds user info in a URL, also where its password holds what should have been escaped.
private struct Authority {
    private let url: ArraySlice<UInt8>
    private let isCut: Bool
    private let lastAt: Int?
    private let lastAtInPath: Int?
    /// Where the path ends: at a `?` or `#` that is not in the user info.
    private(set) var pathEnd: Int

    init(_ url: ArraySlice<UInt8>, isCut: Bool) {
        self.url = url
        self.isCut = isCut
        pathEnd = url.firstIndex(where: Self.endsPath) ?? url.endIndex
        lastAt = url.lastIndex(of: UInt8(ascii: "@"))
        lastAtInPath = url[..<pathEnd].lastIndex(of: UInt8(ascii: "@"))
    }

    private static func endsPath(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// Where the `@` is that ends the user info of an authority; nil if it has none.
    mutating func endOfUserInfo(in authority: ArraySlice<UInt8>) -> Int? {
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            // A password may have a slash in it.
            return authority[..<at].contains(UInt8(ascii: ":")) ? lastAtInPath : at
        }
        // Half a user info looks like a host.
        guard authority.endIndex < url.endIndex || !isCut else { return endPath(after: nil) }
        // What is no port is the beginning of a password.
        let host = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
        guard let colon = authority[host...].firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let port = authority[colon...].dropFirst()
        guard port.contains(where: { !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0) }) else {
            return nil
        }
        if let lastAt, lastAt > colon { return endPath(after: lastAt) }
        return isCut ? endPath(after: nil) : nil
    }

    private mutating func endPath(after at: Int?) -> Int {
        let at = at ?? url.endIndex
        if at >= pathEnd { pathEnd = url[at...].firstIndex(where: Self.endsPath) ?? url.endIndex }
        return at
    }
}
