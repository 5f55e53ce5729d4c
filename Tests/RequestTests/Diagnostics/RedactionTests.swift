import TestSupport

@testable import APIKitLite

@Suite(.limited) struct RedactionTests {
    private let standard = Redaction.standard

    /// Of two values, one may be within the other, or begin within it.
    @Test(arguments: [
        ("er2Lm", "a REDACTED-more b"), ("zQ8hu", "a REDACTED-more b"),
        ("2Lm4Tx", "a REDACTED-more b"), ("Lm4Tx-more", "a REDACTED b"),
    ])
    func hidesValuesThatOverlap(_ other: String, _ expected: String) {
        let redaction = Redaction.none.adding(values: "zQ8hunter2Lm4Tx", other)
        #expect(redaction.text("a zQ8hunter2Lm4Tx-more b") == expected)
    }

    @Test func removesSecretsFromURLs() {
        let urls: [Marked] = [
            "https://h/v1/users?q=a", "https://«u:hunter2»@h:80/p", "https://«hunter2»@h",
            "//«u:hunter2»@h/p", "https://h/@me/a@b", "https://h/?token=«hunter2»&q=1",
            "https://h/?ToKeN=«hunter2»", "https://h/?%74oken=«hunter2»",
            "https://h/?+token+=«hunter2»", "https://h/?a=1&amp;key=«hunter2»",
            "https://h/?user[password]=«hunter2»", "https://h/?token",
            "https://h/?tokens=1&my_key=2", "https://h/?token=«a;b?c=d»",
            "https://h/#access_token=«hunter2»&x=1", "https://h/#accessToken=«hunter2»&x=1",
            "https://h/?API-Key=«hunter2»&x=1", "https://h/#/a?code=«hunter2»",
            "https://h/?a;b=1;;c&;", "https://h/?a=b#c=d", "/callback?code=«hunter2»",
            "https://h/?a=%zz&b=%", "",
        ]
        for url in urls {
            #expect(standard.url(url.text) == url.shown, "\(url)")
            #expect(Redaction.none.url(url.text) == url.text, "\(url)")
        }
    }

    @Test func removesSecretHeaders() {
        let rows: [(String, Marked)] = [
            ("Authorization", "«Bearer hunter2»"), ("cookie", "a=«hunter2»; b=«\"x\"»"),
            ("Cookie", "«hunter2»; «b»"), ("Cookie", ""),
            ("SET-COOKIE", "a=«hunter2»; Expires=Wed, 09 Jun 2027 10:18:14 GMT, b=«c»; Path=/"),
            ("Set-Cookie", "«hunter2»; Path=/"), ("Proxy-Authorization", "«x»"),
            ("x-api-key", "«hunter2»"), ("Accept", "a/b;q=0.1, */*"),
            ("If-None-Match", "W/\"a?b=c\""),
        ]
        for (name, value) in rows {
            #expect(standard.value(value.text, named: name) == value.shown, "\(name)")
            #expect(Redaction.none.value(value.text, named: name) == value.text, "\(name)")
        }
    }

    @Test func removesSecretsFromJSONAndKeepsTheRest() {
        let rows: [Marked] = [
            #"{"a":1}"#, #"{"token":"«hunter2»","a":[1,2.50,1e5]}"#,
            " { \"Pin\" :\n «12345» , \"b\": true }\n",
            #"{"a":[{"secret":{"deep":["«hunter2»",«7»,true,null,""]}}]}"#,
            #"{"\u0074oken":"«hunter2»"}"#, #"{"token":null}"#,
            #"{"pin":"«\"hunter2»","pin":«3»,"u":"\u00e9\n\/"}"#, #""é\ud83c\udf88 / ? \/""#,
            "{}", "[ ]", "42", #""ab""#, "\u{feff}{\"pin\":«1»}",
            "[18446744073709551615,123456789012345678901234567890,-5]",
            #"{"token":"«hunter2»","token":null}"#,
            #"{"next":"/a?token=«hunter2»&p=2","j":"{\"pin\":«12»}"}"#,
        ]
        for json in rows {
            // The text shows that it is JSON, whatever its content type says. What is hidden stays so.
            for (text, type) in [
                (json.text, "application/json"), (json.text, "text/plain"), (json.text, nil),
                (json.shown, nil),
            ] {
                let shown = standard.body(Data(text.utf8), contentType: type) ?? ""
                #expect(shown.utf8.elementsEqual(json.shown.utf8), "\(json): \(shown)")
            }
        }
    }

    @Test func writesJSONStringsThatFoundationReadsBack() throws {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<500 {
            let texts = [random.text()]
            let shown = standard.json(try JSONEncoder().encode(texts).text) ?? ""
            #expect(try JSONDecoder().decode([String].self, from: Data(shown.utf8)) == texts)
        }
    }

    @Test func readsJSONAsDeepAsFoundation() {
        let nested = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)

        #expect(standard.json(nested) == nested)
        #expect(standard.json("[\(nested)]") == nil)
    }

    @Test func removesSecretsFromForms() {
        let forms: [Marked] = [
            "q=a+b&%70assword=«hunter2»&x=%zz&client_secret=«a;b=hunter2»&code=",
            // The first name is behind a byte order mark.
            "\u{feff}code=«hunter2»&a=b",
        ]
        for form in forms {
            let type = "Application/X-WWW-Form-URLEncoded; charset=utf-8"
            let shown = standard.body(Data(form.text.utf8), contentType: type) ?? ""
            #expect(shown.utf8.elementsEqual(form.shown.utf8), "\(shown)")
        }
    }

    @Test func doesNotShowWhatItCannotRead() {
        let rows: [(String, String)] = [
            ("password=hunter2", "text/plain"), ("<p>hunter2</p>", "text/html"),
            ("", "application/json"), (#"{"token":"hunter2"#, "application/json"),
            (#"{"token":"hunter2"} x"#, "application/json"),
            ("--b\r\n\r\nhunter2\r\n--b--", "multipart/form-data; boundary=b"), ("a=b", ""),
        ]
        for (body, type) in rows {
            #expect(standard.body(Data(body.utf8), contentType: type) == nil, "\(body)")
        }
    }

    @Test(arguments: [
        ("image/png", 1234, "<image/png, 1,234 bytes>"), (nil, 1, "<unknown type, 1 byte>"),
        ("Text/HTML; charset=x", 999, "<text/html, 999 bytes>"),
        ("a/b", 12_345_678, "<a/b, 12,345,678 bytes>"), (" ; x", 0, "<unknown type, 0 bytes>"),
    ])
    func saysTypeAndSize(_ type: String?, _ size: Int, _ expected: String) {
        #expect(standard.placeholder(for: Data(count: size), contentType: type) == expected)
    }

    @Test func isASetOfNamesWithoutCase() {
        let pin = Redaction.none.adding("pin")
        let rows: [(Redaction, Marked)] = [
            (pin, "pin=«a»&token=b"), (pin.showing("pin"), "pin=1"),
            (standard.showing("pin").adding("PIN"), "pin=«a»"),
            (standard.adding("pin").showing("PIN"), "pin=1"),
            (standard.adding("X-Session"), "x-session=«hunter2»"),
        ]
        for (redaction, query) in rows {
            #expect(redaction.url("https://h?" + query.text) == "https://h?" + query.shown)
        }
        #expect(Redaction.none.adding("Token", "pin") == Redaction.none.adding("PIN", "token"))
        #expect(standard.adding("birthday", "X-Tenant") == standard.adding("x_tenant", "birthday"))
        #expect(
            standard.showing("birthday", "X-Tenant") == standard.showing("birthday", "x_tenant"))
        #expect(Redaction.none.adding("pin", "a").showing("a", "pin") != Redaction.none)
        #expect(standard.showing("pin") != standard)
    }

    @Test func showsTheValueOfAName() {
        for name in ["pin", "Pin", "user[pin]"] {
            let shown = standard.showing(name)
            let items: Marked = "\(name)=hunter2&token=«hunter3»"
            #expect(shown.url("https://h?" + items.text) == "https://h?" + items.shown)
            #expect(shown.form(items.text) == items.shown)
            #expect(shown.value("hunter2", named: name) == "hunter2")
            let json: Marked = #"{"token":"«x»","\#(name)":"hunter2"}"#
            #expect(shown.json(json.text) == json.shown)
        }
        let json: Marked = #"{"secret":{"pin":«1»},"pin":{"token":"«hunter2»"}}"#
        #expect(standard.showing("pin").json(json.text) == json.shown)
    }

    @Test func hidesAGivenValueAtEachPlace() throws {
        let redaction = Redaction.none.adding(values: "12345")
        let json = #"{"a":12345,"b":"x12345","c":[1,12345.5],"d":true}"#

        #expect(redaction.url("https://h/12345?a=12345&b=1") == "https://h/REDACTED?a=REDACTED&b=1")
        #expect(redaction.value("12345", named: "X-A") == "REDACTED")
        #expect(redaction.form("a=12345") == "a=REDACTED")
        #expect(redaction.json(json) == #"{"a":0,"b":"xREDACTED","c":[1,12345.5],"d":true}"#)
        #expect(redaction.body(Data("12345".utf8), contentType: "text/plain") == "0")
        #expect(redaction.body(Data("see 12345".utf8), contentType: "text/plain") == nil)
        #expect(redaction.showing("a").json(json)?.hasPrefix(#"{"a":12345,"#) == true)
    }

    @Test func hidesNothingBecauseOfAnEmptyValue() {
        #expect(standard.adding(values: "") == .standard)
    }

    @Test func readsAnyBytesWithoutACrash() {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0..<64, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            _ = standard.url(text)
            for type in ["application/x-www-form-urlencoded", "application/json"] {
                _ = standard.body(Data(bytes), contentType: type)
            }
            #expect(Redaction.none.url(text) == text)
        }
    }
}

extension Redaction {
    func json(_ text: String) -> String? { body(Data(text.utf8), contentType: nil) }

    func form(_ text: String) -> String? {
        body(Data(text.utf8), contentType: "application/x-www-form-urlencoded")
    }
}
