import APIKitLite
import Foundation
import Testing

/// Secrets in the texts of errors that are somebody's own.
@Suite(.timeLimit(.minutes(5))) struct SecretTextTests {
    private static let webToken = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjMifQ.hunter2_hunter2"

    @Test func hidesSecretsInText() {
        let rows: [(String, String)] = [
            ("Refused: token=hunter2, try again", "Refused: token=REDACTED try again"),
            ("password = hunter2", "password = REDACTED"),
            ("password: hunter2", "password: REDACTED"),
            ("password='hun ter2' x", "password='REDACTED' x"),
            ("a=1&token=hunter2&b=2", "a=1&token=REDACTED&b=2"),
            ("password=hunter2&hunter2 x", "password=REDACTED x"),
            ("user[password]=hunter2", "user[password]=REDACTED"),
            (
                #"{"token": "hunter2", "id": 1} was refused"#,
                #"{"token": "REDACTED", "id": 1} was refused"#
            ),
            (#"Sent {"pin":1234,"id":1}"#, #"Sent {"pin":REDACTED,"id":1}"#),
            (#"Sent {"secret":{"a":["hunter2"]},"id":1}"#, #"Sent {"secret":REDACTED,"id":1}"#),
            (#"Sent {"secret":["hunter2","#, #"Sent {"secret":REDACTED"#),
            (#"Sent {"token":"hun\"ter2","id":1}"#, #"Sent {"token":"REDACTED","id":1}"#),
            (#"Sent "{\"token\":\"hun\\\"ter2\"}""#, #"Sent "{\"token\":\"REDACTED\"}""#),
            ("Authorization: Bearer hunter2", "Authorization: REDACTED"),
            (
                "Headers:\nCookie: a=hunter2; b=hunter2\nAccept: */*",
                "Headers:\nCookie: REDACTED\nAccept: */*"
            ),
            ("X-Api-Key: hunter2\r\nAccept: a", "X-Api-Key: REDACTED\r\nAccept: a"),
            (
                #"["Authorization": "Bearer hunter2", "Accept": "a"]"#,
                #"["Authorization": "REDACTED", "Accept": "a"]"#
            ),
            (#"[AnyHashable("token"): "hunter2"]"#, #"[AnyHashable("token"): "REDACTED"]"#),
            (
                #"Login(user: "emma", password: "hunter2")"#,
                #"Login(user: "emma", password: "REDACTED")"#
            ),
            (#"Login(token: Optional("hunter2"))"#, "Login(token: REDACTED"),
            (
                #"Login(user: "emma", authorization: "hunter2")"#,
                #"Login(user: "emma", authorization: "REDACTED")"#
            ),
            (#"Authorization: "Token hun ter2" x"#, #"Authorization: "REDACTED" x"#),
            ("Authorization=Bearer hunter2, Accept=a", "Authorization=REDACTED Accept=a"),
            ("X-Auth-Token: Bearer hunter2", "X-Auth-Token: REDACTED"),
            ("curl -H 'X-Token: Token hunter2' x", "curl -H 'X-Token: REDACTED' x"),
            ("Cookie=a=hunter2; b=hunter2 Accept=a", "Cookie=REDACTED Accept=a"),
            ("Cookies: a=hunter2; b=hunter2", "Cookies: REDACTED"),
            ("key: hunter2HUNTER2hunter2:x", "key: REDACTED:x"),
            ("access: \(Self.webToken) x", "access: REDACTED x"),
            ("code=hunter2HUNTER2hunter2%2Fhunter2 x", "code=REDACTED x"),
            (
                "<password token=\"hunter2\" id=\"1\">hunter2</password>",
                "<password token=\"REDACTED\" id=\"1\">REDACTED</password>"
            ),
            (
                "<Credentials user=\"emma\" password=\"hunter2\"><x/></Credentials>",
                "<Credentials user=\"emma\" password=\"REDACTED\"><x/></Credentials>"
            ),
            (
                "<s:Password Type=\"a\">hunter2</s:Password>",
                "<s:Password Type=\"a\">REDACTED</s:Password>"
            ),
            (#"{"log": "cookie: \"hun ter2\" x"}"#, #"{"log": "cookie: \"REDACTED\" x"}"#),
            (
                "<login><password>hunter2</password></login>",
                "<login><password>REDACTED</password></login>"
            ),
            (
                "curl 'https://h' -H 'Authorization: Bearer hunter2' -d x",
                "curl 'https://h' -H 'Authorization: REDACTED' -d x"
            ),
            (
                #"curl -H 'X-Token: a'\''hunter2' 'https://h'"#,
                "curl -H 'X-Token: REDACTED' 'https://h'"
            ),
            ("curl -u emma:hunter2 'https://h'", "curl -u REDACTED 'https://h'"),
            ("curl -sSu 'emma:hun ter2' 'https://h'", "curl -sSu 'REDACTED' 'https://h'"),
            ("curl --user=emma:hunter2 'https://h'", "curl --user=REDACTED 'https://h'"),
            ("curl -uemma:hunter2 'https://h'", "curl -uREDACTED 'https://h'"),
            ("It sent Bearer hunter2.", "It sent Bearer REDACTED"),
            ("It sent Basic ZW1tYTpodW50ZXIy to all", "It sent Basic REDACTED to all"),
            ("The token \(Self.webToken) has expired", "The token REDACTED has expired"),
            ("https://us%40er:p%23hunter2:ss@host/x", "https://REDACTED@host/x"),
            ("at https://me:hun#ter2@host/x?a=b now", "at https://REDACTED@host/x?a=b now"),
            ("at https://me:hun?ter2@host/x?a=b now", "at https://REDACTED@host/x?a=b now"),
            ("at https://me:hun/ter2@host/x?a=b now", "at https://REDACTED@host/x?a=b now"),
            ("at https://me:hun@ter2@host:80/x", "at https://REDACTED@host:80/x"),
            (
                "to https%3A%2F%2Fme%3Ahunter2%40host failed",
                "to https%3A%2F%2FREDACTED%40host failed"
            ),
            (
                "to https%3A%2F%2Fhost%2F%3Ftoken%3Dhunter2",
                "to https%3A%2F%2Fhost%2F%3Ftoken%3DREDACTED"
            ),
            (
                "to https%253A%252F%252Fme%253Ahunter2%2540host",
                "to https%253A%252F%252FREDACTED%2540host"
            ),
        ]
        for (text, expected) in rows {
            #expect(Redaction.standard.text(text) == expected, "\(text)")
            // Once is enough.
            #expect(Redaction.standard.text(expected) == expected, "\(text)")
            #expect(Redaction.none.text(text) == text, "\(text)")
        }
    }

    @Test func leavesOrdinaryTextAlone() {
        let rows: [String] = [
            "The token is not valid.", "Invalid token: expired", "Unexpected token: }",
            "token: nil",
            "Password: must have 8 characters",
            "Error Domain=NSURLErrorDomain Code=-1001 \"(null)\"",
            "POST https://h/oauth/token: got 404", "$.user.token: expected a string",
            "secret: null", "accept_cookies: true", "accept_cookies=false", "Cookie: nil",
            "<password/><user>emma</user>", "the tag <password type> is missing",
            "Bearer authentication is required", "Bearer realm=\"x\"", "Basic plan, 3 users",
            "see https://h:8080/a/b@c?d=e#f", "https://[::1]:80/x@y",
            "emma@example.com wrote: hello",
            "curl -X POST 'https://h'", "50% of 100%zz", "key: value, code = 7",
            "eyJhIjoxfQ is a cursor",
            "At $.items[0].id: expected Int, found a string.", "max_tokens=5", "sort_key: a1b2c3",
        ]
        for text in rows {
            #expect(Redaction.standard.text(text) == text, "\(text)")
        }
    }

    @Test func isAppliedToTheTextOfAnError() {
        struct Refusal: LocalizedError {
            let errorDescription: String?
        }
        let error = APIRequestError(
            stage: .validate, underlying: Refusal(errorDescription: "Sent token=hunter2 in vain"))

        #expect(error.description.contains("Sent token=REDACTED in vain"))
        #expect(error.localizedDescription == "Sent token=REDACTED in vain")
    }

    @Test func showsNothingBelowManyEscapes() {
        var text = "https://me:hunter2@host"
        for _ in 0..<20 {
            text = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!
        }

        #expect(!Redaction.standard.text(text).contains("hunter2"))
    }
}
