import Foundation
import TestSupport
import Testing

@testable import APIKitLite

@Suite(.limited) struct RedactionTests {
    private let standard = Redaction.standard

    @Test func removesSecretsFromURLs() {
        let rows: [(String, String)] = [
            ("https://h/v1/users?q=a", "https://h/v1/users?q=a"),
            ("https://u:hunter2@h:80/p", "https://REDACTED@h:80/p"),
            ("https://hunter2@h", "https://REDACTED@h"),
            ("//u:hunter2@h/p", "//REDACTED@h/p"),
            ("https://h/@me/a@b", "https://h/@me/a@b"),
            ("https://h/?token=hunter2&q=1", "https://h/?token=REDACTED&q=1"),
            ("https://h/?ToKeN=hunter2", "https://h/?ToKeN=REDACTED"),
            ("https://h/?%74oken=hunter2", "https://h/?%74oken=REDACTED"),
            ("https://h/?+token+=hunter2", "https://h/?+token+=REDACTED"),
            ("https://h/?a=1&amp;key=hunter2", "https://h/?a=1&amp;key=REDACTED"),
            ("https://h/?user[password]=hunter2", "https://h/?user[password]=REDACTED"),
            ("https://h/?token", "https://h/?token"),
            ("https://h/?tokens=1&my_key=2", "https://h/?tokens=1&my_key=2"),
            ("https://h/?token=a;b?c=d", "https://h/?token=REDACTED"),
            ("https://h/#access_token=hunter2&x=1", "https://h/#access_token=REDACTED&x=1"),
            ("https://h/#accessToken=hunter2&x=1", "https://h/#accessToken=REDACTED&x=1"),
            ("https://h/?API-Key=hunter2&x=1", "https://h/?API-Key=REDACTED&x=1"),
            ("https://h/#/a?code=hunter2", "https://h/#/a?code=REDACTED"),
            ("https://h/?a;b=1;;c&;", "https://h/?a;b=1;;c&;"),
            ("https://h/?a=b#c=d", "https://h/?a=b#c=d"),
            ("/callback?code=hunter2", "/callback?code=REDACTED"),
            ("https://h/?a=%zz&b=%", "https://h/?a=%zz&b=%"),
            ("", ""),
        ]
        for (url, expected) in rows {
            #expect(standard.url(url) == expected, "\(url)")
            #expect(Redaction.none.url(url) == url, "\(url)")
        }
    }

    /// In quadratic time, this would take many minutes.
    @Test(.timeLimit(.minutes(2)), arguments: ["a=1;", "a;", "=;"])
    func readsManyItemsBetweenSemicolons(_ item: String) {
        let items = String(repeating: item, count: 60_000)

        #expect(
            standard.url("https://h/?\(items)token=hunter2")
                == "https://h/?\(items)token=REDACTED")
    }

    @Test func removesSecretHeaders() {
        let rows: [(String, String, String)] = [
            ("Authorization", "Bearer hunter2", "REDACTED"),
            ("cookie", "a=hunter2; b=\"x\"", "a=REDACTED; b=REDACTED"),
            ("Cookie", "hunter2; b", "REDACTED; REDACTED"), ("Cookie", "", ""),
            (
                "SET-COOKIE", "a=hunter2; Expires=Wed, 09 Jun 2027 10:18:14 GMT, b=c; Path=/",
                "a=REDACTED; Expires=Wed, 09 Jun 2027 10:18:14 GMT, b=REDACTED; Path=/"
            ), ("Set-Cookie", "hunter2; Path=/", "REDACTED; Path=/"),
            ("Proxy-Authorization", "x", "REDACTED"),
            ("x-api-key", "hunter2", "REDACTED"), ("Accept", "a/b;q=0.1, */*", "a/b;q=0.1, */*"),
            ("If-None-Match", "W/\"a?b=c\"", "W/\"a?b=c\""),
        ]
        for (name, value, expected) in rows {
            #expect(standard.value(value, named: name) == expected, "\(name)")
            #expect(Redaction.none.value(value, named: name) == value, "\(name)")
        }
    }

    /// The order and the form of JSON stay, and a number stays a number.
    @Test func removesSecretsFromJSONAndKeepsTheRest() {
        let rows: [(String, String)] = [
            (#"{"a":1}"#, #"{"a":1}"#),
            (#"{"token":"hunter2","a":[1,2.50,1e5]}"#, #"{"token":"REDACTED","a":[1,2.50,1e5]}"#),
            (" { \"Pin\" :\n 12345 , \"b\": true }\n", " { \"Pin\" :\n 0 , \"b\": true }\n"),
            (
                #"{"a":[{"secret":{"deep":["hunter2",7,true,null,""]}}]}"#,
                #"{"a":[{"secret":{"deep":["REDACTED",0,true,null,""]}}]}"#
            ),
            (#"{"\u0074oken":"hunter2"}"#, #"{"\u0074oken":"REDACTED"}"#),
            (#"{"token":null}"#, #"{"token":null}"#),
            (
                #"{"pin":"\"hunter2","pin":3,"u":"\u00e9\n\/"}"#,
                #"{"pin":"REDACTED","pin":0,"u":"\u00e9\n\/"}"#
            ),
            (#""é\ud83c\udf88 / ? \/""#, #""é\ud83c\udf88 / ? \/""#),
            ("{}", "{}"), ("[ ]", "[ ]"), ("42", "42"), (#""ab""#, #""ab""#),
            ("\u{feff}{\"pin\":1}", "\u{feff}{\"pin\":0}"),
            (
                "[18446744073709551615,123456789012345678901234567890,-5]",
                "[18446744073709551615,123456789012345678901234567890,-5]"
            ),
            (#"{"token":"hunter2","token":null}"#, #"{"token":"REDACTED","token":null}"#),
            (
                #"{"next":"/a?token=hunter2&p=2","j":"{\"pin\":12}"}"#,
                #"{"next":"/a?token=REDACTED&p=2","j":"{\"pin\":0}"}"#
            ),
        ]
        for (json, expected) in rows {
            // The text shows that it is JSON, whatever its content type says.
            for type in ["application/json", "text/plain", nil] {
                let shown = standard.body(Data(json.utf8), contentType: type)
                #expect(shown?.utf8.elementsEqual(expected.utf8) == true, "\(json): \(shown ?? "")")
            }
            // What is hidden stays so.
            #expect(standard.body(Data(expected.utf8), contentType: nil) == expected, "\(json)")
        }
    }

    @Test func writesJSONStringsThatFoundationReadsBack() throws {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<500 {
            let texts = [random.text()]
            let shown = standard.body(try JSONEncoder().encode(texts), contentType: nil) ?? ""
            #expect(try JSONDecoder().decode([String].self, from: Data(shown.utf8)) == texts)
        }
    }

    @Test func readsJSONAsDeepAsFoundation() {
        let nested = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)

        #expect(standard.body(Data(nested.utf8), contentType: nil) == nested)
        #expect(standard.body(Data("[\(nested)]".utf8), contentType: nil) == nil)
    }

    @Test(arguments: [
        (
            "q=a+b&%70assword=hunter2&x=%zz&client_secret=a;b=hunter2&code=",
            "q=a+b&%70assword=REDACTED&x=%zz&client_secret=REDACTED&code="
        ),
        // The first name is behind a byte order mark.
        ("\u{feff}code=hunter2&a=b", "\u{feff}code=REDACTED&a=b"),
    ])
    func removesSecretsFromForms(_ form: String, _ shown: String) {
        let type = "Application/X-WWW-Form-URLEncoded; charset=utf-8"

        #expect(
            standard.body(Data(form.utf8), contentType: type)?.utf8.elementsEqual(shown.utf8)
                == true)
    }

    @Test func doesNotShowWhatItCannotRead() {
        let rows: [(String, String)] = [
            ("password=hunter2", "text/plain"), ("<p>hunter2</p>", "text/html"),
            ("", "application/json"),
            (#"{"token":"hunter2"#, "application/json"),
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
        #expect(Redaction.none == [])
        #expect(["Token", "pin"] == ["PIN", "token"] as Redaction)
        #expect(standard.adding("X-Session").value("hunter2", named: "x-session") == "REDACTED")
        #expect(
            (["pin"] as Redaction).url("https://h/?pin=1&token=2")
                == "https://h/?pin=REDACTED&token=2")
        #expect(
            standard.adding("birthday", "X-Tenant") == standard.adding("x_tenant", "birthday"))
        #expect(
            standard.showing("birthday", "X-Tenant") == standard.showing("birthday", "x_tenant"))
    }

    @Test(arguments: ["pin", "Pin", "user[pin]"])
    func showsTheValueOfAName(_ name: String) {
        let shown = standard.showing(name)
        let form = Data("\(name)=hunter2&token=hunter3".utf8)
        let type = "application/x-www-form-urlencoded"

        #expect(
            shown.url("https://h?\(name)=hunter2&token=hunter3")
                == "https://h?\(name)=hunter2&token=REDACTED")
        #expect(shown.value("hunter2", named: name) == "hunter2")
        #expect(shown.body(form, contentType: type) == "\(name)=hunter2&token=REDACTED")
        #expect(
            shown.body(Data(#"{"token":"x","\#(name)":"hunter2"}"#.utf8), contentType: nil)?
                .contains(#""\#(name)":"hunter2""#) == true)
    }

    @Test func hidesAShownNameBelowASecretOne() {
        let json = Data(#"{"secret":{"pin":1},"pin":{"token":"hunter2"}}"#.utf8)

        #expect(
            standard.showing("pin").body(json, contentType: nil)
                == #"{"secret":{"pin":0},"pin":{"token":"REDACTED"}}"#)
    }

    @Test func countsTheLastOfAddingAndShowing() {
        let hidden = "https://h?pin=REDACTED"
        let shown = "https://h?pin=1"

        #expect(standard.showing("pin").adding("PIN").url(shown) == hidden)
        #expect(standard.adding("pin").showing("PIN").url(shown) == shown)
        #expect((["pin", "a"] as Redaction).showing("a", "pin") != Redaction.none)
        #expect((["pin"] as Redaction).showing("pin").url(shown) == shown)
        #expect(standard.showing("pin") != standard)
    }

    @Test func hidesAGivenValueAtEachPlace() throws {
        let redaction = Redaction.none.adding(values: "12345")
        #expect(redaction.url("https://h/12345?a=12345&b=1") == "https://h/REDACTED?a=REDACTED&b=1")
        let json = Data(#"{"a":12345,"b":"x12345","c":[1,12345.5],"d":true}"#.utf8)
        #expect(
            redaction.body(json, contentType: nil)
                == #"{"a":0,"b":"xREDACTED","c":[1,12345.5],"d":true}"#)
        #expect(redaction.body(Data("12345".utf8), contentType: "text/plain") == "0")
        #expect(redaction.body(Data("see 12345".utf8), contentType: "text/plain") == nil)
        var request = URLRequest(url: URL(string: "https://h/12345")!)
        request.httpMethod = "POST"
        request.setValue("12345", forHTTPHeaderField: "X-A")
        request.httpBody = Data("a=12345".utf8)
        #expect(!request.curlCommand(redacting: redaction).contains("12345"))
        let shown = redaction.showing("a").body(json, contentType: nil)
        #expect(shown?.hasPrefix(#"{"a":12345,"#) == true)
    }

    @Test func hidesNothingBecauseOfAnEmptyValue() {
        let redaction = Redaction.standard.adding(values: "")

        #expect(redaction == .standard)
        #expect(redaction.url("https://h//a/?b=") == "https://h//a/?b=")
    }

    @Test func readsAnyBytesWithoutACrash() {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<2_000 {
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
