import Foundation

/// The names of what must not be seen in a log, an error or a curl command.
///
/// They count for headers, query items, form fields, JSON keys and names in texts alike. As long as
/// there is one, the user info of URLs is removed too, and a body that cannot be read is shown as
/// its type and size.
///
///     request.curlCommand(redacting: .standard.adding("X-Session", "cardholder"))
public struct Redaction: Sendable, Equatable, ExpressibleByArrayLiteral {
    private let names: Set<String>
    private let readsWords: Bool

    /// Credentials by the words of their names, such as token, secret, signature, password,
    /// credential, authorization, cookie, API key, session id: `X-Amz-Security-Token`,
    /// `userPassword`, `client_secret`.
    ///
    /// What only tells something about a secret is shown: `token_type`, `max_tokens`, and whatever
    /// is true, false or null. `code`, `key` and `auth` are hidden in a query and in a form. In JSON
    /// they, and names such as `access` and `refresh`, are hidden where the value looks like a
    /// token: 16 characters or more, letters and digits mixed. In texts `password=…`,
    /// `Authorization: …`, the user and password of a curl command and JSON Web Tokens are hidden.
    public static let standard = Redaction(names: [], readsWords: true)

    /// Nothing is removed, and bodies are shown whatever they hold. The same as `[]`.
    public static let none: Redaction = []

    /// What stands in place of a secret.
    package static let mark = "REDACTED"

    /// The given names, and no others.
    ///
    /// They are compared as a whole, without case, hyphens and underscores: `access_token` is
    /// `accessToken`.
    public init(arrayLiteral names: String...) {
        self.init(names: Set(names.map(\.folded)), readsWords: false)
    }

    private init(names: Set<String>, readsWords: Bool) {
        self.names = names
        self.readsWords = readsWords
    }

    /// These names and more, compared as a whole.
    public func adding(_ names: String...) -> Redaction {
        Redaction(names: self.names.union(names.map(\.folded)), readsWords: readsWords)
    }

    var isEmpty: Bool { names.isEmpty && !readsWords }

    /// What a name says of its value.
    package func secrecy(of name: String, in place: NamePlace) -> Secrecy {
        // A byte order mark at the start of a form belongs to the first name.
        let name =
            name.unicodeScalars.first == "\u{feff}" ? String(name.unicodeScalars.dropFirst()) : name
        if !names.isEmpty, isListed(name) { return .always }
        return readsWords ? SecretName.secrecy(of: name, in: place) : .none
    }

    /// Whether the value that goes by this name is a secret.
    package func hides(_ name: String, in place: NamePlace, value: some Collection<UInt8>) -> Bool {
        switch secrecy(of: name, in: place) {
        case .none: false
        case .byValue: SecretName.looksLikeToken(value)
        case .always: true
        }
    }

    /// The name as a whole, or one of its words: `user[password]`, `/route?token`.
    private func isListed(_ name: String) -> Bool {
        names.contains(name.folded)
            || name.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
                .contains { names.contains(String($0).folded) }
    }

    /// A header's value as it may be shown: nothing of a secret one, no secrets in URLs of others.
    package func headerValue(_ value: String, named name: String) -> String {
        hides(name, in: .header, value: value.utf8) ? Self.mark : text(value)
    }

    /// A body as it may be shown; nil if it cannot be read, and so may hold anything.
    ///
    /// JSON is told by its text, a form by its content type. Everything that is no secret is
    /// kept, byte for byte.
    package func body(_ body: Data, contentType: String?) -> String? {
        if isEmpty { return exactText(body) }
        if let json = json(Array(body)) { return String(decoding: json, as: UTF8.self) }
        guard mediaType(contentType) == Self.formType else { return nil }
        return exactText(body).map { items($0) }
    }

    static let formType = "application/x-www-form-urlencoded"

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
