import TestSupport

@testable import APIKitLite

@Suite(.limited) struct SecretNameTests {
    /// The names that ``Redaction/standard`` hides: names that APIs use, and one for each word and
    /// pair of words in its list.
    private static let secretNames = words(
        """
        Authorization Proxy-Authorization Cookie Set-Cookie X-Api-Key api_key apiKey apikey APIKEY
        googleApiKey X-Amz-Signature X-Amz-Credential X-Amz-Security-Token X-Goog-Signature
        X-Goog-Credential Key-Pair-Id Signature X-RapidAPI-Key X-Rapidapi-Key x-coinapi-key sig
        oauth_token oauth_signature oauth_verifier oauthToken2 OAuth2Token X-Access-Token
        PRIVATE-TOKEN JOB-TOKEN X-Vault-Token X-CSRF-Token X-XSRF-TOKEN csrfmiddlewaretoken _csrf
        Ocp-Apim-Subscription-Key X-Functions-Key X-Auth-Token X-Shopify-Access-Token token Token
        ToKeN access_token accessToken accesstoken ACCESS_TOKEN refresh_token id_token device_token
        token1 tokenValue user.token user[token] secret client_secret clientSecret app-secret
        secretKey AWSAccessKeyId secretAccessKey private_key privateKeyPEM encryption_key password
        userPassword password_confirmation newPassword2 passwd pwd db_pass passphrase passcode pin
        otp totp cvv cardNumber credential credentials jwt session_id sessionId sessionToken
        JSESSIONID PHPSESSID connect.session.id device_code code_verifier client_assertion
        SAMLResponse secrets passwords creds authorisation bearer jws cvc xsrf cookies sessid
        access_key account_key app_key application_key auth_key client_key consumer_key deploy_key
        functions_key host_key license_key master_key recovery_key secret_key service_key
        session_key shared_key signing_key storage_key stream_key subscription_key webhook_key
        session_cookie verification_code recovery_code backup_code mfa_code sms_code auth_code
        security_code pw hmac cvv2 cvn creditCard credit_card_number cc_number card-no ssn
        social_security_number iban IBAN accountNumber bank_account_number one_time_code oneTimeCode
        onetimecode otpCode 2fa_code twoFactorCode mfaCode login-code resetCode access_code mnemonic
        seedPhrase X-Hub-Signature-256 OSSAccessKeyId hdnts mysql_pwd csrf_token DPoP dpop pinCode
        pin_code recoveryCodes recovery_codes backup_codes sms_codes api_keys accessKeys
        securityAnswer security_answers user.passwords pins secretary_password tokenizer_api_key
        secretaryToken apiKeyTokenizer page_token_secret tokenization_tokens_secret tokenizer_pin
        """)

    /// Secret in a header, a query and a form. In JSON they are often an object or a count.
    private static let sessionNames = [
        "session", "Session", "X-Session", "user_session", "aiohttp_session", "sid", "connect.sid",
    ]

    private static let ordinaryNames = words(
        """
        pair_id pairId X-RepairId X-Repairid id name title message error status statusCode
        status_code errorCode error_code country_code postalCode zipCode currencyCode promoCode
        keyboard keynote keyword keywords monkey sort_key sortKey primaryKey foreign_key
        partitionKey cacheKey publicKey public_key Idempotency-Key Sec-WebSocket-Key Surrogate-Key
        tokenizer tokenized tokenization secretaries secretariat tokenizer_next_token completion_tokens_details token_type tokenType token_count
        tokenCount access_token_expires_in token_expires_at token_endpoint nextToken next_token
        nextPageToken page_token pageToken continuationToken syncToken author authors authorId
        authority accessibility accessLevel access_level accessed_at refreshInterval refresh_rate
        signal signup design assigned assignee significant signatureDate signature_version
        oauth_signature_method oauth_version oauth_timestamp X-Amz-SignedHeaders X-Amz-Algorithm
        X-Amz-Date X-Amz-Expires password_updated_at passwordResetRequired passwordPolicy secretary
        secretName spin pinned pinCount pinned_at opinion passenger passengers passport compass
        bypassed cookieConsent cookies_enabled session_count otpEnabled email user username
        Content-Type Accept ETag If-None-Match Link Location User-Agent state nonce page limit
        cursor q Expires postcode decode decoded encode barcode sessionCount session_state
        session_type inside side cardType card_brand accounts account accountType cardinal iband
        timecode time_code loginCount accessible access_count refreshed_at refreshRate spinner
        shipping mapping optional option adopted lesson birthday
        """)

    private static func words(_ text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    private let standard = Redaction.standard

    private func query(_ name: String) -> String { standard.url("https://h/?\(name)=hunter2&z=1") }

    private func shown(_ name: String) -> [String?] {
        let (first, rest) = (String(name.utf8.first!, radix: 16), name.dropFirst())
        return [
            standard.value("hunter2", named: name), query(name), query("%\(first)\(rest)"),
            standard.json(#"{"\u00\#(first)\#(rest)":"hunter2"}"#),
            standard.json(#"{"\#(name)":"hunter2"}"#),
            standard.json(#"{"a":[{"\#(name)":[1,"hunter2"]}]}"#), standard.form("\(name)=hunter2"),
        ]
    }

    @Test func hidesTheValuesOfSecretNames() {
        for name in Self.secretNames {
            // Elsewhere, capitals may separate words.
            let isLower = name == name.lowercased()
            for name in isLower ? [name, name.uppercased(), name.capitalized] : [name] {
                #expect(shown(name).allSatisfy { $0?.contains("hunter2") == false }, "\(name)")
            }
        }
    }

    @Test func showsTheValuesOfOrdinaryNames() {
        for name in Self.ordinaryNames {
            #expect(shown(name).allSatisfy { $0?.contains("hunter2") == true }, "\(name)")
        }
    }

    /// An OAuth `code` is an item of a query; the `code` of an error is a key of JSON.
    @Test func hidesAmbiguousNamesOnlyInItems() {
        let names = ["code", "key", "auth", "access", "refresh", "assertion"]
        for name in names + Self.sessionNames {
            #expect(query(name) == "https://h/?\(name)=REDACTED&z=1")
            for value in ["\"hunter2\"", "\"INVALID_ARGUMENT\"", "404", #"{"\#(name)":3}"#] {
                let json = #"{"\#(name)":\#(value)}"#
                #expect(standard.json(json) == json)
            }
        }
        for name in Self.sessionNames {
            #expect(standard.value("hunter2", named: name) == "REDACTED")
        }
    }

    @Test func aNumberedKeyIsNoSecretAndAPrefixDoesNotCount() {
        let pin = Redaction.none.adding("user-pin")
        let rows: [(Redaction, String, String)] = [
            (standard, "key2", "a"), (standard, "X-Auth", "REDACTED"),
            (standard, "x-key", "REDACTED"), (standard, "X-Authors", "a"),
            // Added names are compared as a whole.
            (pin, "userPIN", "REDACTED"), (pin, "pin", "a"), (pin, "Authorization", "a"),
        ]
        for (redaction, name, shown) in rows {
            #expect(redaction.value("a", named: name) == shown, "\(name)")
        }
        #expect(standard.url("https://h?key1=value1") == "https://h?key1=value1")
        #expect(standard.adding("user-pin") != standard && pin != standard)
    }

    @Test func showsNullBooleansAndCountsAndHidesDigits() {
        let rows: [Marked] = [
            #"{"otp":false,"password":true,"token":null}"#,
            #"{"maxTokens":5,"usage":{"tokens":17,"total_tokens":12}}"#,
            #"{"backupCode":"«x123»","pin":«1234»,"recoveryCodes":[«12345678»]}"#,
        ]
        for json in rows { #expect(standard.json(json.text) == json.shown) }
        #expect(standard.json(#"{"backupCodes":"12345678"}"#) == #"{"backupCodes":"REDACTED"}"#)
        #expect(
            standard.url("https://h?backup_codes=12345678") == "https://h?backup_codes=REDACTED")
        let added = standard.adding("isIll").json(#"{"is_ill":true,"b":true}"#)
        #expect(added == #"{"is_ill":false,"b":true}"#)
    }
}
