/// What a name says of the value that goes by it.
package enum Secrecy: Comparable, Sendable {
    /// It may be shown.
    case none
    /// It is a secret if it looks like one: see ``looksLikeToken(_:)``.
    case byValue
    /// It is a secret.
    case always
}

/// Where a name stands: an OAuth `code` in a query is a secret, the `code` of an error in JSON is not.
package enum NamePlace: Sendable {
    case header
    /// An item of a query, or a field of a form.
    case item
    /// A key of JSON, or a name in a text.
    case key
}

/// Reads names such as `X-Amz-Security-Token` and `userPassword` by the words they consist of.
package enum SecretName {
    /// Words that make a name secret, and pairs of words, written as one.
    private static let secrets: Set<String> = [
        "token", "secret", "secrets", "signature", "password", "passwords", "passwd", "pwd",
        "passphrase", "passcode", "credential", "credentials", "creds", "authorization",
        "authorisation", "bearer", "jwt", "jws", "otp", "totp", "cvv", "cvc", "csrf", "xsrf",
        "cookie", "cookies", "jsessionid", "phpsessid", "sessid",
        "accesskey", "accountkey", "apikey", "appkey", "applicationkey", "authkey", "clientkey",
        "consumerkey", "deploykey", "encryptionkey", "functionskey", "hostkey", "licensekey",
        "masterkey", "pairid", "privatekey", "recoverykey", "secretkey", "servicekey", "sessionkey",
        "sharedkey", "signingkey", "storagekey", "streamkey", "subscriptionkey", "webhookkey",
        "sessionid", "sessioncookie", "devicecode", "verificationcode", "recoverycode",
        "backupcode", "mfacode", "smscode", "authcode", "codeverifier", "oauthverifier",
        "clientassertion", "samlresponse", "cardnumber", "securitycode",
    ]

    /// Words that are secret as the last of a name: `user_pass`, but not `passThrough`.
    private static let lastWords: Set<String> = ["pass", "pin", "pw", "sig", "hmac"]

    /// What a word that was written without capitals may end with: `accesstoken`.
    private static let endings = [
        "token", "secret", "password", "passwd", "passphrase", "passcode", "signature",
        "credential", "credentials", "apikey", "accesskey", "privatekey", "secretkey", "sessionid",
    ]

    /// A name that ends with one of these tells something about a secret, not the secret:
    /// `token_type`, `passwordResetRequired`, `X-Amz-SignatureVersion`.
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

    /// Before `token`: a place in a list, not a credential.
    private static let pages = [
        "page", "next", "previous", "prev", "continuation", "sync", "cursor", "pagination", "skip",
        "delta", "start",
    ]

    /// Whole names that are secret in an item, and elsewhere by their values.
    private static let ambiguous: Set<String> = ["code", "key", "auth"]

    /// Whole names that are secret by their values.
    private static let vague: Set<String> = [
        "access", "refresh", "tokens", "signatures", "keys", "policy", "session", "sid", "handle",
        "assertion",
    ]

    static func secrecy(of name: String, in place: NamePlace) -> Secrecy {
        let parts = words(of: name, atCapitals: false)
        // Both: a name may be written in a mixture of cases, `aCCess_tOkEn`.
        if holdsSecret(parts) || holdsSecret(words(of: name, atCapitals: true)) { return .always }
        // `user[code]` is the code; `error_code` is another name.
        let names = name.utf8.split { !isNameByte($0) || $0 == UInt8(ascii: ".") }
        guard let whole = names.last.map({ String(Substring($0)).lowercased() }) else {
            return .none
        }
        if ambiguous.contains(whole) { return place == .item ? .always : .byValue }
        return vague.contains(whole) ? .byValue : .none
    }

    private static func holdsSecret(_ words: [String]) -> Bool {
        guard let last = words.last, !attributes.contains(last) else { return false }
        if lastWords.contains(last) { return true }
        return words.indices.contains { index in
            let word = words[index]
            let before = index > 0 ? words[index - 1] : ""
            if secrets.contains(before + word) { return true }
            if word == "token", pages.contains(before) { return false }
            return secrets.contains(word) || hasSecretEnding(word)
        }
    }

    private static func hasSecretEnding(_ word: String) -> Bool {
        guard let ending = endings.first(where: word.hasSuffix) else { return false }
        return ending != "token" || !pages.contains { word.hasSuffix($0 + ending) }
    }

    /// The words in lower case, without digits: `OAuth2-APIKey` is `o auth api key`, or, where
    /// capitals begin no word, `oauth apikey`.
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
                // The last capital of a row begins the next word: "APIKey".
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

    /// What a name may consist of, in text around it.
    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "."), 0x80...:
            true
        default: false
        }
    }

    private static func isLowercase(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
    }

    /// Whether a value could be a token or a key: at least 16 characters of the base64 alphabets,
    /// with letters of both cases and digits, or with many changes between letters and digits.
    package static func looksLikeToken(_ value: some Collection<UInt8>) -> Bool {
        guard value.count >= 16 else { return false }
        var (hasLower, hasUpper, hasDigit, changes) = (false, false, false, 0)
        var wasDigit: Bool?
        for byte in value {
            let isDigit = UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            let isUpper = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
            guard isDigit || isUpper || isLowercase(byte) else {
                guard "+/_=~-".utf8.contains(byte) else { return false }
                continue
            }
            if let wasDigit, wasDigit != isDigit { changes += 1 }
            wasDigit = isDigit
            hasDigit = hasDigit || isDigit
            hasUpper = hasUpper || isUpper
            hasLower = hasLower || isLowercase(byte)
        }
        return hasDigit && (hasLower && hasUpper || changes >= 4)
    }
}
