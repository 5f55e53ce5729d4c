import Foundation

/// The names of the secrets that a log, an error or a curl command must not show.
///
/// A name applies to headers, query items, form fields and JSON keys. Unless the redaction is
/// ``none``, it also hides the user info of URLs, and shows a body as its type and size if the body
/// is neither JSON nor a form.
///
///     request.curlCommand(redacting: .standard.adding("X-Tenant", "birthday"))
///
/// A value of at least four characters that a request carries under such a name is also hidden
/// elsewhere in the same error, event or report, for example if the server repeats it in a message.
/// In the path of a URL, it is hidden as a whole segment, and within one only if it does not consist
/// of words; in a host, never. The body of the request is searched for such values up to 100,000
/// bytes.
///
/// An app that has further secrets gives its redaction to all its requests at once, with
/// ``APIRequest/redaction`` in a protocol extension.
public struct Redaction: Sendable, Equatable, ExpressibleByArrayLiteral {
    private var names: Set<String>
    /// The names whose values are shown although a rule would hide them.
    private var shownNames: Set<String> = []
    private var readsWords = false
    /// The secrets that are hidden wherever they occur, as they are and percent-encoded. The
    /// longest comes first, because a secret may contain a shorter one.
    package internal(set) var values: [String] = [] {
        didSet { values.sort { $0.utf8.count > $1.utf8.count } }
    }

    /// The default redaction: it recognizes the usual secrets by the words in their names.
    ///
    /// The words of a name are separated by case, hyphens, underscores or dots, and may be in the
    /// plural, so `X-Amz-Security-Token`, `userPassword`, `client_secret` and `backup_codes` are
    /// secrets. These words make a name one:
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
    /// Some values with such a name are shown:
    ///
    /// - A property of a secret, such as `token_type` or `session_count`; a number of tokens, such
    ///   as `max_tokens`; and `true`, `false` and `null`.
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
        redaction.values += values
        return redaction
    }

    /// Returns a redaction that no longer hides these names, for example in a test.
    ///
    ///     let network = MockNetwork(redacting: .standard.showing("pin"))
    ///
    /// Whole names are compared, without case, hyphens and underscores. The value of such a header,
    /// query item, form field or JSON key is shown as it is. An object or array under another
    /// secret name remains hidden as a whole.
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

    func union(_ other: Redaction) -> Redaction {
        var redaction = self
        redaction.names.formUnion(other.names)
        redaction.shownNames.formIntersection(other.shownNames)
        redaction.readsWords = readsWords || other.readsWords
        redaction.values += other.values
        return redaction
    }

    var isEmpty: Bool { names.isEmpty && !readsWords && values.isEmpty }

    var isStandard: Bool { names.isEmpty && shownNames.isEmpty && readsWords }

    package func shows(_ name: String) -> Bool {
        !shownNames.isEmpty && shownNames.contains(name.folded)
    }

    /// Whether a value is a secret because of its name.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value as text, or `nil` for an object or array.
    ///   - isKey: Whether the name is a JSON key, where `code` is often no secret.
    @inline(never)  // It is called in many places, and not often: inlined, it slows the compiler.
    package func hides(_ name: String, _ value: String?, isKey: Bool = false) -> Bool {
        if name.isEmpty || value == "null" || shows(name) { return false }
        if !names.isEmpty, isListed(name) { return true }
        guard readsWords else { return false }
        return SecretName.isSecret(name) && !SecretName.isHarmless(value, named: name)
            || SecretName.isVague(name) && (!isKey || SecretName.looksLikeToken(value))
    }

    /// Whether the list of names has this name, or a part of it: `user[password]`, `/route?token`.
    private func isListed(_ name: String) -> Bool {
        names.contains(name.folded)
            || name.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
                .contains { names.contains(String($0).folded) }
    }

    /// The number of bytes of the shortest value that looks random.
    package static let shortestRandom = 8

    /// Whether a value can be recognized within other text. It is no URL, and not only words: it has
    /// a digit, another character than those between words, or 20 letters in a row.
    package static func looksRandom(_ value: String) -> Bool {
        guard value.utf8.count >= shortestRandom, !value.contains("://") else { return false }
        return value.split { "-_./: ".contains($0) }.contains { word in
            word.count >= 20 || !word.allSatisfy(\.isLetter)
        }
    }

    package func text(_ text: String) -> String {
        values.reduce(text) {
            $0.replacingOccurrences(of: $1, with: Self.mark, options: .literal)
        }
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

    package func value(_ value: String, named name: String) -> String {
        if shows(name) { return value }
        return hides(name, value) ? Self.mark : text(value)
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
        guard unicodeScalars.contains(where: { $0.value < 0x20 }) else { return self }
        let lines = unicodeScalars.split { $0.value < 0x20 }.map { $0.drop { $0 == " " } }
        return lines.filter { !$0.isEmpty }.map { String($0) }.joined(separator: " ")
    }
}
