import APIKitLite
import Foundation
import TestSupport
import Testing

@Suite(.limited) struct HTTPMessageTests {
    private func request(
        _ method: String = "GET", _ url: String = "https://api.example.com/users",
        type: String? = nil, body: String? = nil
    ) -> URLRequest {
        var request = URLRequest(url: URL(string: url)!)
        request.httpMethod = method
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        request.httpBody = body.map { Data($0.utf8) }
        return request
    }

    @Test func readsLikeAMessage() throws {
        let request = try URLRequest(
            "POST", URL(string: "https://api.example.com:8443/v1")!, path: "/users/{id}",
            ["id": "a b"], query: ["page": 2, "flag": QueryFlag()],
            headers: ["X-b": "2", "accept": "application/json", "X-A": "1"]
        ).jsonBody(["name": "Émma/\"x\"", "age": "3"])

        #expect(
            request.httpMessage == """
                POST /v1/users/a%20b?page=2&flag HTTP/1.1
                Host: api.example.com:8443
                Accept: application/json
                Content-Type: application/json
                X-A: 1
                X-B: 2

                {
                  "age": "3",
                  "name": "Émma/\\"x\\""
                }
                """)
    }

    @Test func cutsTheURL() {
        let rows: [(String, String)] = [
            ("https://h", "GET / HTTP/1.1\nHost: h"),
            ("https://h/#top", "GET / HTTP/1.1\nHost: h"),
            ("https://h?q=1", "GET /?q=1 HTTP/1.1\nHost: h"),
            ("HTTPS://User:pw@H.Example:443/a", "GET /a HTTP/1.1\nHost: h.example:443"),
            ("http://[::1]:80/a//b/", "GET /a//b/ HTTP/1.1\nHost: [::1]:80"),
        ]
        for (url, expected) in rows {
            #expect(request("GET", url).httpMessage == expected, "\(url)")
        }
    }

    @Test func takesTheHostThatIsSet() {
        var request = request()
        request.setValue("other.example.com", forHTTPHeaderField: "host")

        #expect(request.httpMessage == "GET /users HTTP/1.1\nHost: other.example.com")
    }

    @Test func writesJSONInOneWay() throws {
        let rows: [(String, String)] = [
            (
                #"{"b":{"c":[],"a":{}},"a":[1.50,1e3,-0,[true,null]]}"#,
                """
                {
                  "a": [
                    1.5,
                    1000,
                    0,
                    [
                      true,
                      null
                    ]
                  ],
                  "b": {
                    "a": {},
                    "c": []
                  }
                }
                """
            ),
            ("  7 ", "7"),
            ("hello", "<application/json, 5 bytes>"),
        ]
        for (body, expected) in rows {
            let message = request("PUT", type: "application/json", body: body).httpMessage

            #expect(
                message == "PUT /users HTTP/1.1\nHost: api.example.com\n"
                    + "Content-Type: application/json\n\n" + expected, "\(body)")
        }
    }

    @Test func removesSecrets() throws {
        let request = try request(
            "POST", "https://u:hunter2@h/cb?code=hunter2&state=1", type: "application/json",
            body: #"{"password": "hunter2", "to": "https://x?a=hunter2"}"#
        ).header("Authorization", "Bearer hunter2").header("Referer", "https://h?a=hunter2")

        #expect(
            request.httpMessage == """
                POST /cb?code=REDACTED&state=1 HTTP/1.1
                Host: h
                Authorization: REDACTED
                Content-Type: application/json
                Referer: https://h?a=REDACTED

                {
                  "password": "REDACTED",
                  "to": "https://x?a=REDACTED"
                }
                """)
        #expect(request.httpMessage(redacting: .none).components(separatedBy: "hunter2").count == 6)
        #expect(request.httpMessage(redacting: ["state"]).contains("state=REDACTED"))
    }

    @Test(arguments: [
        ("application/x-www-form-urlencoded", "b=2&token=hunter2&a", "b=2&token=REDACTED&a"),
        ("text/plain", "hunter2", "<text/plain, 7 bytes>"),
    ])
    func showsOnlyWhatItCanRead(_ type: String, _ body: String, _ expected: String) {
        let request = request("POST", type: type, body: body)

        #expect(request.httpMessage.hasSuffix("\n\n" + expected))
        #expect(request.httpMessage(redacting: .none).hasSuffix("\n\n" + body))
    }

    @Test func namesWhatIsNoText() {
        var bytes = request("POST", type: "image/png")
        bytes.httpBody = Data([0xff, 0xd8])
        var stream = request("POST", type: "image/png")
        stream.httpBodyStream = InputStream(data: Data("hunter2".utf8))

        #expect(bytes.httpMessage(redacting: .none).hasSuffix("\n\n<image/png, 2 bytes>"))
        #expect(stream.httpMessage.hasSuffix("\n\n<image/png, a stream, not read>"))
        #expect(!request("POST", body: "").httpMessage.contains("\n\n"))
    }
}
