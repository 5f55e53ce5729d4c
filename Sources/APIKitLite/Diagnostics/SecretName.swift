extension Redaction {
    /// The rules that recognize the names of secrets, such as `X-Amz-Security-Token` and
    /// `userPassword`, by their words.
    enum SecretName {
        /// Words, and pairs of words without what separates them, that make a name secret.
        private static let secrets = list(
            """
            token secret password passwd pwd passphrase passcode pass pw pin credential cred
            authorization authorisation bearer jwt jws dpop otp totp csrf xsrf cookie sessionid sessid
            sessioncookie jsessionid phpsessid signature sig hmac mnemonic seedphrase recoveryphrase
            hdnts hdnea hdntl ssn socialsecurity iban accountnumber cvv cvc cvn cardnumber cardno cardnum
            ccnumber ccnum creditcard debitcard securitycode securityanswer
            accesskey accountkey apikey appkey applicationkey authkey clientkey consumerkey deploykey
            encryptionkey functionskey hostkey keypairid licensekey masterkey privatekey recoverykey
            secretkey servicekey sessionkey sharedkey signingkey storagekey streamkey subscriptionkey
            webhookkey accesscode authcode backupcode devicecode facode factorcode logincode mfacode
            onetimecode otpcode recoverycode resetcode smscode verificationcode codeverifier
            oauthverifier clientassertion samlresponse accesskeyid pincode
            """)

        /// The longer of them also make a name secret as its ending, if its words are not
        /// separated: `accesstoken`, `X-Rapidapi-Key`.
        private static let secretEndings = secrets.filter { $0.utf8.count > 4 }

        /// Names of a place in a list: `next_page_token`.
        private static let cursors = list(
            """
            pagetoken nexttoken previoustoken prevtoken continuationtoken synctoken cursortoken
            paginationtoken skiptoken deltatoken starttoken
            """)

        /// Last words of a name that describes a secret but is not one: `token_type`,
        /// `passwordResetRequired`, `X-Amz-SignatureVersion`.
        private static let attributes = list(
            """
            type kind format name status state count length size limit max min usage used budget detail
            expiry expires expired expiration expire exp in at on by date time timestamp ttl age lifetime
            version method algorithm alg policy policies rule endpoint url uri path enabled disabled
            required supported valid verified exists present strength reset changed updated created
            issuer audience scope provider consent domain symbol decimals error message hint latency
            header
            """)

        /// Whole names that are secret in a header or an item. In JSON the value decides.
        private static let vague = list("code key auth access refresh assertion session sid")

        private static func list(_ words: String) -> Set<String> {
            Set(APIKitLite.words(words).map(singular))
        }

        /// Whether one of the words, or two or three of them together, makes a name secret.
        static func isSecret(_ name: String) -> Bool {
            // Capitals may begin words, or be mixed as in `aCCess_tOkEn`, so both readings are
            // checked.
            let parts = words(of: name, atCapitals: false)
            let whole = singular(parts.joined())
            if cursors.contains(where: whole.hasSuffix) { return false }
            return [parts, words(of: name, atCapitals: true)].contains { words in
                guard let last = words.last, !attributes.contains(singular(last)) else {
                    return false
                }
                return words.indices.contains { end in
                    (max(0, end - 2)...end).contains { start in
                        secrets.contains(singular(words[start...end].joined()))
                    }
                }
            } || secretEndings.contains(where: whole.hasSuffix)
        }

        /// Whether a name is secret in an item, but often not in JSON.
        static func isVague(_ name: String) -> Bool {
            // The whole name in `user[code]` is `code`; in `error_code` it is `error_code`.
            let whole =
                (name.split { !($0.isLetter || $0.isNumber || "_-".contains($0)) }.last ?? "")
                .lowercased()
            let last = words(of: name, atCapitals: true).last ?? ""
            return vague.contains(
                singular(whole.hasPrefix("x-") ? String(whole.dropFirst(2)) : whole))
                || ["session", "sid"].contains(last)
        }

        /// Whether a value is no secret although its name is one: a Boolean, or a number of tokens.
        static func isHarmless(_ value: String?, named name: String) -> Bool {
            guard let value else { return false }
            let isCount = name.lowercased().hasSuffix("tokens") && value.allSatisfy(\.isNumber)
            return isCount || ["true", "false"].contains(value)
        }

        /// Whether a value looks like a token: it is long, with a digit and a small letter, and
        /// without a space.
        static func looksLikeToken(_ value: String?) -> Bool {
            guard let value, value.utf8.count >= 20 else { return false }
            return value.contains(where: \.isNumber) && value.contains(where: \.isLowercase)
                && !value.contains(where: \.isWhitespace)
        }

        /// Returns the words of a name in lower case, without digits.
        ///
        /// - Parameters:
        ///   - name: The name, for example `OAuth2-APIKey`.
        ///   - atCapitals: Whether a capital begins a word. The words of the example are then
        ///     `o auth api key`, and otherwise `oauth apikey`.
        private static func words(of name: String, atCapitals: Bool) -> [String] {
            let characters = Array(name)
            var words = [""]
            for (index, character) in characters.enumerated() {
                guard character.isLetter else {
                    words.append("")
                    continue
                }
                // The last of several capitals begins the next word: "APIKey".
                let beginsWord =
                    atCapitals && index > 0 && character.isUppercase
                    && (characters[index - 1].isLowercase
                        || index + 1 < characters.count && characters[index + 1].isLowercase)
                if beginsWord { words.append("") }
                words[words.count - 1] += character.lowercased()
            }
            return words.filter { !$0.isEmpty }
        }

        private static func singular(_ word: String) -> String {
            word.hasSuffix("s") ? String(word.dropLast()) : word
        }
    }
}
