import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// No secret is written to a file.
@Suite(.limited) struct RecordedSecretsTests {
    private let folder: TemporaryFolder
    private var file: URL { folder.url.appending(path: "secrets.har") }

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A secret with characters that each encoding changes.
    private static let secret = #"s3cr3t/+"ä =&%x"#

    private static func encoded(_ text: String, _ others: String = "") -> String {
        let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: others))
        return text.addingPercentEncoding(withAllowedCharacters: allowed)!
    }

    private static let json = String(JSONText.quoted(secret).dropFirst().dropLast())

    private static func request(
        _ path: String = "a", headers: [String: String] = [:], body: String? = nil
    ) -> URLRequest {
        var request = URLRequest(url: URL(string: "https://api.example.com/\(path)")!)
        request.httpMethod = body == nil ? "GET" : "POST"
        request.allHTTPHeaderFields = headers
        request.httpBody = body.map { Data($0.utf8) }
        return request
    }

    /// Exchanges that have the secret at one place each, where its name tells what it is.
    static let places: [(String, URLRequest, MockResponse)] = [
        ("a query item", request("a?access_token=\(encoded(secret))"), .status(200)),
        (
            "a user info",
            URLRequest(url: URL(string: "https://emma:\(encoded(secret))@api.example.com/")!),
            .status(200)
        ),
        (
            "an Authorization", request(headers: ["Authorization": "Bearer \(encoded(secret))"]),
            .status(200)
        ),
        ("a header", request(headers: ["X-Api-Key": "s3cr3t/+=&%x"]), .status(200)),
        (
            "a cookie", request(headers: ["Cookie": "sid=\(encoded(secret)); theme=dark-mode-1"]),
            .status(200)
        ),
        ("JSON of a request", request(body: #"{"user": {"password": "\#(json)"}}"#), .status(200)),
        (
            "a form",
            request(
                headers: ["Content-Type": "application/x-www-form-urlencoded"],
                body: "a=1&password=\(encoded(secret))"), .status(200)
        ),
        (
            "a part",
            request(
                headers: ["Content-Type": "multipart/form-data; boundary=x"],
                body:
                    "--x\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n\(secret)\r\n--x--\r\n"
            ),
            .status(200)
        ),
        (
            "a Set-Cookie", request(),
            .status(200).header("Set-Cookie", "sid=\(encoded(secret)); Path=/")
        ),
        (
            "a Location", request(),
            .redirect(to: "https://b.example/?X-Amz-Signature=\(encoded(secret))")
        ),
        ("JSON of an answer", request(), .json(#"{"list": [{"client_secret": "\#(json)"}]}"#)),
        (
            "a URL in JSON", request(),
            .json(#"{"file": "https://b.example/a?sig=\#(encoded(secret))"}"#)
        ),
        ("an event", request(), .events([#"{"refresh_token": "\#(json)"}"#])),
        ("a line of JSON", request(), .text("{}\n{\"api_key\": \"\(json)\"}\n")),
        (
            "a value with its name beside it", request(),
            .json(#"[{"name": "password", "value": "\#(json)"}]"#)
        ),
        ("an array", request(), .json(#"{"backup_codes": ["\#(json)"]}"#)),
        ("an object", request(), .json(#"{"credentials": {"a": "\#(json)"}}"#)),
        ("a short number", request(), .json(#"{"pin": 12345}"#)),
    ]

    /// What must not be in a file.
    private static let traces = [
        "s3cr3t", "12345", Data("s3cr3t".utf8).base64EncodedString().prefix(6).description,
        "733363723374",
    ]

    @Test func aNamedValueIsReplacedAtEachPlace() async throws {
        await forEachRow(Self.places, named: \.0) { row, comment in
            let exchange = try await HTTPArchive.Exchange.recorded(row.2, to: row.1)
            try HTTPArchive([exchange]).write(to: file)

            let text = try String(contentsOf: file, encoding: .utf8)
            for trace in Self.traces { #expect(!text.contains(trace), comment) }
            #expect(text.contains("REDACTED-"), comment)
            let network = MockNetwork()
            network.stub(try HTTPArchive(contentsOf: file))
            let session = MockURLSession(network)
            // The target of the redirect is not in the archive.
            _ = try? await session.exchange(row.1)
            #expect(network.requests.first?.response != nil, comment)
            try HTTPArchive.checkSecrets(in: folder.url)
        }
    }

    /// The ways in which a value may be written elsewhere.
    static let encodings: [(String, @Sendable (String) -> String)] = [
        ("plain", { $0 }),
        ("JSON", { String(JSONText.quoted($0).dropFirst().dropLast()) }),
        ("percent-encoded", { encoded($0) }),
        ("percent-encoded with few escapes", { encoded($0, "-._~!$()*,/:?@") }),
        (
            "percent-encoded in small letters",
            { encoded($0).replacing(/%../) { $0.output.lowercased() } }
        ),
        ("form-encoded", { encoded($0, "*-._").replacing("%20", with: "+") }),
        ("Base64", { Data($0.utf8).base64EncodedString() }),
        ("Base64 after one byte", { Data("a\($0)b".utf8).base64EncodedString() }),
        ("Base64 after two bytes", { Data("ab\($0)cd".utf8).base64EncodedString() }),
        (
            "Base64 for URLs",
            {
                Data($0.utf8).base64EncodedString().replacing("+", with: "-")
                    .replacing("/", with: "_")
            }
        ),
        ("hexadecimal digits", { $0.utf8.map { String($0, radix: 16) }.joined() }),
        (
            "capital hexadecimal digits",
            { $0.utf8.map { String($0, radix: 16).uppercased() }.joined() }
        ),
    ]

    @Test func aValueIsReplacedInEachEncoding() async throws {
        let named = try await HTTPArchive.Exchange.recorded(
            .json("{}"), to: Self.request(body: #"{"password": "\#(Self.json)"}"#))
        await forEachRow(Self.encodings, named: \.0) { row, comment in
            let written = row.1(Self.secret)
            let others: [HTTPArchive.Exchange] = try await [
                .recorded(.text("before \(written) after")),
                .recorded(.json(#"{"note": \#(JSONText.quoted(written))}"#)),
                .recorded(.text("a"), to: Self.request(body: "x\(written)y")),
                .recorded(
                    .status(200).header(
                        "X-Note",
                        written.allSatisfy(\.isASCII) ? written : Self.encoded(Self.secret))),
            ]
            try HTTPArchive([named] + others).write(to: file)

            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(!text.contains(JSONText.quoted(written).dropFirst().dropLast()), comment)
            #expect(!text.contains("s3cr3t"), comment)
            #expect(text.matches(of: /REDACTED-/).count == 5, comment)
            #expect(text.matches(of: /REDACTED-1/).count == 5, comment)
        }
    }

    @Test func equalValuesHaveEqualPlaceholders() async throws {
        let archive = try await HTTPArchive(
            [
                .recorded(.json(#"{"access_token": "first-token", "pin": 1, "otp": 1}"#)),
                .recorded(
                    .json(#"{"access_token": "second-token"}"#),
                    to: Self.request(headers: ["Authorization": "Bearer first-token"])),
            ] as [HTTPArchive.Exchange])
        try archive.write(to: file)

        let read = try HTTPArchive(contentsOf: file)
        #expect(
            read.map(\.body.text) == [
                #"{"access_token": "REDACTED-1", "pin": "REDACTED-NUMBER-2", "otp": "REDACTED-NUMBER-3"}"#,
                #"{"access_token": "REDACTED-4"}"#,
            ])
        #expect(read[1].request.value(forHTTPHeaderField: "Authorization") == "Bearer REDACTED-1")
        let text = try Data(contentsOf: file)
        try read.write(to: file)
        #expect(try Data(contentsOf: file) == text)
    }

    @Test func theClientSendsBackAPlaceholderThatItGot() async throws {
        try await HTTPArchive(
            [
                .recorded(.json(#"{"access_token": "first-token"}"#), to: Self.request("login")),
                .recorded(
                    .text("welcome"), to: Self.request(headers: ["X-Session-Id": "first-token"])),
            ] as [HTTPArchive.Exchange]
        ).write(to: file)
        let network = MockNetwork()
        network.stub(try HTTPArchive(contentsOf: file))
        let session = MockURLSession(network)

        let login = try await session.exchange(Self.request("login")).0.text
        #expect(login == #"{"access_token": "REDACTED-1"}"#)
        let second = Self.request(headers: ["X-Session-Id": "REDACTED-1"])
        #expect(try await session.exchange(second).0.text == "welcome")
        try network.verify()
    }

    @Test func thePiecesKeepTheirBounds() async throws {
        try await HTTPArchive(
            [
                .recorded(
                    .chunks(["one ", "{\"token\": \"secret-", "value\"} ", "three"]))
            ] as [HTTPArchive.Exchange]
        ).write(to: file)

        let pieces = try HTTPArchive(contentsOf: file)[0].pieces.map(\.text)
        #expect(pieces == ["one ", "{\"token\": \"REDACTED-1\"", "} ", "three"])
    }

    @Test func aBinaryBodyWithASecretIsRefused() async throws {
        let secret = "a-l0ng-secret"
        let archive = try await HTTPArchive(
            [
                .recorded(.json(#"{"password": "\#(secret)"}"#)),
                .recorded(.data(Data([0, 255]) + Data(secret.utf8))),
            ] as [HTTPArchive.Exchange])
        try "old".write(to: file, atomically: true, encoding: .utf8)

        let error = #expect(throws: HTTPArchiveError.self) { try archive.write(to: file) }

        #expect(
            error?.description == """
                The recording "secrets" was not written, because it would contain a secret \
                (\(file.path)):
                  log.entries[1].response.content.text: the value of the JSON key password
                An existing file is unchanged. Add the names of the secrets: redacting: \
                .standard.adding("…"), or their values: .standard.adding(values: "…"). What cannot \
                be searched, remove from the archive.
                """)
        #expect(try String(contentsOf: file, encoding: .utf8) == "old")
    }

    /// Secrets that are common words or a place of the API, an exchange that has one elsewhere, and
    /// what remains of it.
    static let words: [(String, URLRequest, String)] = [
        ("customer", request("customer/1"), #"{"customer":{"role":"customer"}}"#),
        ("CustomerList", request("CustomerList?sort=a"), #"{"type":"CustomerList"}"#),
        (
            "active-users", request("active-users"),
            #"{"list":"active-users","a":"see active-users"}"#
        ),
        ("https://api.example.com", request("a"), #"{"url":"https://api.example.com/a"}"#),
        ("api.example.com", request("a"), #"{"host":"api.example.com"}"#),
    ]

    @Test func aCommonWordIsReplacedAtItsPlaceAlone() async throws {
        await forEachRow(Self.words, named: \.0) { row, comment in
            let login = Self.request(headers: ["X-Api-Key": row.0], body: #"{"token":"\#(row.0)"}"#)
            try await HTTPArchive(
                [.recorded(.text("a"), to: login), .recorded(.json(row.2), to: row.1)]
                    as [HTTPArchive.Exchange]
            ).write(to: file)
            let read = try HTTPArchive(contentsOf: file)
            #expect(read[0].request.value(forHTTPHeaderField: "X-Api-Key") == "REDACTED-1", comment)
            #expect(read[0].request.httpBody?.text == #"{"token":"REDACTED-1"}"#, comment)
            #expect(read[1].request.url == row.1.url, comment)
            #expect(read[1].body.text == row.2, comment)
        }
    }

    /// Texts with question marks, colons and names that are no secrets.
    static let harmless: [(type: String, text: String)] = [
        ("text/javascript", #"var n=e?i.withCredentials=!0:"a"?i.token=b:c;r.x&&i.password=d"#),
        ("text/javascript", #"switch(e){case"password":return"Your password";default:return"x"}"#),
        ("text/javascript", #"r="/a"&&(/b&i.token=c/)&&i.password=d"#),
        ("text/javascript", #"f({a:x?"token":"abcdefgh1",b:`https://a.example/?token=${t}`})"#),
        ("text/html", #"<a href='/sign-in?token='>{{password}}</a>"#),
        ("application/x-www-form-urlencoded", "key1=value1&key2=value2"),
        ("text/plain", "the password = unknown, a token=b"),
        // Base64 digits that contain the beginning of a key.
        ("text/plain", "q+AIza" + String(repeating: "aB3", count: 20)),
    ]

    @Test func codeIsNoQuery() async throws {
        await forEachRow(Self.harmless, named: \.text) { row, comment in
            let exchange = try await HTTPArchive.Exchange.recorded(
                .text(row.text, headers: ["Content-Type": row.type]))
            try HTTPArchive([exchange]).write(to: file)
            #expect(try HTTPArchive(contentsOf: file)[0].body.text == row.text, comment)
            try HTTPArchive.checkSecrets(in: folder.url)
        }
    }

    /// Texts that the second search refuses, although no name tells what they are.
    static let refused: [(String, String)] = [
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "what has the form of a JSON Web Token"),
        ("-----BEGIN PRIVATE KEY-----", "what has the form of a private key"),
        ("AKIAIOSFODNN7EXAMPLE", "what has the form of a key of AWS"),
        ("ghp_" + String(repeating: "a", count: 36), "what has the form of a token of GitHub"),
        ("sk-" + String(repeating: "a", count: 24), "what has the form of an API key"),
    ]

    @Test func theFormOfATokenIsRefused() async throws {
        await forEachRow(Self.refused, named: \.0) { row, comment in
            let archive = HTTPArchive([
                try await HTTPArchive.Exchange.recorded(.json(#"{"ref": "\#(row.0)"}"#))
            ])
            let error = #expect(throws: HTTPArchiveError.self, comment) {
                try archive.write(to: file)
            }
            let text = error.map { "\($0)" } ?? ""
            #expect(
                text.contains("log.entries[0].response.content.text, ref: \(row.1)"), "\(text)")
            #expect(text.contains("redacting: .standard.adding(\"ref\")"), "\(text)")
            #expect(throws: Never.self) {
                try archive.write(to: file, redacting: .standard.adding("ref"))
            }
        }
    }

    @Test(arguments: ["pin1", "s3cr3t", "/home/emma"])
    func aValueThatTheTestNamesIsReplacedInEachEncoding(_ value: String) async throws {
        let hex = value.utf8.map { String($0, radix: 16) }.joined()
        let body = "1 \(value), 2 \(Data(value.utf8).base64EncodedString()), 3 \(hex)."
        let archive = HTTPArchive([try await HTTPArchive.Exchange.recorded(.text(body))])

        try archive.write(to: file, redacting: .standard.adding(values: value))

        let written = try HTTPArchive(contentsOf: file)[0].body.text
        #expect(written.contains("1 REDACTED-1, 2 REDACTED-1"))
        #expect(written.hasSuffix(", 3 REDACTED-1."))
    }

    @Test func committedFilesAreChecked() async throws {
        let subfolder = folder.url.appending(path: "Recordings")
        try FileManager.default.createDirectory(at: subfolder, withIntermediateDirectories: true)
        #expect(throws: HTTPArchiveError.self) { try HTTPArchive.checkSecrets(in: folder.url) }
        #expect(throws: HTTPArchiveError.self) {
            try HTTPArchive.checkSecrets(in: folder.url.appending(path: "missing"))
        }
        let cut = try folder.write(#"{"log": {"entries": ["#, "cut.har")
        #expect(throws: HTTPArchiveError.self) { try HTTPArchive.checkSecrets(in: folder.url) }
        try FileManager.default.removeItem(at: cut)
        try await HTTPArchive(
            [
                .recorded(.json(#"{"password": "not-hidden"}"#))
            ] as [HTTPArchive.Exchange]
        )
        .write(to: subfolder.appending(path: "users.har"), redacting: .none)

        let error = #expect(throws: HTTPArchiveError.self) {
            try HTTPArchive.checkSecrets(in: folder.url)
        }
        #expect(
            error?.description.hasSuffix(
                "/users.har, log.entries[0].response.content.text: the value of the JSON key password"
            )
                == true)
    }

    private static let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc"

    private static func post(_ type: String, _ text: String) -> String {
        entry(
            "POST",
            request:
                #", "postData": {"mimeType": "\#(type)", "text": \#(JSONText.quoted(text))}"#)
    }

    private static func header(_ name: String, _ value: String) -> String {
        entry(headers: #"{"name": "\#(name)", "value": "\#(value)"}"#)
    }

    /// Entries of committed files with a secret each.
    static let committed: [(String, String)] = [
        ("a query item", entry("GET", "/a?access_token=S")),
        (
            "an item in queryString",
            entry(request: #", "queryString": [{"name": "sig", "value": "S"}]"#)
        ),
        ("a signed URL", entry("GET", "/a?X-Amz-Signature=S")),
        ("a URL in a query", entry("GET", "/a?next=%2Fb%3Faccess_token%3DS")),
        ("user info", entry().replacing("https://", with: "https://emma:S@")),
        ("a form", post("application/x-www-form-urlencoded", "a=1&password=S")),
        (
            "a part",
            post(
                "multipart/form-data; boundary=x",
                "--x\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nS\r\n--x--\r\n")
        ),
        ("params", entry(request: #", "postData": {"params": [{"name": "pin", "value": 1234}]}"#)),
        ("JSON", entry(text: #"{"token": "S"}"#)), ("a number", entry(text: #"{"pin": 1234}"#)),
        ("a CSRF token", entry(text: #"{"csrfToken": "S"}"#)),
        ("a parameter of a path", entry("GET", "/a;jsessionid=S1/b;c=1?d=2")),
        ("a parameter of the root", entry("GET", "/;jsessionid=S1")),
        ("a header that names no kind", header("X-Auth", "S1")),
        ("cookies in one field", header("Set-Cookie", #"theme=REDACTED-1\nsid=S1"#)),
        ("a text that is a form", post("text/plain", "password=S1&a=1")),
        ("lines of a text", post("text/plain", "user=emma\npassword=S1\n")),
        (
            "a part with line feeds",
            post(
                "multipart/form-data; boundary=x",
                "--x\nContent-Disposition: form-data; name=\"password\"\n\nS1\n--x--\n")
        ),
        ("a passphrase", entry(text: #"{"passphrase": "S"}"#)),
        ("lines of JSON", entry(text: "{}\n{\"token\": \"S\"}\n")),
        ("an event", entry(text: "data: {\"token\": \"S\"}\n\n")),
        ("a URL in HTML", entry(text: "<a href='/a?token=S1'>")),
        ("a header", header("X-Api-Key", "S")),
        ("a secret beside a placeholder", header("Authorization", "Bearer S REDACTED-1")),
        ("a cookie", header("Set-Cookie", "sid=S; Path=/")),
        ("a cookie in cookies", entry(request: #", "cookies": [{"name": "a", "value": "S"}]"#)),
        ("a token in a comment", entry(entry: #", "comment": "\#(jwt)""#)),
        ("a field of another program", entry(entry: #", "_apiKey": "S""#)),
        (
            "a WebSocket",
            #"{"request": {"url": "wss://a.example", "method": "GET"}, "_webSocketMessages": [{"data": "{\"token\": \"S\"}"}]}"#
        ),
        (
            "a file beside the archive",
            entry().replacing(#""text": "{\"name\":\"Emma\"}""#, with: #""_file": "body.txt""#)
        ),
        (
            "Base64",
            entry().replacing(
                #""text": "{\"name\":\"Emma\"}""#,
                with: #""encoding": "base64", "text": "eyJ0b2tlbiI6IlMifQ==""#)
        ),
        (
            "a body that is still compressed",
            header("Content-Encoding", "gzip").replacing(
                #""text": "{\"name\":\"Emma\"}""#, with: #""encoding": "base64", "text": "H4sI""#)
        ),
    ]

    @Test func aSecretInACommittedFileIsFound() async throws {
        try folder.write("see \(Self.jwt)", "body.txt")
        await forEachRow(Self.committed, named: \.0) { row, comment in
            try folder.write(#"{"log": {"entries": [\#(row.1)]}}"#, "USERS.HAR")
            let error = #expect(throws: HTTPArchiveError.self, comment) {
                try HTTPArchive.checkSecrets(in: folder.url)
            }
            #expect(error?.description.contains("USERS.HAR, ") == true, comment)
        }
        try folder.write(#"{"log": {"entries": [\#(entry())]}}"#, "USERS.HAR")
        try HTTPArchive.checkSecrets(in: folder.url)
    }

    @Test func theCheckHasTheRulesOfWriting() throws {
        try folder.write(#"{"log": {"entries": [\#(entry(text: #"{"pin": 1}"#))]}}"#, "a.har")
        try HTTPArchive.checkSecrets(in: folder.url, redacting: .standard.showing("pin"))
    }
}
