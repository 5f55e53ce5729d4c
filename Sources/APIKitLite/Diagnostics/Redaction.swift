import Foundation

/// The names of secrets, whose values a log, an error or a curl command must not show.
///
/// A name applies to headers, cookies, query items, form fields and JSON keys, even in a URL or
/// JSON that is itself a value. A secret string becomes `REDACTED`. In JSON, a secret number
/// becomes 0, and a secret Boolean becomes `false`. The text around a secret is unchanged. Unless
/// the redaction is ``none``, it also hides the user info of URLs, and shows only the type and size
/// of a body that is neither JSON nor a form.
///
///     request.curlCommand(redacting: .standard.adding("X-Tenant", "birthday"))
///
/// A value of at least four bytes that a request or its response has under a secret name is also
/// hidden elsewhere in the same error or event, for example if the server repeats it in a message.
/// Numbers, and values that do not look random, are hidden only as whole words. Other values are
/// hidden everywhere, but not always in host names. The password of a Basic credential is also
/// hidden in this way. Bodies up to 100,000 bytes are searched for such values. Of a longer body,
/// an error shows only the beginning, or the JSON around a decoding error. JSON over 2,000,000
/// bytes is not shown.
///
/// Some secrets are not recognized by name: text that is encoded twice, Base64 other than a Basic
/// credential, a value in XML, CSV or any other text, the keys of an object under a secret name,
/// and the `value` next to a `name` in JSON. Hide such secrets with `adding(values:)`. A `URLError`
/// thrown by a session has the entire URL in its `userInfo`. Print the error thrown by a load
/// instead.
///
/// If your app has other secrets, set ``APIRequest/redaction`` for all its requests in a protocol
/// extension.
public struct Redaction: Sendable, Equatable {
    private var names: Set<String> = []
    /// The names whose values are shown even if a word in the name suggests a secret.
    private var shownNames: Set<String> = []
    private var readsWords = false
    private(set) var values = ValueSearch()
    /// The numbered marks used in an archive, or nil to replace all secrets with the same mark.
    var marks: SecretMarks?

    /// The default redaction: it recognizes the usual secrets by the words in their names.
    ///
    /// Capital letters, hyphens, underscores and dots may separate the words of a name, so
    /// `X-Amz-Security-Token`, `userPassword`, `client_secret` and `backup_codes` are secret. These
    /// words make a name secret:
    ///
    /// - Passwords: password, passwd, pwd, pass, pw, pin, passphrase, passcode, secret, credential,
    ///   mnemonic, seed phrase, security answer.
    /// - Tokens and keys: token, bearer, JWT, DPoP, authorization, API key, access key, private
    ///   key, signing key, subscription key and similar keys.
    /// - One-time codes: OTP, TOTP, and one-time, verification, SMS, MFA, two-factor, login, reset,
    ///   recovery, backup and device codes.
    /// - Sessions: cookie, session id, `JSESSIONID`, CSRF, XSRF; session and sid as the last word.
    /// - Signatures, including in signed URLs: signature, sig, HMAC.
    /// - Payment and identity: card number, credit card, CVV, CVC, CVN, security code, IBAN,
    ///   account number, SSN, social security.
    ///
    /// JSON Web Tokens, private keys in PEM, and the tokens of GitHub, GitLab, npm, Stripe, OpenAI,
    /// Slack, AWS, SendGrid and Google are recognized by their formats, whatever their names.
    ///
    /// Some values with secret names are not hidden:
    ///
    /// - A property of a secret, such as `token_type` or `session_count`; a number of tokens, such
    ///   as `max_tokens`; `true`, `false` and `null`; and an empty value.
    /// - In JSON, a value whose name is `code`, `key`, `auth`, `access`, `refresh` or `assertion`,
    ///   or ends in the word `session` or `sid`. In JSON, such a value is often not secret, for
    ///   example the `code` of an error. In a header, a query and a form, such a value is hidden.
    ///
    /// Personal data, such as a name, an email address or a birthday, is not hidden: see
    /// `adding(_:)`.
    public static let standard = Redaction().changed { $0.readsWords = true }

    /// A redaction that hides nothing. Any body that is text is shown.
    ///
    /// To choose all the names yourself, write `.none.adding("pin")`.
    public static let none = Redaction()

    /// The text that replaces a secret.
    package static let mark = "REDACTED"

    /// Returns this redaction with more names.
    ///
    /// An added name must match a whole name, or a whole part of it such as `pin` in `user[pin]`.
    /// Case, hyphens and underscores make no difference, so `access_token` matches `accessToken`.
    public func adding(_ names: String...) -> Redaction {
        let added = names.map(\.folded)
        return changed {
            $0.names.formUnion(added)
            $0.shownNames.subtract(added)
        }
    }

    /// Returns this redaction, extended to hide values wherever they occur, even as numbers in
    /// JSON, but not always in host names.
    ///
    /// - Parameter values: More secret values. A short value is also hidden within other words.
    public func adding(values: String...) -> Redaction {
        changed { $0.values = $0.values.adding(given: values.filter { !$0.isEmpty }) }
    }

    /// Returns this redaction, extended to hide the given values, which were found under secret
    /// names, in other places too. Values under four bytes are ignored, because they also occur in
    /// harmless text.
    func hidingValues(_ values: [String]) -> Redaction {
        changed { $0.values = $0.values.adding(found: values.filter { $0.utf8.count >= 4 }) }
    }

    /// Returns this redaction, extended to hide those of the given values that look random.
    package func hidingRandomValues(_ values: [String]) -> Redaction {
        isEmpty ? self : hidingValues(values.filter(Self.looksRandom))
    }

    /// Returns a copy of this redaction that does not hide values under these names.
    ///
    /// A name must match in full, but case, hyphens and underscores make no difference. The values
    /// are shown unchanged, except within an object or array under another secret name.
    public func showing(_ names: String...) -> Redaction {
        let shown = names.map(\.folded)
        return changed {
            $0.names.subtract(shown)
            $0.shownNames.formUnion(shown)
        }
    }

    package func union(_ other: Redaction) -> Redaction {
        changed {
            $0.names.formUnion(other.names)
            $0.shownNames.formIntersection(other.shownNames)
            $0.readsWords = readsWords || other.readsWords
            $0.values = values.adding(given: other.values.given, found: other.values.found)
        }
    }

    func changed(_ change: (inout Redaction) -> Void) -> Redaction {
        var redaction = self
        change(&redaction)
        return redaction
    }

    var isEmpty: Bool { names.isEmpty && !readsWords && values.isEmpty }

    /// Returns whether a name suggests that its value is secret.
    func name(_ name: String) -> SecretName {
        if name.isEmpty { return .ordinary }
        if !shownNames.isEmpty, shownNames.contains(name.folded) { return .shown }
        if !names.isEmpty, isListed(name) { return .added }
        return readsWords ? SecretName(name) : .ordinary
    }

    /// Returns whether a value is secret because of its name. If the value is nil, as for an
    /// object, an array or a part of a multipart form, only the name counts.
    func hides(_ name: SecretName, _ value: String?, isKey: Bool) -> Bool {
        if let value, value.isEmpty || value == "null" { return false }
        switch name {
        case .shown, .ordinary: return false
        case .added: return true
        case .secret(let isCount):
            return !["true", "false"].contains(value)
                && !(isCount && value?.allSatisfy(\.isNumber) ?? false)
        case .vague: return !isKey
        }
    }

    @inline(never)  // Inlining its many rare calls slows the compiler.
    package func hides(_ name: String, _ value: String?, isKey: Bool = false) -> Bool {
        hides(self.name(name), value, isKey: isKey)
    }

    /// Returns whether the name, or a part of it, was added: `user[password]`, `/route?token`.
    private func isListed(_ name: String) -> Bool {
        names.contains(name.folded)
            || name.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
                .contains { names.contains(String($0).folded) }
    }

    /// Returns whether a number in JSON is one of the hidden values.
    func isGiven(_ number: String) -> Bool {
        values.given.contains(number) || values.found.contains(number)
    }

    /// Returns whether a value looks random, and so does not occur in other text by chance. Such a
    /// value has at least eight bytes and no `://`, and contains 20 letters in a row, or a
    /// character other than letters, spaces and `-_./:`.
    static func looksRandom(_ value: String) -> Bool {
        guard value.utf8.count >= 8, !value.contains("://") else { return false }
        return value.split { "-_./: ".contains($0) }.contains { word in
            word.count >= 20 || !word.allSatisfy(\.isLetter)
        }
    }

    /// Returns the text without known values and, if this redaction extends ``standard``, without
    /// tokens of a known shape.
    package func text(_ text: String) -> String {
        let shown = values.hiding(in: text) { mark($0) }
        return readsWords ? TokenShape.hiding(in: shown) { mark($0) } : shown
    }

    /// Returns text that was cut, with a mark in place of the incomplete value or token that is
    /// found at its end, if any.
    func withoutCutSecret(_ text: String) -> String {
        let cut =
            values.cutValue(in: Array(text.utf8))
            ?? (readsWords ? TokenShape.cutToken(in: text) : nil)
        return cut.map { text.beginning($0.start) + mark($0.value) } ?? text
    }

    /// Returns the description of a body that cannot be shown: `<image/png, 1,234 bytes>`.
    package func placeholder(
        for body: Data, contentType: String?, contentEncoding: String? = nil
    ) -> String {
        let coding = compression(of: body, contentEncoding).map { ", compressed with \($0)" }
        return placeholder(size: byteCount(body.count) + (coding ?? ""), contentType: contentType)
    }

    func placeholder(size: String, contentType: String?) -> String {
        "<\(text(mediaType(contentType) ?? "unknown type")), \(size)>"
    }
}

extension String {
    /// The letters and digits of a name in lower case, for comparison.
    var folded: String { lowercased().filter { $0.isLetter || $0.isNumber } }
}
