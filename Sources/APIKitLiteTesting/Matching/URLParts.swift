import Foundation

/// The parts of an absolute URL, split in the same way on every platform.
struct URLParts: Sendable {
    /// The scheme in lowercase.
    let scheme: String
    /// The host in lowercase, without user info or port. An IPv6 address includes its brackets.
    let host: String
    let explicitPort: Int?
    /// The percent-encoded path, or `""` if nothing follows the host.
    let path: String
    /// The percent-encoded query without the question mark, if there is one.
    let query: String?

    /// Splits the text of a URL. Its fragment is ignored.
    init(_ url: String) {
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

    /// The port to connect to: the explicit port, or the scheme's default port; nil if there is
    /// neither.
    var port: Int? {
        explicitPort ?? ["https": 443, "http": 80, "wss": 443, "ws": 80][scheme]
    }

    /// The host and the explicit port, in the form of a `Host` header.
    var hostAndPort: String {
        host + (explicitPort.map { ":\($0)" } ?? "")
    }
}
