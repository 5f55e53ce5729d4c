import APIKitLite
import Foundation
import TestSupport
import Testing

@Suite(.limited) struct CurlCommandTests {
    private func request(
        _ method: String = "POST", _ url: String = "https://h/v1", type: String? = nil,
        body: Data? = nil
    ) -> URLRequest {
        var request = URLRequest(url: URL(string: url)!)
        request.httpMethod = method
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        request.httpBody = body
        return request
    }

    @Test(arguments: [
        ("GET", "curl 'https://h/v1'"), ("HEAD", "curl --head 'https://h/v1'"),
        ("DELETE", "curl -X DELETE 'https://h/v1' -H 'Content-Length: 0'"),
        ("it's", #"curl -X 'it'\''s' 'https://h/v1' -H 'Content-Length: 0'"#),
    ])
    func writesTheMethod(_ method: String, _ expected: String) {
        #expect(request(method).curlCommand() == expected)
    }

    @Test func sortsHeadersAndQuotesThem() throws {
        let request = try request("GET").header("X-B", "it's").header("Accept", "a/b")
            .header("X-A", "").header("Authorization", "Bearer hunter2")

        #expect(
            request.curlCommand()
                == #"curl 'https://h/v1' -H 'Accept: a/b' -H 'Authorization: REDACTED' "#
                + #"-H 'X-A;' -H 'X-B: it'\''s'"#)
    }

    @Test(arguments: [
        (#"{"a":"b","token":"hunter2"}"#, "text/plain", #"'{"a":"b","token":"REDACTED"}'"#),
        ("a=b&key=hunter2", "application/x-www-form-urlencoded", "'a=b&key=REDACTED'"),
        ("hunter2", "text/plain", "'<text/plain, 7 bytes>'"),
    ])
    func redactsTheBody(_ body: String, _ type: String, _ expected: String) {
        #expect(
            request(type: type, body: Data(body.utf8)).curlCommand()
                == "curl -X POST 'https://h/v1' -H 'Content-Type: \(type)' --data-raw " + expected)
    }

    @Test(arguments: [
        (Redaction.standard, "application/x-www-form-urlencoded", "a=b"),
        (.none, "application/x-www-form-urlencoded", "a=b"), (.none, "application/json", "[1]"),
    ])
    func keepsAByteOrderMark(_ redaction: Redaction, _ type: String, _ body: String) {
        let body = Data("\u{feff}\(body)".utf8)
        let command = request(type: type, body: body).curlCommand(redacting: redaction)

        #expect(command.utf8.suffix(body.count + 2).elementsEqual("'".utf8 + body + "'".utf8))
    }

    @Test(arguments: [Redaction.standard, .none])
    func keepsTheBytesOfJSON(_ redaction: Redaction) {
        let body = #"{ "b": 1.50, "a": "\/" }"#
        let request = request(type: "application/json", body: Data(body.utf8))

        #expect(request.curlCommand(redacting: redaction).hasSuffix("--data-raw '\(body)'"))
    }

    @Test func saysThatAStreamIsNotShown() {
        var request = request()
        request.httpBodyStream = InputStream(data: Data("hunter2".utf8))

        #expect(
            request.curlCommand(redacting: [])
                == "curl -X POST 'https://h/v1' --data-raw '<unknown type, a stream, not read>'")
    }

    @Test(arguments: [Data([0, 98]), Data([255]), Data(repeating: 0, count: 2)])
    func showsTheTypeAndSizeOfABodyThatIsNoText(_ body: Data) {
        #expect(
            request(type: "image/png", body: body).curlCommand(redacting: .none).hasSuffix(
                "--data-raw '<image/png, \(byteCount(body.count))>'"))
    }

    /// As a session on Linux does, with a body that it does not send.
    @Test(arguments: [
        ("GET", "", "curl 'https://h/v1'"), ("HEAD", "x", "curl --head 'https://h/v1'"),
        ("POST", "", "curl -X POST 'https://h/v1' -H 'Content-Length: 0'"),
    ])
    func leavesABodyOut(_ method: String, _ body: String, _ expected: String) {
        #expect(request(method, body: Data(body.utf8)).curlCommand(redacting: .none) == expected)
    }

    @Test func namesTheLengthOnce() throws {
        let command = try request().header("Content-Length", "0").curlCommand()

        #expect(command == "curl -X POST 'https://h/v1' -H 'Content-Length: 0'")
    }

    /// Without a type, a session sends that of a form with a POST, as curl does with each method.
    @Test(arguments: [("POST", ""), ("PUT", " -H 'Content-Type:'"), ("post", "")])
    func leavesTheTypeOfAFormToCurl(_ method: String, _ option: String) {
        #expect(
            request(method, body: Data("a=b".utf8)).curlCommand(redacting: .none)
                == "curl -X \(method.uppercased()) 'https://h/v1'\(option) --data-raw 'a=b'")
    }

    @Test func sendsNoHeaderOfSpaces() throws {
        let request = try request("GET").header("X-A", " ").header("X-B", "\t ")

        #expect(request.curlCommand() == "curl 'https://h/v1' -H 'X-A:' -H 'X-B:'")
    }

    @Test func keepsCurlFromReadingTheURL() {
        #expect(
            request("GET", "http://[::1]/a").curlCommand()
                == "curl --globoff 'http://[::1]/a'")
    }
}
