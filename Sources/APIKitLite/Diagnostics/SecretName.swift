import Foundation

/// Whether a name suggests that its value is secret, and for what reason.
enum SecretName: Equatable, Sendable {
    /// The app has asked to show the value.
    case shown
    /// The app has added the name.
    case added
    /// A word in the name makes the value secret. If the name ends in `tokens`, such as
    /// `max_tokens`, a number is a count and not secret.
    case secret(isCount: Bool)
    /// The value is secret in a header, a query and a form, but not in JSON.
    case vague
    case ordinary

    init(_ name: String) {
        let text = name.folded
        let words = Self.split(name)
        let last = words.last ?? ""
        // In `tokenizer_api_key`, `token` is harmless, but `api_key` is not.
        func rest() -> String { Self.exceptions.reduce(text) { $0.replacing($1, with: " ") } }
        let isSecret =
            !Self.short.isDisjoint(with: words)
            || text.contains(oneOf: Self.anywhere) && rest().contains(oneOf: Self.anywhere)
        if isSecret, !Self.attributes.contains(last) {
            self = .secret(isCount: text.hasSuffix("tokens"))
        } else if Self.vagueNames.contains(text) || ["session", "sid"].contains(last) {
            self = .vague
        } else {
            self = .ordinary
        }
    }

    /// Returns the words of a name in lower case. A new word starts at a capital letter after a
    /// lowercase letter, and after any character that is not a letter.
    private static func split(_ name: String) -> [String] {
        var words = [""]
        var previous: Character = " "
        for character in name {
            let isNew = character.isUppercase && previous.isLowercase
            if isNew || !character.isLetter { words.append("") }
            if character.isLetter { words[words.count - 1] += character.lowercased() }
            previous = character
        }
        return words.filter { !$0.isEmpty }
    }

    /// Strings that make a name secret wherever they occur in it.
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

    /// Words that make a name secret, but only as whole words: `pin`, but not `opinion`.
    private static let short = words(
        "pwd pw pass pin pins cred creds jwt jws otp totp sig ssn iban cvv cvc cvn")

    /// Last words of names that only describe a secret: `token_type`, `passwordResetRequired`.
    private static let attributes = words(
        """
        type kind format name status state count length size limit max min usage used budget details
        expiry expire expired expiration exp in at on by date time timestamp ttl age lifetime
        version method algorithm alg policy policies rule endpoint url uri path enabled disabled
        required supported valid verified exist present strength reset changed updated created
        issuer audience scope provider consent domain symbol decimal error message hint latency
        header
        """)

    /// Strings that name no secret although they contain `token` or `secret`: names of list
    /// positions, such as `next_page_token`, and longer words, such as `secretary`.
    private static let exceptions = words(
        """
        pagetoken nexttoken previoustoken prevtoken continuationtoken synctoken cursortoken
        paginationtoken skiptoken deltatoken starttoken tokeniz secretar
        """)

    private static let vagueNames = words(
        "code key auth xauth xkey access refresh assertion")
}

extension String {
    /// Returns whether the text, which has no NUL, contains one of the words. A response may have
    /// thousands of names, so this uses `strstr`, which is six times as fast as `contains`.
    fileprivate func contains(oneOf words: some Sequence<String>) -> Bool {
        withCString { text in words.contains { strstr(text, $0) != nil } }
    }
}
