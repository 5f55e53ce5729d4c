/// What a name says about its value.
enum SecretName: Sendable {
    /// The redaction shows the value, whatever it is.
    case shown
    /// The app has added the name.
    case added
    /// A number of tokens, such as `max_tokens`, is no secret.
    case secret(isCount: Bool)
    /// Secret in a header, a query and a form. In JSON the value decides.
    case vague
    case ordinary

    /// Returns what the words of a name say about its value.
    init(_ name: String) {
        let words = Self.split(name)
        let whole = words.joined()
        // The whole name in `user[code]` is `code`; in `error_code` it is `error_code`.
        let end = name.split { !($0.isLetter || $0.isNumber || "_-".contains($0)) }.last ?? ""
        let isSession = ["session", "sid"].contains(words.last)
        if Self.isSecret(words, whole) {
            self = .secret(isCount: whole.hasSuffix("tokens"))
        } else if isSession || Self.vagueNames.contains(word: Self.withoutPrefix(end.lowercased()))
        {
            self = .vague
        } else {
            self = .ordinary
        }
    }

    private static func isSecret(_ words: [String], _ whole: String) -> Bool {
        guard let last = words.last, !attributes.contains(word: last),
            !exceptions.contains(where: whole.contains)
        else { return false }
        return short.contains(whole) || words.contains { short.contains(word: $0) }
            || anywhere.contains(where: whole.contains)
    }

    /// Texts that make a name secret wherever they are in its letters.
    private static let anywhere = words(
        """
        token secret password passwd passphrase passcode credential authorization authorisation
        bearer cookie csrf xsrf dpop sessionid sessid sessioncookie signature hmac mnemonic seedphrase
        recoveryphrase hdnts hdnea hdntl socialsecurity accountnumber bankaccountnumber cardnumber
        cardno cardnum ccnumber ccnum creditcard debitcard securitycode securityanswer pincode
        accesskey accountkey apikey appkey applicationkey authkey clientkey consumerkey deploykey
        encryptionkey functionskey hostkey keypairid licensekey masterkey privatekey recoverykey
        secretkey servicekey sessionkey sharedkey signingkey storagekey streamkey subscriptionkey
        webhookkey accesscode authcode backupcode devicecode facode factorcode logincode mfacode
        onetimecode otpcode recoverycode resetcode smscode verificationcode codeverifier
        oauthverifier clientassertion samlresponse
        """)

    /// Words that make a name secret, but not within another word: `pin`, but not `opinion`.
    private static let short = words(
        "pwd pw pass pin cred jwt jws otp totp sig ssn iban cvv cvc cvn")

    /// Last words of a name that describes a secret: `token_type`, `passwordResetRequired`.
    private static let attributes = words(
        """
        type kind format name status state count length size limit max min usage used budget detail
        expiry expire expired expiration exp in at on by date time timestamp ttl age lifetime
        version method algorithm alg policy policies rule endpoint url uri path enabled disabled
        required supported valid verified exist present strength reset changed updated created
        issuer audience scope provider consent domain symbol decimal error message hint latency
        header
        """)

    /// Texts that make a name ordinary: a place in a list, such as `next_page_token`, and words.
    private static let exceptions = words(
        """
        pagetoken nexttoken previoustoken prevtoken continuationtoken synctoken cursortoken
        paginationtoken skiptoken deltatoken starttoken tokeniz secretary
        """)

    private static let vagueNames = words("code key auth access refresh assertion session sid")

    private static func withoutPrefix(_ name: String) -> String {
        name.hasPrefix("x-") ? String(name.dropFirst(2)) : name
    }

    /// Returns the words of a name in lower case, without digits. A capital after a small letter
    /// begins a word.
    private static func split(_ name: String) -> [String] {
        var words = [""]
        var isAfterSmallLetter = false
        for character in name {
            if !character.isLetter || character.isUppercase && isAfterSmallLetter {
                words.append("")
            }
            if character.isLetter { words[words.count - 1] += character.lowercased() }
            isAfterSmallLetter = character.isLowercase
        }
        return words.filter { !$0.isEmpty }
    }
}

extension Set<String> {
    /// Whether a word is in the list, also in the plural.
    fileprivate func contains(word: String) -> Bool {
        contains(word) || word.hasSuffix("s") && contains(String(word.dropLast()))
    }
}
