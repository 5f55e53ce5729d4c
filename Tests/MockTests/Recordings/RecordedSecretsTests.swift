import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited) struct RecordedSecretsTests {
    private let folder: TemporaryFolder
    private var file: URL { folder.url.appending(path: "secrets.har") }

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func aSecretIsHiddenAndMatched() async throws {
        await forEachRow(PlantedSecret.all) { place, comment in
            var response = MockResponse.data(Data((place.body ?? "").utf8))
            for (name, value) in place.headers { response = response.header(name, value) }
            var archive = try await HTTPArchive.recorded(response)
            archive.append(try await .recorded(.status(204), to: place.request))

            try archive.write(to: file)

            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(!text.contains("hunter"), comment)
            #expect(text.contains("REDACTED"), comment)

            // A request with another secret gets the response, and writing again changes nothing.
            let read = try HTTPArchive(contentsOf: file)
            let network = MockNetwork()
            network.stub(read, times: .any)
            var live = place
            live.replaceSecret(by: "another-5ecret")
            // A mark matches no other key.
            let status = try? await network.exchange(live.request).1.statusCode
            let isKey = place.body?.contains(#""zQ8hunter2Lm": 1"#) == true
            #expect(status == (isKey ? nil : 204), comment)
            try read.write(to: file)
            #expect(try String(contentsOf: file, encoding: .utf8) == text, comment)
        }
    }

    @Test func theClientSendsBackTheTokenThatItGot() async throws {
        let exchanges: [HTTPArchive.Exchange] = try await [
            .recorded(
                .json(#"{"access_token": "first-token-1"}"#),
                to: .api("login", body: #"{"password": "first"}"#)),
            .recorded(.text("welcome"), to: .api("sessions/first-token-1")),
        ]
        let network = MockNetwork.replaying(try HTTPArchive(exchanges).rewritten())

        let login =
            try await network
            .exchange(.api("login", body: #"{"password": "other"}"#)).0.text
        #expect(login == #"{"access_token": "REDACTED-2"}"#)
        #expect(try await network.exchange(.api("sessions/REDACTED-2")).0.text == "welcome")
        try network.verify()
    }

    /// Hiding a value that occurs in a mark makes a text that looks like another secret.
    @Test(arguments: ["RED", "TED", "E"])
    func aValueWithinAMarkEndsTheSearchForSecrets(_ value: String) async throws {
        let response = MockResponse.text("x").header("Location", "/cb?token=a1b2c3d4")
        let archive = try await HTTPArchive.recorded(response)

        try archive.write(to: file, redacting: .standard.adding(values: value))

        #expect(try !String(contentsOf: file, encoding: .utf8).contains("a1b2c3d4"))
    }

    @Test func aNumberStaysANumber() async throws {
        let body = #"{"account_number":12345678,"pin":1, "id":12345678,"ids":[991234567800]}"#
        let text = try await HTTPArchive.recorded(.json(body)).rewritten()[0].body.text
        #expect(text == #"{"account_number":0,"pin":0, "id":0,"ids":[991234567800]}"#)
    }

    /// The pieces of a response, and those of its file.
    static let pieces: [(String, [String], [String])] = [
        (
            "text/event-stream",
            ["data: 1\n\n", "data: {\"token\": \"s3cret-", "value\"}\n\n", "x"],
            ["data: 1\n\n", "data: {\"token\": \"REDACTED-1\"}\n\n", "x"]
        ),
        (
            "application/x-ndjson", ["{\"token\":\"s3cret-value\"}\n{\"a\"", ":1}\n", "{}\n"],
            ["{\"token\":\"REDACTED-1\"}\n{\"a\":1}\n", "{}\n"]
        ),
        (
            "application/json", ["{\"secrets\":[\n", "\"s3cret-value\"\n]}"],
            ["{\"secrets\":[\n\"REDACTED-1\"\n]}"]
        ),
        ("text/plain", ["one ", "two"], ["one ", "two"]),
    ]

    @Test func aSecretJoinsThePiecesOfItsLine() async throws {
        await forEachRow(Self.pieces, named: \.0) { row, comment in
            let response = MockResponse.chunks(row.1).header("Content-Type", row.0)
            let pieces = try await HTTPArchive.recorded(response).rewritten()[0].pieces
            #expect(pieces.map(\.text) == row.2, comment)
        }
    }

    @Test func aJoinedLineArrivesWithItsLastPiece() throws {
        let archive = try HTTPArchive.of(
            entry(
                headers: #"{"name": "Content-Type", "value": "text/event-stream"}"#,
                text: "data: {\"token\": \"s3cret-value\"}\n\n",
                response: #", "_pieces": [[10, 20], [40, 99]]"#))

        #expect(try archive.rewritten()[0].pieces.map(\.time) == [.milliseconds(40)])
    }

    /// The ends of a body that was cut, in which a secret begins, and what the file has in its place.
    static let cutEnds: [(end: String, written: String)] = [
        ("zQ8h", "REDACTED-1"), ("zQ8hunter2L", "REDACTED-1"), ("zQ8hunter2Lm", "REDACTED-1"),
        ("a%20b%2Fc7", "REDACTED-2"), ("a b/c", "REDACTED-2"),
        // Tokens that are recognized by their beginnings.
        ("ghp_a", "REDACTED-3"), ("eyJhbGciOiJI", "REDACTED-3"), ("sk-", "REDACTED-3"),
        // Shorter beginnings also occur in harmless text.
        ("zQ8", "zQ8"), ("ghp", "ghp"), ("the end", "the end"), ("", ""),
    ]

    @Test(arguments: ["text/plain", "text/event-stream", "application/json", "text/csv"])
    func aBodyThatWasCutHasNoBeginningOfASecret(_ type: String) async throws {
        let secrets = try await HTTPArchive.Exchange.recorded(
            .json(#"{"password": "zQ8hunter2Lm", "pin": "a b/c7-long"}"#))
        await forEachRow(Self.cutEnds, named: \.end) { row, comment in
            let start = type == "application/json" ? #"{"text": ""# : "one\ntwo: "
            let response = MockResponse.data(Data((start + row.end).utf8), contentType: type)
            for isCut in [true, false] {
                var cut = try await HTTPArchive.Exchange.recorded(response)
                if isCut { cut.error = URLError(.networkConnectionLost) }
                let written = try HTTPArchive([secrets, cut]).rewritten()[1].body.text
                // The opposite: a whole body has only whole secrets.
                let isWhole = row.end == "zQ8hunter2Lm"
                let end = isCut || isWhole ? row.written : row.end
                // JSON marks a whole string.
                let quote = isWhole && type == "application/json" ? "\"" : ""
                #expect(written == start + end + quote, comment)
            }
        }
    }

    /// A form with three parts, up to a place in or after the last part.
    @Test(arguments: [
        ("zQ8hunter2Lm\r\n--b--\r\n", "REDACTED-1\r\n--b--\r\n"),
        ("zQ8hunter2Lm\n\r\n--b--\r\n", "REDACTED-1\r\n--b--\r\n"),
        ("zQ8hunter2Lm\r\n--b", "REDACTED-1\r\n--b"),
        ("zQ8hunter2Lm\r\n--", "REDACTED-1\r\n--"), ("zQ8hunter2Lm\r", "REDACTED-1\r"),
        ("zQ8hunter2Lm\n", "REDACTED-1\n"), ("zQ8hunter2Lm", "REDACTED-1"),
        ("zQ8h", "REDACTED-1"), ("z", "REDACTED-1"), ("", ""),
    ])
    func aPartOfAFormThatWasCutIsHidden(_ end: String, _ written: String) async throws {
        func part(_ name: String) -> String {
            "--b\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n"
        }
        // The opposite: what is to be shown is shown.
        let form =
            part("a") + "1\r\n" + part("pin") + "ghp_0123456789012345678901234567890123ab\r\n"
            + part("password")
        let archive = try await HTTPArchive.recorded(
            .data(Data((form + end).utf8), contentType: "multipart/form-data; boundary=b"))

        let read = try archive.rewritten(redacting: .standard.showing("pin"))

        #expect(read[0].body.text == form + written)
    }

    /// A server may nest parts until the stack is full.
    @Test(arguments: [1, 3, 4, 2_000])
    func partsThatAreNestedTooDeeplyAreHidden(_ depth: Int) async throws {
        let head = "Content-Type: multipart/mixed; boundary=b\n\n"
        func heads(_ count: Int) -> String { String(repeating: head, count: count) }
        let response = MockResponse.data(
            Data((heads(depth) + "value").utf8), contentType: "multipart/mixed; boundary=b")

        let written = try await HTTPArchive.recorded(response).rewritten()[0].body.text

        #expect(written == (depth < 4 ? heads(depth) + "value" : heads(4) + "REDACTED-1"))
    }

    @Test func theAnnouncedLengthIsThatOfTheFile() async throws {
        let response = MockResponse.json(#"{"token": "s3cret-value"}"#)
        let read = try await HTTPArchive.recorded(response).rewritten()[0]
        let length = read.response?.value(forHTTPHeaderField: "Content-Length")
        #expect(length == "\(read.body.count)")
    }

    @Test(arguments: [Data([0, 255]), Data([0x1F, 0x8B, 200])])
    func aBodyThatIsNotTextIsRefusedWithASecret(_ bytes: Data) async throws {
        let archive = try await HTTPArchive.recorded(
            .json(#"{"password": "a-l0ng-secret"}"#), .data(bytes + Data("a-l0ng-secret".utf8)))
        try "old".write(to: file, atomically: true, encoding: .utf8)

        let error = #expect(throws: HTTPArchiveError.self) { try archive.write(to: file) }

        #expect(
            error?.description == """
                \(file.path) was not written, because a body that is not text contains a secret:
                  GET https://api.example.com/users/7: 200 (OK), \(bytes.count + 13) bytes: body of \
                the response
                An existing file is unchanged. Do not record this request, or remove it from the \
                archive.
                """)
        #expect(try String(contentsOf: file, encoding: .utf8) == "old")
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
        ("application/json", #"{"text":"a","name":"log","cookies":"","url":"https://a.b/"}"#),
    ]

    @Test func codeIsNoQuery() async throws {
        await forEachRow(Self.harmless, named: \.text) { row, comment in
            let archive = try await HTTPArchive.recorded(
                .text(row.text, headers: ["Content-Type": row.type]))
            #expect(try archive.rewritten()[0].body.text == row.text, comment)
        }
    }

    private static let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc"

    /// Texts whose form tells what they are.
    static let tokens = [
        jwt, "-----BEGIN PRIVATE KEY-----\nMIIa\n-----END PRIVATE KEY-----",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIa", "AKIAIOSFODNN7EXAMPLE",
        "ghp_" + String(repeating: "a1", count: 18), "sk-" + String(repeating: "a1", count: 12),
    ]

    @Test func theFormOfATokenIsHidden() async throws {
        await forEachRow(Self.tokens) { token, comment in
            let archive = try await HTTPArchive.recorded(
                .json(#"{"ref": \#(JSONText.write(token))}"#), .text("see \(token)"))
            let read = try archive.rewritten().map(\.body.text)
            #expect(read == [#"{"ref": "REDACTED-1"}"#, "see REDACTED-1"], comment)
        }
    }

    /// The names of the standard are no names of secrets, although a redaction has them.
    @Test func aNameMayBeThatOfAFieldOfTheFile() async throws {
        let redaction = Redaction.standard.adding("name", "url", "time", "status", "text", "id")
        let archive = try await HTTPArchive.recorded(
            .json(#"{"id":"a","name":"b","text":"c","time":1}"#))
        #expect(
            try archive.rewritten(redacting: redaction)[0].body.text
                == #"{"id":"REDACTED-1","name":"REDACTED-2","text":"REDACTED-3","time":0}"#)
    }

    @Test func marksAreNumberedByFirstAppearance() async throws {
        let headers = [
            "Authorization": "Bearer second-token-2", "Cookie": "a=cookie-3; b=cookie-4",
        ]
        let exchanges: [HTTPArchive.Exchange] = try await [
            .recorded(
                .json(#"{"access_token": "second-token-2", "same": "first-token-1"}"#),
                to: .api("a?token=first-token-1")),
            .recorded(.text("it was second-token-2"), to: .api("x/second-token-2", headers)),
        ]
        let archive = HTTPArchive(exchanges)
        for _ in 0..<2 {
            let read = try archive.rewritten()
            #expect(read[0].request.url?.query() == "token=REDACTED-1")
            #expect(read[0].body.text == #"{"access_token": "REDACTED-2", "same": "REDACTED-1"}"#)
            #expect(read[1].request.url?.path() == "/x/REDACTED-2")
            #expect(read[1].request.value(forHTTPHeaderField: "Authorization") == "REDACTED-2")
            #expect(
                read[1].request.value(forHTTPHeaderField: "Cookie") == "a=REDACTED-3; b=REDACTED-4")
            #expect(read[1].body.text == "it was REDACTED-2")
        }

        // A new secret gets a new number, and the others keep theirs.
        var edited = try archive.rewritten()
        edited[0].body = Data(#"{"password": "a-new-one-5"}"#.utf8)
        let again = try edited.rewritten()
        #expect(again[0].body.text == #"{"password": "REDACTED-5"}"#)
        #expect(again[1].body.text == "it was REDACTED-2")
    }

    /// Bytes that are not text are Base64 in the file.
    @Test func aNewNumberIsHigherThanAllOthers() async throws {
        let mark = "REDACTED-7"
        let bytes = Data([0xFF]) + Data(mark.utf8)
        var upload = URLRequest.api()
        (upload.httpMethod, upload.httpBody) = ("PUT", bytes)
        let (plain, secret) = (URLRequest.api(), MockResponse.json(#"{"password": "a-new-one"}"#))
        let rows: [(URLRequest, MockResponse)] = [
            (.api("a/\(mark)"), .status(204)), (.api("a", ["X-A": mark]), .status(204)),
            (.api("a", body: mark), .status(204)), (upload, .status(204)),
            (plain, .status(204).header("X-A", mark)), (plain, .text(mark)), (plain, .data(bytes)),
        ]
        await forEachRow(rows) { row, comment in
            var archive = try await HTTPArchive.recorded(secret)
            archive.append(try await .recorded(row.1, to: row.0))
            let text = try archive.rewritten()[0].body.text
            #expect(text == #"{"password": "REDACTED-8"}"#, comment)
        }
    }
}
