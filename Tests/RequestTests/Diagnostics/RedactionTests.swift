import APIKitLite
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct RedactionTests {
    private let standard = Redaction.standard

    @Test func removesSecretsFromURLs() {
        let rows: [(String, String)] = [
            ("https://h/v1/users?q=a", "https://h/v1/users?q=a"),
            ("https://u:hunter2@h:80/p", "https://REDACTED@h:80/p"),
            ("https://hunter2@h", "https://REDACTED@h"),
            ("https://u:hunter2@hunter2@h/p", "https://REDACTED@h/p"),
            ("//u:hunter2@h/p", "//REDACTED@h/p"),
            (#"https:\/\/u:hunter2@h\/p"#, #"https:\/\/REDACTED@h\/p"#),
            ("https://h/@me/a@b", "https://h/@me/a@b"),
            ("https://h/?token=hunter2&q=1", "https://h/?token=REDACTED&q=1"),
            ("https://h/?ToKeN=hunter2", "https://h/?ToKeN=REDACTED"),
            ("https://h/?%74oken=hunter2", "https://h/?%74oken=REDACTED"),
            ("https://h/?+token+=hunter2", "https://h/?+token+=REDACTED"),
            ("https://h/?a=1;key=hunter2;b=2", "https://h/?a=1;key=REDACTED"),
            ("https://h/?a=1&amp;key=hunter2", "https://h/?a=1&amp;key=REDACTED"),
            ("https://h/?user[password]=hunter2", "https://h/?user[password]=REDACTED"),
            ("https://h/?token", "https://h/?token"),
            ("https://h/?token%3Dhunter2", "https://h/?REDACTED"),
            ("https://h/?tokens=1&my_key=2", "https://h/?tokens=1&my_key=2"),
            ("https://h/#access_token=hunter2&x=1", "https://h/#access_token=REDACTED&x=1"),
            ("https://h/#accessToken=hunter2&x=1", "https://h/#accessToken=REDACTED&x=1"),
            ("https://h/?API-Key=hunter2&x=1", "https://h/?API-Key=REDACTED&x=1"),
            ("https://h/#/a?code=hunter2", "https://h/#/a?code=REDACTED"),
            ("https://h/?to=https://u:hunter2;x@h", "https://h/?to=https://REDACTED@h"),
            ("https://h/?https://u:hunter2@h/a=b", "https://h/?https://REDACTED@h/a=b"),
            ("https://h/?a;b=1;;c&;", "https://h/?a;b=1;;c&;"),
            ("https://h/?a=b#c=d", "https://h/?a=b#c=d"),
            ("/callback?code=hunter2", "/callback?code=REDACTED"),
            ("https://h/?to=https://x/?key=hunter2", "https://h/?to=https://x/?key%3DREDACTED"),
            ("https://h/?to=https%3A%2F%2Fu%3Ahunter2%40x", "https://h/?to=https://REDACTED@x"),
            ("https://h/https%3A%2F%2Fu%3Ahunter2%40x/y", "https://h/https%3A%2F%2FREDACTED%40x/y"),
            ("https://h/?a=%zz&b=%", "https://h/?a=%zz&b=%"),
            ("", ""),
        ]
        for (url, expected) in rows {
            #expect(standard.url(url) == expected, "\(url)")
            #expect(Redaction.none.url(url) == url, "\(url)")
        }
    }

    @Test func removesSecretHeaders() {
        let rows: [(String, String, String)] = [
            ("Authorization", "Bearer hunter2", "REDACTED"), ("cookie", "a=hunter2", "REDACTED"),
            ("SET-COOKIE", "a=hunter2", "REDACTED"), ("Proxy-Authorization", "x", "REDACTED"),
            ("x-api-key", "hunter2", "REDACTED"), ("Accept", "a/b;q=0.1, */*", "a/b;q=0.1, */*"),
            ("Referer", "https://u:hunter2@h/?key=hunter2", "https://REDACTED@h/?key=REDACTED"),
            ("Location", "/cb?code=hunter2&state=1", "/cb?code=REDACTED&state=1"),
            (
                "Link", "<https://h/?page=2&token=hunter2>; rel=next",
                "<https://h/?page=2&token=REDACTED>; rel=next"
            ),
            ("If-None-Match", "W/\"a?b=c\"", "W/\"a?b=c\""),
        ]
        for (name, value, expected) in rows {
            #expect(standard.headerValue(value, named: name) == expected, "\(name)")
            #expect(Redaction.none.headerValue(value, named: name) == value, "\(name)")
        }
    }

    @Test func removesSecretsFromJSONAndKeepsTheRest() {
        let rows: [(String, String)] = [
            (#"{"a":1}"#, #"{"a":1}"#),
            (#"{"token":"hunter2","a":[1,2.50,1e5]}"#, #"{"token":"REDACTED","a":[1,2.50,1e5]}"#),
            (
                " { \"Pin\" :\n 12345 , \"b\": true }\n",
                " { \"Pin\" :\n \"REDACTED\" , \"b\": true }\n"
            ),
            (#"{"a":[{"secret":{"deep":["hunter2"]}}]}"#, #"{"a":[{"secret":"REDACTED"}]}"#),
            (#"{"\u0074oken":"hunter2"}"#, #"{"\u0074oken":"REDACTED"}"#),
            (#"{"token":null}"#, #"{"token":null}"#),
            (
                #"{"a":1,"a":2,"pin":"\"hunter2","pin":3}"#,
                #"{"a":1,"a":2,"pin":"REDACTED","pin":"REDACTED"}"#
            ),
            (#"{"u":"https:\/\/u:hunter2@h\/?x=\u00e9"}"#, #"{"u":"https://REDACTED@h/?x=é"}"#),
            (
                #"{"u":"see https://h/?key=hunter2 \n and"}"#,
                #"{"u":"see https://h/?key=REDACTED \n and"}"#
            ),
            (#"["{\"token\":\"hunter2\"}"]"#, #"["{\"token\":\"REDACTED\"}"]"#),
            (#"{"https://h/?key=hunter2":1}"#, #"{"https://h/?key=REDACTED":1}"#),
            (#""é\ud83c\udf88\ud800 / ? \/""#, #""é\ud83c\udf88\ud800 / ? \/""#),
            ("{}", "{}"), ("[ ]", "[ ]"), ("42", "42"), ("\u{feff}[1]", "\u{feff}[1]"),
        ]
        for (json, expected) in rows {
            // JSON is told by its text, whatever the server calls it.
            for type in ["application/json", "text/plain", nil] {
                #expect(standard.body(Data(json.utf8), contentType: type) == expected, "\(json)")
            }
        }
    }

    @Test func removesSecretsFromForms() {
        let form = Data("q=a+b&%70assword=hunter2&x=%zz&client_secret=a;b=hunter2&code=".utf8)
        let type = "Application/X-WWW-Form-URLEncoded; charset=utf-8"

        #expect(
            standard.body(form, contentType: type)
                == "q=a+b&%70assword=REDACTED&x=%zz&client_secret=REDACTED&code=REDACTED")
    }

    @Test func readsTheFirstNameOfAFormBehindAByteOrderMark() {
        let form = Data("\u{feff}code=hunter2&a=b".utf8)
        let type = "application/x-www-form-urlencoded"

        #expect(
            standard.body(form, contentType: type)?.utf8
                .elementsEqual("\u{feff}code=REDACTED&a=b".utf8) == true)
        #expect(
            (["code"] as Redaction).body(form, contentType: type)?.contains("hunter2") == false)
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
        #expect(
            standard.adding("X-Session").headerValue("hunter2", named: "x-session") == "REDACTED")
        #expect(
            (["pin"] as Redaction).url("https://h/?pin=1&token=2")
                == "https://h/?pin=REDACTED&token=2")
    }

    @Test func takesNamesInAnArray() {
        let names = ["birthday", "X-Tenant"]

        #expect(standard.adding(names) == standard.adding("X-Tenant", "birthday"))
        #expect(standard.showing(names) == standard.showing("birthday", "x_tenant"))
        #expect(standard.adding(names).headerValue("hunter2", named: "x-tenant") == "REDACTED")
        #expect(standard.adding([]) == standard)
    }

    @Test(arguments: ["pin", "Pin", "user[pin]"])
    func showsTheValueOfAName(_ name: String) {
        let shown = standard.showing(name)
        let form = Data("\(name)=hunter2&token=hunter3".utf8)
        let type = "application/x-www-form-urlencoded"

        #expect(
            shown.url("https://h?\(name)=hunter2&token=hunter3")
                == "https://h?\(name)=hunter2&token=REDACTED")
        #expect(shown.headerValue("hunter2", named: name) == "hunter2")
        #expect(shown.body(form, contentType: type) == "\(name)=hunter2&token=REDACTED")
        #expect(
            shown.body(Data(#"{"\#(name)":"hunter2","token":"x"}"#.utf8), contentType: nil)
                == #"{"\#(name)":"hunter2","token":"REDACTED"}"#)
    }

    @Test func showsAValueThatLooksLikeASecret() {
        let shown = standard.showing("Authorization", "to")

        #expect(shown.headerValue("Bearer hunter2", named: "authorization") == "Bearer hunter2")
        #expect(
            shown.body(
                Data(#"{"to":"https://u:p@h?key=k","via":"//u:p@h"}"#.utf8), contentType: nil)
                == #"{"to":"https://u:p@h?key=k","via":"//REDACTED@h"}"#)
        #expect(
            shown.url("https://h?to=//u:p@h&via=//u:p@h").hasPrefix("https://h?to=//u:p@h&via=//R"))
    }

    @Test func hidesAShownNameBelowASecretOne() {
        let json = Data(#"{"secret":{"pin":1},"pin":{"token":"hunter2"}}"#.utf8)

        #expect(
            standard.showing("pin").body(json, contentType: nil)
                == #"{"secret":"REDACTED","pin":{"token":"REDACTED"}}"#)
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

    @Test func showsNothingOfURLsInURLsThatDoNotEnd() {
        let nested = String(repeating: "https://h/?to=", count: 5000) + "https://u:hunter2@h"

        #expect(!standard.url(nested).contains("hunter2"))
    }
}
