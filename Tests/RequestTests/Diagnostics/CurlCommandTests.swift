import APIKitLite
import TestSupport

@Suite(.limited) struct CurlCommandTests {
    private typealias Row = (request: URLRequest, arguments: String)

    private static func row(
        _ method: String, _ arguments: String, _ headers: [String: String] = [:],
        body: Data? = nil, url: String = "https://h/v1"
    ) -> Row {
        (.plain(url, method: method, headers: headers, body: body), arguments)
    }

    private static func post(_ body: String, _ type: String, shown: String? = nil) -> Row {
        let arguments = "-X POST 'https://h/v1' -H 'Content-Type: \(type)' --data-raw "
        let body = Data(body.utf8)
        return row(
            "POST", arguments + "'\(shown ?? body.text)'", ["Content-Type": type], body: body)
    }

    private static let form = "application/x-www-form-urlencoded"
    private static let json = #"{ "b": 1.50, "a": "\/" }"#

    private static let redacted = [
        row("GET", "'https://h/v1'"), row("HEAD", "--head 'https://h/v1'"),
        row("DELETE", "-X DELETE 'https://h/v1' -H 'Content-Length: 0'"),
        row("it's", #"-X 'it'\''s' 'https://h/v1' -H 'Content-Length: 0'"#),
        row("POST", "-X POST 'https://h/v1' -H 'Content-Length: 0'", ["Content-Length": "0"]),
        row(
            "GET",
            #"'https://h/v1' -H 'Accept: a/b' -H 'Authorization: REDACTED' "#
                + #"-H 'X-A;' -H 'X-B: it'\''s'"#,
            ["X-B": "it's", "Accept": "a/b", "X-A": "", "Authorization": "Bearer hunter2"]),
        row("GET", "'https://h/v1' -H 'X-A:' -H 'X-B:'", ["X-A": " ", "X-B": "\t "]),
        row("GET", "--globoff 'http://[::1]/a'", url: "http://[::1]/a"),
        post(
            #"{"a":"b","token":"hunter2"}"#, "text/plain", shown: #"{"a":"b","token":"REDACTED"}"#),
        post("a=b&key=hunter2", form, shown: "a=b&key=REDACTED"),
        post("hunter2", "text/plain", shown: "<text/plain, 7 bytes>"),
        post("\u{feff}a=b", form), post(json, "application/json"),
    ]

    private static let unredacted = [
        post("\u{feff}a=b", form), post("\u{feff}[1]", "application/json"),
        post(json, "application/json"), post("\0b", "image/png", shown: "<image/png, 2 bytes>"),
        post("\0\0", "image/png", shown: "<image/png, 2 bytes>"),
        row(
            "POST",
            "-X POST 'https://h/v1' -H 'Content-Type: image/png' --data-raw '<image/png, 1 byte>'",
            ["Content-Type": "image/png"], body: Data([255])),
        // As a session on Linux does, with a body that it does not send.
        row("GET", "'https://h/v1'", body: Data()),
        row("HEAD", "--head 'https://h/v1'", body: Data("x".utf8)),
        row("POST", "-X POST 'https://h/v1' -H 'Content-Length: 0'", body: Data()),
        // Without a type, a session sends that of a form with a POST, as curl does with each method.
        row("POST", "-X POST 'https://h/v1' --data-raw 'a=b'", body: Data("a=b".utf8)),
        row("post", "-X POST 'https://h/v1' --data-raw 'a=b'", body: Data("a=b".utf8)),
        row(
            "PUT", "-X PUT 'https://h/v1' -H 'Content-Type:' --data-raw 'a=b'",
            body: Data("a=b".utf8)),
    ]

    @Test func sendsTheSameRequest() {
        for (rows, redaction) in [(Self.redacted, Redaction.standard), (Self.unredacted, .none)] {
            for (request, arguments) in rows {
                let command = request.curlCommand(redacting: redaction)
                // Byte by byte, for a byte order mark.
                #expect(command.utf8.elementsEqual("curl \(arguments)".utf8), "\(command)")
            }
        }
    }

    @Test func saysThatAStreamIsNotShown() {
        var request = URLRequest.plain("https://h/v1", method: "POST")
        request.httpBodyStream = InputStream(data: Data("hunter2".utf8))

        #expect(
            request.curlCommand(redacting: .none)
                == "curl -X POST 'https://h/v1' --data-raw '<unknown type, a stream, not read>'")
    }
}
