/// The parts of an absolute URL's text, cut in the same way on every platform.
package struct URLParts: Sendable {
    /// In lower case.
    package let scheme: String
    /// In lower case, without user info and port; an IPv6 address in its brackets.
    package let host: String
    /// As it is written, if it is.
    package let explicitPort: Int?
    /// Percent-encoded; empty where the URL ends with its host.
    package let path: String
    /// Percent-encoded, without the question mark; nil where there is none.
    package let query: String?

    package init(_ url: String) {
        var rest = url.utf8[...]
        if let mark = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<mark] }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = String(Substring(rest[mark...].dropFirst()))
            rest = rest[..<mark]
        } else {
            query = nil
        }
        if let end = rest.firstIndex(where: { ":/".utf8.contains($0) }),
            rest[end] == UInt8(ascii: ":")
        {
            scheme = Substring(rest[..<end]).lowercased()
            rest = rest[end...].dropFirst()
        } else {
            scheme = ""
        }
        guard rest.starts(with: "//".utf8) else {
            (host, explicitPort, path) = ("", nil, String(Substring(rest)))
            return
        }
        rest = rest.dropFirst(2)
        var authority = rest.prefix { $0 != UInt8(ascii: "/") }
        path = String(Substring(rest[authority.endIndex...]))
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            authority = authority[at...].dropFirst()
        }
        if let colon = authority.lastIndex(of: UInt8(ascii: ":")),
            !authority[colon...].contains(UInt8(ascii: "]"))
        {
            explicitPort = Int(Substring(authority[colon...].dropFirst()))
            authority = authority[..<colon]
        } else {
            explicitPort = nil
        }
        host = Substring(authority).lowercased()
    }

    /// The port that is connected to; nil for a scheme without a usual one.
    package var port: Int? {
        explicitPort ?? ["https": 443, "http": 80, "wss": 443, "ws": 80][scheme]
    }

    /// Host and port, as a `Host` header names them.
    package var hostAndPort: String {
        host + (explicitPort.map { ":\($0)" } ?? "")
    }
}
