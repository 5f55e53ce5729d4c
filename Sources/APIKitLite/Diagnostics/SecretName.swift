/// What a name implies about its value: not a secret, a secret, or a secret if it looks like a
/// token.
package enum Secrecy: Comparable, Sendable {
    /// The value may be shown.
    case none
    /// The value is a secret if it looks like a token: see `SecretName.looksLikeToken(_:)`.
    case byValue
    /// The value is a secret.
    case always
}

/// The place in which a name occurs.
///
/// An OAuth `code` in a query is a secret, but the `code` of an error in JSON is not.
package enum NamePlace: Sendable {
    /// The name of a header.
    case header
    /// The name of a query item or of a form field.
    case item
    /// A JSON key, or a name in a text.
    case key
}

/// The rules that recognize the names of secrets, such as `X-Amz-Security-Token` and
/// `userPassword`, by their words.
package enum SecretName {
    /// Words that make a name secret.
    private static let secretWords: Set<String> = [
        "token", "secret", "secrets", "signature", "password", "passwords", "passwd", "pwd",
        "passphrase", "passcode", "credential", "credentials", "creds", "authorization",
        "authorisation", "bearer", "jwt", "jws", "otp", "totp", "cvv", "cvc", "cvn", "csrf",
        "xsrf", "cookie", "cookies", "jsessionid", "phpsessid", "sessid", "mnemonic", "hdnts",
        "hdnea", "hdntl", "ssn", "iban",
    ]

    /// Two or three words, without what separates them, that make a name secret.
    private static let compounds: Set<String> = [
        "accesskey", "accountkey", "apikey", "appkey", "applicationkey", "authkey", "clientkey",
        "consumerkey", "deploykey", "encryptionkey", "functionskey", "hostkey", "licensekey",
        "masterkey", "keypairid", "privatekey", "recoverykey", "secretkey", "servicekey",
        "sessionkey", "sharedkey", "signingkey", "storagekey", "streamkey", "subscriptionkey",
        "webhookkey", "sessionid", "sessioncookie", "devicecode", "verificationcode",
        "recoverycode", "backupcode", "mfacode", "smscode", "authcode", "codeverifier",
        "oauthverifier", "clientassertion", "samlresponse", "cardnumber", "cardno", "cardnum",
        "ccnumber", "ccnum", "creditcard", "debitcard", "securitycode", "accountnumber",
        "accesscode", "logincode", "resetcode", "onetimecode", "otpcode", "factorcode",
        "seedphrase", "recoveryphrase", "socialsecurity",
        // Digits separate words, so this is `2fa_code`.
        "facode",
    ]

    /// Words that make a name secret only as its last word: `user_pass`, but not `passThrough`.
    private static let lastWords: Set<String> = ["pass", "pin", "pw", "sig", "hmac"]

    /// Endings that make a word secret if its parts are not separated: `accesstoken`.
    private static let endings = [
        "token", "secret", "password", "passwd", "passphrase", "passcode", "signature",
        "credential", "credentials", "apikey", "accesskey", "privatekey", "secretkey", "sessionid",
    ]

    /// Last words of a name that describes a secret but is not one: `token_type`,
    /// `passwordResetRequired`, `X-Amz-SignatureVersion`.
    private static let attributes: Set<String> = [
        "type", "count", "length", "size", "limit", "max", "min", "usage", "used", "budget",
        "expiry", "expires", "expired", "expiration", "expire", "exp", "in", "at", "on", "by",
        "date", "time", "timestamp", "ttl", "age", "lifetime", "version", "method", "methods",
        "algorithm", "alg", "policy", "policies", "rules", "endpoint", "url", "uri", "path",
        "status", "state", "enabled", "disabled", "required", "supported", "valid", "verified",
        "exists", "present", "strength", "name", "names", "format", "reset", "changed", "updated",
        "created", "issuer", "audience", "scope", "scopes", "kind", "provider", "consent",
        "domain", "symbol", "decimals", "error", "errors", "message", "hint", "latency", "header",
        "headers",
    ]

    /// Words before `token` that make it a place in a list, not a credential: `next_page_token`.
    private static let pages = [
        "page", "next", "previous", "prev", "continuation", "sync", "cursor", "pagination", "skip",
        "delta", "start",
    ]

    /// Whole names that are always secret in an item. In other places the value decides.
    private static let ambiguous: Set<String> = ["code", "key", "auth", "access", "refresh"]

    /// Last words of a name that is always secret in an item or a header. In other places the
    /// value decides.
    private static let sessions: Set<String> = ["session", "sid"]

    /// Whole names for which the value decides in every place.
    private static let vague: Set<String> = [
        "tokens", "signatures", "keys", "policy", "handle", "assertion",
    ]

    /// Returns what a name implies about its value.
    static func secrecy(of name: String, in place: NamePlace) -> Secrecy {
        let parts = words(of: name, atCapitals: false)
        // Capitals may begin words, or be mixed as in `aCCess_tOkEn`, so both readings are checked.
        let partsAtCapitals = words(of: name, atCapitals: true)
        if holdsSecret(parts) || holdsSecret(partsAtCapitals) { return .always }
        if place == .header, joinsSecret(parts) { return .always }
        if [parts.last, partsAtCapitals.last].contains(where: { sessions.contains($0 ?? "") }) {
            return place == .key ? .byValue : .always
        }
        // The whole name in `user[code]` is `code`; in `error_code` it is `error_code`.
        let names = name.utf8.split { !isNameByte($0) || $0 == UInt8(ascii: ".") }
        guard let whole = names.last.map({ String(Substring($0)).lowercased() }) else {
            return .none
        }
        if ambiguous.contains(whole) { return place == .item ? .always : .byValue }
        return vague.contains(whole) ? .byValue : .none
    }

    /// Whether one word, or several without a separator, makes a name secret.
    private static func isSecret(_ text: String) -> Bool {
        secretWords.contains(text) || compounds.contains(text)
    }

    /// Whether one of the words, or two or three of them together, makes a name secret.
    private static func holdsSecret(_ words: [String]) -> Bool {
        guard let last = words.last, !attributes.contains(last) else { return false }
        if lastWords.contains(last) { return true }
        return words.indices.contains { index in
            let word = words[index]
            let before = index > 0 ? words[index - 1] : ""
            if isSecret(before + word) { return true }
            if index > 1, isSecret(words[index - 2] + before + word) { return true }
            if word == "token", pages.contains(before) { return false }
            // Both words, because `rapidapi` and `key` end with `apikey`.
            return isSecret(word) || hasSecretEnding(before + word)
        }
    }

    /// Whether a part of a header's name contains two words that make it secret, without a
    /// separator.
    ///
    /// Foundation on Linux writes the header `otpCodeValue` as `Otpcodevalue`, which has no capitals
    /// to separate the words. A single word such as `token` may be a part of an ordinary one.
    private static func joinsSecret(_ parts: [String]) -> Bool {
        guard let last = parts.last, !attributes.contains(last) else { return false }
        return parts.contains { part in
            part.utf8.count > 6 && compounds.contains { $0.utf8.count > 5 && part.contains($0) }
        }
    }

    /// Whether a word ends like a secret and is not a place in a list.
    private static func hasSecretEnding(_ word: String) -> Bool {
        guard let ending = endings.first(where: word.hasSuffix) else { return false }
        return ending != "token" || !pages.contains { word.hasSuffix($0 + ending) }
    }

    /// Returns the words of a name in lower case, without digits.
    ///
    /// - Parameters:
    ///   - name: The name, for example `OAuth2-APIKey`.
    ///   - atCapitals: Whether a capital begins a word. The words of the example are then
    ///     `o auth api key`, and otherwise `oauth apikey`.
    static func words(of name: String, atCapitals: Bool) -> [String] {
        var words: [String] = []
        var word: [UInt8] = []
        func end() {
            if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
            word = []
        }
        let bytes = Array(name.utf8)
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                let next = index + 1 < bytes.count ? bytes[index + 1] : 0
                let last = index > 0 ? bytes[index - 1] : 0
                // The last of several capitals begins the next word: "APIKey".
                if atCapitals, isLowercase(last) || isLowercase(next) { end() }
                word.append(byte | 0x20)
            case UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...:
                word.append(byte)
            default:
                end()
            }
        }
        end()
        return words
    }

    /// Whether a byte can be part of a name in a text.
    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "."), 0x80...:
            true
        default: false
        }
    }

    /// Whether a byte can be part of a token.
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"),
            UInt8(ascii: "_"), UInt8(ascii: "="), UInt8(ascii: "~"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func isLowercase(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
    }

    /// Whether a value looks like a token or a key.
    ///
    /// It has at least 16 characters of the base64 alphabets, and at least one digit. It also has
    /// letters of both cases, or at least 4 changes between letters and digits.
    package static func looksLikeToken(_ value: some Collection<UInt8>) -> Bool {
        guard value.count >= 16 else { return false }
        var (hasLower, hasUpper, hasDigit, changes) = (false, false, false, 0)
        var wasDigit: Bool?
        for byte in value {
            let isDigit = UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            let isUpper = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
            guard isTokenByte(byte) else { return false }
            guard isDigit || isUpper || isLowercase(byte) else { continue }
            if let wasDigit, wasDigit != isDigit { changes += 1 }
            wasDigit = isDigit
            hasDigit = hasDigit || isDigit
            hasUpper = hasUpper || isUpper
            hasLower = hasLower || isLowercase(byte)
        }
        return hasDigit && (hasLower && hasUpper || changes >= 4)
    }
}
