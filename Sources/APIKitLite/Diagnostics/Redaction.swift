import Foundation

/// The names of the secrets that a log, an error or a curl command must not show.
///
/// A name applies to headers, query items, form fields, JSON keys and names in texts. Unless the
/// redaction is ``none``, it also hides the user info of URLs, and shows a body as its type and
/// size if the body is neither JSON nor a form.
///
///     request.curlCommand(redacting: .standard.adding("X-Tenant", "birthday"))
///
/// An app that has further secrets gives its redaction to all its requests at once, with
/// ``APIRequest/redaction`` in a protocol extension.
public struct Redaction: Sendable, Equatable, ExpressibleByArrayLiteral {
    private let names: Set<String>
    /// The names whose values are shown although a rule would hide them.
    private let shownNames: Set<String>
    private let readsWords: Bool

    /// The default redaction: it recognizes the usual secrets by the words in their names, and
    /// payment card numbers by their digits.
    ///
    /// The words of a name are separated by case, hyphens, underscores or dots, so
    /// `X-Amz-Security-Token`, `userPassword` and `client_secret` are secrets. These words and pairs
    /// of words make a name one:
    ///
    /// - Passwords: password, passwd, pwd, passphrase, passcode, secret, credential, mnemonic, seed
    ///   phrase; pass, pw and pin as the last word.
    /// - Tokens and keys: token, bearer, JWT, authorization, and API, access, private, signing,
    ///   subscription and other keys.
    /// - One-time codes: OTP, TOTP, one-time code, verification, SMS, MFA, two-factor, login, reset,
    ///   recovery, backup and device code.
    /// - Sessions: cookie, session id, `JSESSIONID`, CSRF, XSRF; session and sid as the last word,
    ///   in a header, a query or a form.
    /// - Signatures, also of signed URLs: signature, HMAC; sig as the last word.
    /// - Payment and identity: card number, credit card, CVV, CVC, CVN, security code, IBAN, account
    ///   number, SSN, social security.
    ///
    /// Not every value with such a name is hidden, and some values without one are:
    ///
    /// - A property of a secret is shown, such as `token_type`, `max_tokens` or `session_count`. So
    ///   are `true`, `false` and `null`.
    /// - `code`, `key`, `auth`, `access` and `refresh` are hidden in a query and in a form. In JSON
    ///   they are often no secrets (the `code` of an error), so they are hidden there only if the
    ///   value looks like a token: 16 characters or more, with letters and digits mixed. The same
    ///   holds for vague names in every place, such as `handle` and `policy`.
    /// - In a text, `password=…`, `Authorization: …`, JSON Web Tokens, and the user and password of
    ///   a curl command are hidden.
    /// - In every text, a payment card number is hidden: 13 to 19 digits that begin with 2 to 6 and
    ///   pass the Luhn check, with or without a space or a hyphen between groups of digits. One in
    ///   ten other numbers of that form passes the check, too. Timestamps begin with 1, so they
    ///   remain visible; where an identifier is hidden, `showing(_:)` shows it.
    ///
    /// Personal data, such as a name, an email address or a birthday, is shown: see
    /// `adding(_:)`.
    public static let standard = Redaction(names: [], shownNames: [], readsWords: true)

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
        self.init(names: Set(names.map(\.folded)), shownNames: [], readsWords: false)
    }

    private init(names: Set<String>, shownNames: Set<String>, readsWords: Bool) {
        self.names = names
        self.shownNames = shownNames
        self.readsWords = readsWords
    }

    /// Returns this redaction with more names.
    ///
    /// Whole names are compared, without case, hyphens and underscores.
    ///
    /// - Parameter names: The names of more secrets.
    /// - Returns: A redaction that hides what this one hides, and the values of these names.
    public func adding(_ names: String...) -> Redaction { adding(names) }

    /// Returns this redaction with more names.
    ///
    /// Whole names are compared, without case, hyphens and underscores.
    ///
    /// - Parameter names: The names of more secrets.
    /// - Returns: A redaction that hides what this one hides, and the values of these names.
    public func adding(_ names: [String]) -> Redaction {
        let added = Set(names.map(\.folded))
        return Redaction(
            names: self.names.union(added), shownNames: shownNames.subtracting(added),
            readsWords: readsWords)
    }

    /// Returns this redaction without some names, so that a test can show what they hide.
    ///
    ///     let network = MockNetwork(redacting: .standard.showing("pin"))
    ///
    /// Whole names are compared, without case, hyphens and underscores. The value of such a header,
    /// query item, form field or JSON key is shown as it is, also if it looks like a secret. An
    /// object or array under another secret name remains hidden as a whole.
    ///
    /// - Parameter names: The names whose values are not secrets.
    /// - Returns: A redaction that hides what this one hides, except the values of these names.
    public func showing(_ names: String...) -> Redaction { showing(names) }

    /// Returns this redaction without some names, so that a test can show what they hide.
    ///
    /// The names apply as in `showing(_:)`.
    ///
    /// - Parameter names: The names whose values are not secrets.
    /// - Returns: A redaction that hides what this one hides, except the values of these names.
    public func showing(_ names: [String]) -> Redaction {
        let shown = Set(names.map(\.folded))
        return Redaction(
            names: self.names.subtracting(shown), shownNames: shownNames.union(shown),
            readsWords: readsWords)
    }

    /// Returns a redaction that hides what this one or another one hides.
    func union(_ other: Redaction) -> Redaction {
        Redaction(
            names: names.union(other.names),
            shownNames: shownNames.intersection(other.shownNames),
            readsWords: readsWords || other.readsWords)
    }

    /// Whether payment card numbers are hidden wherever they occur.
    var hidesCardNumbers: Bool { readsWords }

    /// Whether this redaction hides nothing.
    var isEmpty: Bool { names.isEmpty && !readsWords }

    /// Returns what a name implies about its value.
    package func secrecy(of name: String, in place: NamePlace) -> Secrecy {
        let name = name.withoutByteOrderMark
        if shows(name) { return .none }
        if !names.isEmpty, isListed(name) { return .always }
        return readsWords ? SecretName.secrecy(of: name, in: place) : .none
    }

    /// Whether the values of some names are shown as they are.
    var hasShownNames: Bool { !shownNames.isEmpty }

    /// Whether a value with this name is shown as it is.
    package func shows(_ name: String) -> Bool {
        hasShownNames && shownNames.contains(name.withoutByteOrderMark.folded)
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
        case .always: !isLiteral(value) || isListed(name.withoutByteOrderMark)
        }
    }

    /// Whether a value is `true`, `false` or `null`. With a name that only its words make secret, it
    /// is none.
    private func isLiteral(_ value: some Collection<UInt8>) -> Bool {
        guard value.count == 4 || value.count == 5 else { return false }
        return ["true", "false", "null"]
            .contains(String(decoding: value, as: UTF8.self).lowercased())
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
        if shows(name) { return value }
        return hides(name, in: .header, value: value.utf8) ? Self.mark : text(value)
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

    /// The name without a byte order mark. In a form, a mark at the start belongs to the first name.
    fileprivate var withoutByteOrderMark: String {
        unicodeScalars.first == "\u{feff}" ? String(unicodeScalars.dropFirst()) : self
    }
}
