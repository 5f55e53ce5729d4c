import Foundation

/// The names of what must not be seen in a log, an error or a curl command.
///
/// One set for headers, query items, JSON keys and form fields alike, compared without case, hyphens
/// and underscores: `access_token` is `accessToken`. As long as it has a name in it, the user info of URLs is removed too, and a body that cannot be
/// read is shown as its type and size.
///
///     request.curlCommand(redacting: .standard.adding("X-Session", "pin"))
public struct Redaction: Sendable, Equatable, ExpressibleByArrayLiteral {
    private let names: Set<String>

    /// Credentials by their usual names, such as `Authorization`, `Cookie`, `token`, `password`.
    public static let standard: Redaction = [
        "Authorization", "Cookie", "Set-Cookie", "Proxy-Authorization", "X-Api-Key",
        "token", "access_token", "refresh_token", "id_token", "key", "api_key", "secret",
        "client_secret", "password", "passphrase", "signature", "code", "access", "refresh",
        "auth_token", "X-Auth-Token", "session_token", "jwt", "private_key",
    ]

    /// Nothing is removed, and bodies are shown whatever they hold. The same as `[]`.
    public static let none: Redaction = []

    /// What stands in place of a secret.
    package static let mark = "REDACTED"

    /// The given names, and no others.
    public init(arrayLiteral names: String...) {
        self.names = Set(names.map(\.folded))
    }

    private init(names: Set<String>) {
        self.names = names
    }

    /// These names and more.
    public func adding(_ names: String...) -> Redaction {
        Redaction(names: self.names.union(names.map(\.folded)))
    }

    var isEmpty: Bool { names.isEmpty }

    /// Whether what goes by this name is a secret.
    package func hides(_ name: String) -> Bool {
        names.contains(name.folded)
    }

    /// A header's value as it may be shown: nothing of a secret one, no secrets in URLs of others.
    package func headerValue(_ value: String, named name: String) -> String {
        hides(name) ? Self.mark : text(value)
    }

    /// A body as it may be shown; nil if it cannot be read, and so may hold anything.
    ///
    /// JSON is told by its text, a form by its content type. Everything that is no secret is
    /// kept, byte for byte.
    package func body(_ body: Data, contentType: String?) -> String? {
        if isEmpty { return String(data: body, encoding: .utf8) }
        if let json = try? JSONText(body) {
            return String(decoding: Edit.apply(edits(in: json), to: json.bytes), as: UTF8.self)
        }
        guard mediaType(contentType) == "application/x-www-form-urlencoded" else { return nil }
        return String(data: body, encoding: .utf8).map { items($0) }
    }

    /// Says what a body is when it cannot be shown: `<image/png, 1,234 bytes>`.
    package func placeholder(for body: Data, contentType: String?) -> String {
        placeholder(size: byteCount(body.count), contentType: contentType)
    }

    /// The same for a body whose size is not a number of bytes.
    func placeholder(size: String, contentType: String?) -> String {
        "<\(text(mediaType(contentType) ?? "unknown type")), \(size)>"
    }
}

extension String {
    /// A name as it is compared.
    fileprivate var folded: String { lowercased().filter { $0 != "-" && $0 != "_" } }
}

/// The content type in lower case, without its parameters.
package func mediaType(_ contentType: String?) -> String? {
    let type = contentType?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
    return type.flatMap { $0.isEmpty ? nil : $0.lowercased() }
}

/// A size for people, the same in every locale: `1 byte`, `1,234 bytes`.
func byteCount(_ count: Int) -> String {
    var digits = String(count)
    var index = digits.count - 3
    while index > 0 {
        digits.insert(",", at: digits.index(digits.startIndex, offsetBy: index))
        index -= 3
    }
    return digits + (count == 1 ? " byte" : " bytes")
}
