import Foundation

/// The names of the secrets that a log, an error or a curl command must not show.
///
/// A name applies to headers, cookies, query items, parameters of a path, form fields and JSON keys,
/// also of a URL or JSON that is the value of another name. A string becomes `REDACTED`, a number in
/// JSON 0, and all else stays as it is. Unless the redaction is ``none``, it also hides the user info
/// of URLs, and shows a body as its type and size if the body is neither JSON nor a form.
///
///     request.curlCommand(redacting: .standard.adding("X-Tenant", "birthday"))
///
/// A value of at least four bytes that a request or its response has under such a name is also hidden
/// elsewhere in the same error or event, for example if the server repeats it in a message: everywhere
/// but in hosts if it looks random, and otherwise not within other words. Bodies are searched for
/// such values up to 100,000 bytes.
///
/// What is encoded twice or in Base64, and a value in XML, CSV or any other text, has no name that is
/// read: hide it with `adding(values:)`.
///
/// An app that has further secrets gives its redaction to all its requests at once, with
/// ``APIRequest/redaction`` in a protocol extension.
public struct Redaction: Sendable, Equatable, ExpressibleByArrayLiteral {
    private var names: Set<String>
    /// The names whose values are shown although a rule would hide them.
    private var shownNames: Set<String> = []
    private var readsWords = false
    /// The values of the app that are hidden wherever they occur.
    private(set) var values: Set<String> = []
    /// The values that are hidden outside other words: those of the secret names of a request.
    private var found: Set<String> = []
    private var search = ValueSearch(given: [], found: [])

    /// The default redaction: it recognizes the usual secrets by the words in their names.
    ///
    /// Case, hyphens, underscores and dots may separate the words of a name, so
    /// `X-Amz-Security-Token`, `userPassword`, `client_secret` and `backup_codes` are secrets. These
    /// words make a name one:
    ///
    /// - Passwords: password, passwd, pwd, pass, pw, pin, passphrase, passcode, secret, credential,
    ///   mnemonic, seed phrase, security answer.
    /// - Tokens and keys: token, bearer, JWT, DPoP, authorization, and API, access, private,
    ///   signing, subscription and other keys.
    /// - One-time codes: OTP, TOTP, one-time code, verification, SMS, MFA, two-factor, login,
    ///   reset, recovery, backup and device code.
    /// - Sessions: cookie, session id, `JSESSIONID`, CSRF, XSRF; session and sid as the last word.
    /// - Signatures, also of signed URLs: signature, sig, HMAC.
    /// - Payment and identity: card number, credit card, CVV, CVC, CVN, security code, IBAN,
    ///   account number, SSN, social security.
    ///
    /// The tokens of GitHub, GitLab, npm, Stripe, OpenAI, Slack, AWS, SendGrid and Google, JSON Web
    /// Tokens, and private keys in PEM are recognized by their shapes, whatever their names are.
    ///
    /// Some values with such a name are shown:
    ///
    /// - A property of a secret, such as `token_type` or `session_count`; a number of tokens, such
    ///   as `max_tokens`; `true`, `false` and `null`; and an empty value.
    /// - The values of `code`, `key`, `auth`, `access`, `refresh`, `assertion`, `session` and `sid`
    ///   are hidden in a header, a query and a form. In JSON they are often no secrets (the `code`
    ///   of an error), so they are hidden there only if the value looks like a token: 20 characters
    ///   or more, with a digit and a small letter, and without a space.
    ///
    /// Personal data, such as a name, an email address or a birthday, is shown: see
    /// `adding(_:)`.
    public static let standard = {
        var redaction = Redaction()
        redaction.readsWords = true
        return redaction
    }()

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
        self.names = Set(names.map(\.folded))
    }

    /// Returns this redaction with more names.
    ///
    /// Whole names are compared, without case, hyphens and underscores.
    ///
    /// - Parameter names: The names of more secrets.
    /// - Returns: A redaction that hides what this one hides, and the values of these names.
    public func adding(_ names: String...) -> Redaction { adding(names) }

    package func adding(_ names: [String]) -> Redaction {
        let added = names.map(\.folded)
        var redaction = self
        redaction.names.formUnion(added)
        redaction.shownNames.subtract(added)
        return redaction
    }

    /// Returns this redaction with values that are secrets wherever they occur, also as numbers in
    /// JSON.
    ///
    /// - Parameter values: The values of more secrets. A short one also hides parts of other words.
    /// - Returns: A redaction that hides what this one hides, and these values.
    public func adding(values: String...) -> Redaction {
        var redaction = self
        redaction.values.formUnion(values.filter { !$0.isEmpty })
        return redaction.searching()
    }

    /// Returns this redaction, which also hides values that were found under secret names.
    func adding(found values: some Sequence<String>) -> Redaction {
        var redaction = self
        redaction.found.formUnion(values)
        return redaction.found == found ? self : redaction.searching()
    }

    private func searching() -> Redaction {
        var redaction = self
        redaction.search = ValueSearch(given: values, found: found)
        return redaction
    }

    /// Returns a redaction that no longer hides these names.
    ///
    /// Whole names are compared, without case, hyphens and underscores. The value of such a header,
    /// query item, form field or JSON key is shown as it is, unless it is in an object or array under
    /// another secret name.
    ///
    /// - Parameter names: The names whose values are not secrets.
    /// - Returns: A redaction that hides what this one hides, except the values of these names.
    public func showing(_ names: String...) -> Redaction { showing(names) }

    package func showing(_ names: [String]) -> Redaction {
        let shown = names.map(\.folded)
        var redaction = self
        redaction.names.subtract(shown)
        redaction.shownNames.formUnion(shown)
        return redaction
    }

    /// Returns this redaction without those of its added names that mean something else in a file.
    package func withoutNames(_ names: Set<String>) -> Redaction {
        var redaction = self
        redaction.names.subtract(names.map(\.folded))
        return redaction
    }

    func union(_ other: Redaction) -> Redaction {
        var redaction = self
        redaction.names.formUnion(other.names)
        redaction.shownNames.formIntersection(other.shownNames)
        redaction.readsWords = readsWords || other.readsWords
        redaction.values.formUnion(other.values)
        redaction.found.formUnion(other.found)
        return redaction.searching()
    }

    var isEmpty: Bool { names.isEmpty && !readsWords && values.isEmpty && found.isEmpty }

    var isStandard: Bool { names.isEmpty && shownNames.isEmpty && readsWords }

    /// What a name says about its value.
    func name(_ name: String) -> SecretName {
        if name.isEmpty { return .ordinary }
        if !shownNames.isEmpty, shownNames.contains(name.folded) { return .shown }
        if !names.isEmpty, isListed(name) { return .added }
        return readsWords ? SecretName(name) : .ordinary
    }

    /// Whether a value is a secret because of its name.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value as text, or `nil` for an object, an array or a file.
    ///   - isKey: Whether the name is a JSON key, where `code` is often no secret.
    func hides(_ name: SecretName, _ value: String?, isKey: Bool) -> Bool {
        if let value, value.isEmpty || value == "null" { return false }
        switch name {
        case .shown, .ordinary: return false
        case .added: return true
        case .secret(let isCount):
            return !["true", "false"].contains(value)
                && !(isCount && value?.allSatisfy(\.isNumber) ?? false)
        case .vague: return !isKey || Self.looksLikeToken(value)
        }
    }

    /// Whether a value is long, with a digit and a small letter, and without a space.
    private static func looksLikeToken(_ value: String?) -> Bool {
        guard let value, value.utf8.count >= 20 else { return false }
        return value.contains(where: \.isNumber) && value.contains(where: \.isLowercase)
            && !value.contains(where: \.isWhitespace)
    }

    @inline(never)  // It is called in many places, and not often: inlined, it slows the compiler.
    package func hides(_ name: String, _ value: String?, isKey: Bool = false) -> Bool {
        hides(self.name(name), value, isKey: isKey)
    }

    /// Whether the list of names has this name, or a part of it: `user[password]`, `/route?token`.
    private func isListed(_ name: String) -> Bool {
        names.contains(name.folded)
            || name.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
                .contains { names.contains(String($0).folded) }
    }

    /// Whether a number in JSON is one of the values that are hidden.
    func isGiven(_ number: String) -> Bool { values.contains(number) || found.contains(number) }

    /// Whether a value can be recognized within other text. It is no URL, and not only words: it has
    /// a digit, another character than those between words, or 20 letters in a row.
    static func looksRandom(_ value: String) -> Bool {
        guard value.utf8.count >= 8, !value.contains("://") else { return false }
        return value.split { "-_./: ".contains($0) }.contains { word in
            word.count >= 20 || !word.allSatisfy(\.isLetter)
        }
    }

    /// Returns a text without the values that are hidden everywhere, and without tokens of a known
    /// shape.
    package func text(_ text: String) -> String {
        let shown = search.hiding(in: text)
        return readsWords ? TokenShape.hiding(in: shown) : shown
    }

    /// Returns the beginning of a text with the secrets of the request redacted.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - limit: The length of the result, in bytes.
    ///   - onOneLine: Whether a line break and the spaces after it become one space.
    package func excerpt(_ text: String, limit: Int = 200, onOneLine: Bool = true) -> String {
        self.text(text).excerpt(limit: limit, onOneLine: onOneLine)
    }

    /// Returns the description of a body that cannot be shown: `<image/png, 1,234 bytes>`.
    package func placeholder(for body: Data, contentType: String?) -> String {
        placeholder(size: byteCount(body.count), contentType: contentType)
    }

    func placeholder(size: String, contentType: String?) -> String {
        "<\(text(mediaType(contentType) ?? "unknown type")), \(size)>"
    }
}

extension String {
    /// The name in the form in which names are compared: its letters and digits.
    fileprivate var folded: String { lowercased().filter { $0.isLetter || $0.isNumber } }

    /// Returns the beginning of the text, cut between two characters, with `…` if more follows.
    ///
    /// - Parameters:
    ///   - limit: The length of the result, in bytes.
    ///   - onOneLine: Whether a line break and the spaces after it become one space.
    package func excerpt(limit: Int = 200, onOneLine: Bool = true) -> String {
        let text = onOneLine ? self.onOneLine : self
        guard text.utf8.count > limit else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: limit - "…".utf8.count)
        while end.samePosition(in: text.unicodeScalars) == nil {
            end = text.utf8.index(before: end)
        }
        return text[..<end] + "…"
    }

    /// The text without control characters: each run of them, and the spaces after it, is a space.
    private var onOneLine: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        let lines = unicodeScalars.split(whereSeparator: \.isControl).map { $0.drop { $0 == " " } }
        return lines.filter { !$0.isEmpty }.map { String($0) }.joined(separator: " ")
    }

    /// The text without control characters, except line feeds and tabs: a server must neither begin
    /// a line of a log nor send commands to a terminal.
    var withoutControls: String {
        let isRemoved = { (scalar: Unicode.Scalar) in
            scalar.isControl && scalar != "\n" && scalar != "\t"
        }
        guard unicodeScalars.contains(where: isRemoved) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.filter { !isRemoved($0) }))
    }
}

extension Unicode.Scalar {
    /// Whether it is a control character, a line or paragraph separator, or changes the direction of
    /// the text after it. Joiners and marks are needed in emoji and in many languages.
    fileprivate var isControl: Bool {
        switch value {
        case ..<0x20, 0x7F...0x9F, 0x2028...0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
