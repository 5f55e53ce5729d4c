import Foundation

/// The names of the secrets that a log, an error or a curl command must not show.
///
/// A name applies to headers, query items, form fields, JSON keys and names in texts. Unless the
/// redaction is ``none``, it also hides the user info of URLs, and shows a body as its type and
/// size if the body is neither JSON nor a form.
///
///     request.curlCommand(redacting: .standard.adding("X-Session", "cardholder"))
public struct Redaction: Sendable, Equatable, ExpressibleByArrayLiteral {
    private let names: Set<String>
    private let readsWords: Bool

    /// The default redaction: it recognizes the usual credentials by the words in their names.
    ///
    /// Such words are token, secret, signature, password, credential, authorization, cookie, API
    /// key and session id. They occur in `X-Amz-Security-Token`, `userPassword` and
    /// `client_secret`.
    ///
    /// - A property of a secret is shown, such as `token_type` or `max_tokens`. So are `true`,
    ///   `false` and `null`.
    /// - `code`, `key` and `auth` are hidden in a query and in a form. In JSON they are hidden if
    ///   the value looks like a token: 16 characters or more, with letters and digits mixed. The
    ///   same holds for vague names, such as `access` and `refresh`.
    /// - In a text, `password=…`, `Authorization: …`, JSON Web Tokens, and the user and password of
    ///   a curl command are hidden.
    public static let standard = Redaction(names: [], readsWords: true)

    /// A redaction that hides nothing, the same as `[]`. Bodies are shown whatever they contain.
    public static let none: Redaction = []

    /// The text that replaces a secret.
    package static let mark = "REDACTED"

    /// Creates a redaction of the given names, and of no others.
    ///
    /// Whole names are compared, without case, hyphens and underscores: `access_token` equals
    /// `accessToken`.
    ///
    /// - Parameter names: The names of the secrets.
    public init(arrayLiteral names: String...) {
        self.init(names: Set(names.map(\.folded)), readsWords: false)
    }

    private init(names: Set<String>, readsWords: Bool) {
        self.names = names
        self.readsWords = readsWords
    }

    /// Returns this redaction with more names.
    ///
    /// Whole names are compared, without case, hyphens and underscores.
    ///
    /// - Parameter names: The names of more secrets.
    /// - Returns: A redaction that hides what this one hides, and the values of these names.
    public func adding(_ names: String...) -> Redaction {
        Redaction(names: self.names.union(names.map(\.folded)), readsWords: readsWords)
    }

    /// Whether this redaction hides nothing.
    var isEmpty: Bool { names.isEmpty && !readsWords }

    /// Returns what a name implies about its value.
    package func secrecy(of name: String, in place: NamePlace) -> Secrecy {
        // A byte order mark at the start of a form belongs to the first name.
        let name =
            name.unicodeScalars.first == "\u{feff}" ? String(name.unicodeScalars.dropFirst()) : name
        if !names.isEmpty, isListed(name) { return .always }
        return readsWords ? SecretName.secrecy(of: name, in: place) : .none
    }

    /// Whether a value with this name is a secret.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - place: The place in which the name occurs.
    ///   - value: The bytes of the value.
    package func hides(_ name: String, in place: NamePlace, value: some Collection<UInt8>) -> Bool {
        switch secrecy(of: name, in: place) {
        case .none: false
        case .byValue: SecretName.looksLikeToken(value)
        case .always: true
        }
    }

    /// Whether the list of names has this name, or a part of it: `user[password]`, `/route?token`.
    private func isListed(_ name: String) -> Bool {
        names.contains(name.folded)
            || name.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
                .contains { names.contains(String($0).folded) }
    }

    /// Returns the value of a header with its secrets redacted.
    ///
    /// The value of a secret header is hidden as a whole; any other value is redacted as a text.
    package func headerValue(_ value: String, named name: String) -> String {
        hides(name, in: .header, value: value.utf8) ? Self.mark : text(value)
    }

    /// Returns a body with its secrets redacted and all other bytes unchanged.
    ///
    /// JSON is recognized by its text, a form by its content type.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - contentType: The value of the `Content-Type` header.
    /// - Returns: `nil` if the body is neither JSON nor a form, because any part of it may then be
    ///   a secret. Without redaction, `nil` if the body is not text.
    package func body(_ body: Data, contentType: String?) -> String? {
        if isEmpty { return exactText(body) }
        if let json = json(Array(body)) { return String(decoding: json, as: UTF8.self) }
        guard mediaType(contentType) == Self.formType else { return nil }
        return exactText(body).map { items($0) }
    }

    /// The media type of a form.
    static let formType = "application/x-www-form-urlencoded"

    /// Returns the description of a body that cannot be shown: `<image/png, 1,234 bytes>`.
    package func placeholder(for body: Data, contentType: String?) -> String {
        placeholder(size: byteCount(body.count), contentType: contentType)
    }

    /// Returns the description of a body that cannot be shown, with its size as a text.
    func placeholder(size: String, contentType: String?) -> String {
        "<\(text(mediaType(contentType) ?? "unknown type")), \(size)>"
    }
}

extension String {
    /// The name in the form in which names are compared.
    fileprivate var folded: String { lowercased().filter { $0 != "-" && $0 != "_" } }
}
