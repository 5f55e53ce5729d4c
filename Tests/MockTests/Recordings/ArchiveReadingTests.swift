import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

/// Reading is lenient where the files of browsers, proxies and other libraries differ.
@Suite(.limited) struct ArchiveReadingTests {
    private func read(_ entry: String) throws -> HTTPArchive.Exchange {
        let archive = try HTTPArchive.of(entry)
        try #require(archive.count == 1, "\(entry)")
        return archive[0]
    }

    @Test func readsAnExchange() throws {
        let archive = try HTTPArchive.of(
            entry(
                "POST", "/users",
                request: #", "postData": {"mimeType": "application/json", "text": "{\"age\":7}"}"#,
                status: 201, headers: #"{"name": "Content-Type", "value": "application/json"}"#))
        let exchange = try #require(archive.first)

        #expect(exchange.request.httpMethod == "POST")
        #expect(exchange.request.httpBody?.text == #"{"age":7}"#)
        #expect(exchange.request.value(forHTTPHeaderField: "Content-Type") == "application/json")
        #expect(exchange.response?.statusCode == 201)
        #expect(exchange.body.text == #"{"name":"Emma"}"#)
        #expect(exchange.startDate == Date(timeIntervalSince1970: 1_795_341_600.25))
        #expect("\(archive)" == "1: POST https://api.example.com/users: 201 (Created), 15 bytes")
    }

    @Test func readsTheHeadersThatOthersWrite() throws {
        // The pseudo-fields of HTTP/2.
        let pseudo = try read(
            entry().replacing(
                #""headers": []"#, with: #""headers": [{"name": ":path", "value": "/"}]"#)
        )
        #expect(pseudo.request.allHTTPHeaderFields?.isEmpty != false)
        // Cookies joined by line breaks.
        let cookies = try read(
            entry(headers: #"{"name": "set-cookie", "value": "a=1; Path=/\nb=2\r\nc=3\rd=4"}"#))
        let value = cookies.response?.value(forHTTPHeaderField: "Set-Cookie")
        #expect(value == "a=1; Path=/, b=2, c=3, d=4")
        let repeated = try read(
            entry(headers: #"{"name": "Link", "value": "<a>"}, {"name": "link", "value": "<b>"}"#))
        #expect(repeated.response?.value(forHTTPHeaderField: "Link") == "<a>, <b>")
    }

    @Test func readsTheErrorsThatOthersWrite() throws {
        let rows: [(String, URLError.Code)] = [
            (
                #"{"request": {"method": "GET", "url": "https://a.example"}}"#,
                .networkConnectionLost
            ),
            (entry(status: -1), .networkConnectionLost),
            (entry(status: 0, response: #", "_error": "timedOut""#), .timedOut),
            // An error of Chrome.
            (entry(status: 0, entry: #", "_error": "net::ERR_FAILED""#), .networkConnectionLost),
        ]
        for (entry, code) in rows {
            let exchange = try read(entry)
            #expect(exchange.response == nil, "\(entry)")
            #expect(exchange.error?.code == code, "\(entry)")
        }
        #expect(try read(entry(response: #", "_ending": "left""#)).wasCancelled)
    }

    @Test func readsTheTimesThatOthersWrite() throws {
        let zone = entry().replacing("10:00:00.250Z", with: "12:00:00+02:00")
        #expect(try read(zone).startDate == Date(timeIntervalSince1970: 1_795_341_600))
        let noDate = entry().replacing("2026-11-22T10:00:00.250Z", with: "today")
        #expect(try read(noDate).startDate == .distantPast)
        let negative = entry().replacing("45", with: "-1")
        #expect(try read(negative).pieces.map(\.time) == [.zero])
    }

    @Test func readsTheBodiesThatOthersWrite() throws {
        let requests: [(String, Data)] = [
            (#"{"params": [{"name": "a b", "value": "1"}]}"#, Data("a+b=1".utf8)),
            (#"{"text": "AAH/", "encoding": "base64"}"#, Data([0, 1, 255])),
            // Our own name of the encoding.
            (#"{"text": "AAH/", "_encoding": "base64"}"#, Data([0, 1, 255])),
        ]
        for (body, bytes) in requests {
            let exchange = try read(entry("POST", request: #", "postData": \#(body)"#))
            #expect(exchange.request.httpBody == bytes, "\(body)")
        }
        let responses: [(String, String, [String], [Int])] = [
            ("abcdef", "[10, 2], [40, 4]", ["ab", "cdef"], [10, 40]),
            // A text that was edited.
            ("abcdefgh", "[10, 2], [40, 4]", ["ab", "cdefgh"], [10, 40]),
            ("abc", "[10, -2], [40, 3]", ["abc"], [40]),
        ]
        for (text, list, pieces, times) in responses {
            let exchange = try read(entry(text: text, response: #", "_pieces": [\#(list)]"#))
            #expect(exchange.pieces.map(\.text) == pieces, "\(text)")
            #expect(exchange.pieces.map(\.time) == times.map(Duration.milliseconds), "\(text)")
        }
        let redirected = try read(entry(response: #", "_url": "https://b.example/""#))
        #expect(redirected.response?.url?.host() == "b.example")
    }

    /// Entries that say too little, and the reasons why they are skipped. After `…`, Foundation says
    /// the rest.
    static let gaps: [(entry: String, reason: String)] = [
        (replacing(text, with: #""size": 77300, "mimeType": "application/json""#), noBody),
        (replacing(text, with: #""size": 5, "text": """#), noBody),
        (replacing(text, with: #""size": 5, "text": null"#), noBody),
        (replacing(text, with: #""size": -1"#, response: #", "bodySize": 9"#), noBody),
        (replacing(text, with: #""size": -1"#, headers: length), noBody),
        (replacing(text, with: #""text": 7"#), "response.content.text: Expected…"),
        (replacing(text, with: #""text": "00ff", "encoding": "hex""#), noText),
        (replacing(text, with: #""text": "a b", "encoding": "base64""#), noText),
        (replacing(text, with: gzip, headers: coding), "response.content.text is still compressed"),
        (replacing(text, with: #""_file": "../x""#), noFile),
        (replacing(#""method": "GET","#, with: ""), "request.method is missing"),
        (replacing(status, with: #""x": 1"#), "response.status is missing"),
        (replacing(status, with: #""status": "OK""#), "response.status: Expected…"),
        (replacing(status, with: #""status": 200.5"#), "…"),
        (replacing(status, with: #""status": 1e300"#), "…"),
        (replacing(status, with: #""status": 99999999999999999999"#), "…"),
        (entry(response: #", "_pieces": [[1e300, 5]]"#), "…"),
        (entry(status: 42), "response.status is 42"),
        (entry(status: 101), "response.status is 101"),
        (entry(headers: #"{"name": "a", "value": ["a"]}"#), "response.headers[0].value: Expected…"),
        (entry(headers: #"{"value": "a"}"#), "response.headers[0].name is missing"),
        (entry("POST", request: #", "bodySize": 9"#), noPost),
        (entry("POST", request: #", "bodySize": 9, "postData": {"mimeType": "a/b"}"#), noPost),
        (entry("POST", request: #", "bodySize": 9, "postData": {"params": []}"#), noPost),
        (entry("POST", request: #", "postData": {"text": "a", "encoding": "br"}"#), noPostText),
        (replacing("https://api.example.com/users/7", with: ""), noURL),
        (replacing("https://api.example.com", with: ""), noURL),
        (replacing("https://api.example.com/users/7", with: "https:///a"), noURL),
        (replacing("https://api.example.com/users/7", with: "https://a b.example:x"), noURL),
        (replacing("https:", with: "wss:"), noURL),
        ("null", "log.entries[0]: …"), ("7", "log.entries[0]: …"),
    ]

    private static let text = #""text": "{\"name\":\"Emma\"}""#
    private static let status = #""status": 200"#
    private static let length = #"{"name": "Content-Length", "value": "9"}"#
    private static let gzip = #""text": "H4sI", "encoding": "base64""#
    private static let coding = #"{"name": "Content-Encoding", "value": "GZIP"}"#
    private static let noBody = "response.content does not contain the body"
    private static let noFile = "response.content._file is not beside the archive"
    private static let noText = "response.content.text is not text, nor bytes in Base64"
    private static let noPost = "request.postData does not contain the body"
    private static let noPostText = "request.postData.text is not text, nor bytes in Base64"
    private static let noURL = "request.url is not an HTTP URL"

    private static func replacing(
        _ text: String, with other: String, headers: String = "", response: String = ""
    ) -> String {
        entry(headers: headers, response: response).replacing(text, with: other, maxReplacements: 1)
    }

    @Test func skipsWhatIsNotComplete() async {
        await forEachRow(Self.gaps, named: \.entry) { row, comment in
            let archive = try HTTPArchive.of(row.entry)
            #expect(archive.isEmpty, comment)
            let (text, reason) = ("\(archive)", "skipped entry 1: \(row.reason)")
            let isWhole = !reason.hasSuffix("…")
            #expect(
                isWhole ? text == reason : text.hasPrefix(reason.dropLast()) && text != reason,
                "\(archive)")
        }
    }

    /// The opposite: entries that say all that a replay needs.
    static let whole = [
        #"{"request": {"method": "GET", "url": "https://a.example"}, "response": {"status": 200}}"#,
        replacing(text, with: #""size": 0"#), replacing(text, with: #""mimeType": "image/png""#),
        replacing(text, with: #""size": 0"#, headers: length),
        replacing(text, with: #""text": """#),
        replacing(text, with: #""size": 5"#).replacing("200", with: "204"),
        replacing(text, with: #""size": 5"#).replacing("200", with: "304"),
        replacing(text, with: #""size": 5"#).replacing("200", with: "302"),
        replacing(text, with: #""size": 5"#).replacing("GET", with: "HEAD"),
        replacing(text, with: #""size": 5"#, response: #", "_error": "timedOut""#),
        replacing(text, with: #""size": 0"#, headers: length, response: #", "_ending": "left""#),
        replacing(text, with: #""size": 5, "text": "a", "encoding": """#),
        replacing(text, with: #""text": "a", "encoding": "UTF-8""#),
        replacing(text, with: #""text": "a", "encoding": "utf8""#),
        replacing(text, with: #""text": "YQ==", "encoding": "BASE64""#),
        entry(headers: #"{"name": "ETag", "value": ""}"#),
        entry(headers: #"{"name": "Vary", "value": "Accept\nOrigin"}"#),
        entry(headers: #"{"name": ":status"}"#), entry(status: 599), entry(status: 999),
        entry("PROPFIND"), entry("GET", request: #", "bodySize": 9"#),
        entry("HEAD", request: #", "bodySize": 9"#),
        entry("POST", request: #", "bodySize": 0"#), entry("POST", request: #", "bodySize": -1"#),
        entry("POST", request: #", "postData": {"mimeType": "a/b", "params": [], "text": "a"}"#),
        entry("POST", request: #", "postData": {"params": [{"name": "a"}], "text": ""}"#),
    ]

    @Test func readsWhatIsComplete() async {
        await forEachRow(Self.whole) { row, comment in
            let archive = try HTTPArchive.of(row)
            #expect(archive.count == 1, "\(archive) \(row)")
        }
    }

    @Test func theTypeOfTheContentIsAHeader() async throws {
        func type(_ content: String, headers: String = "", status: Int = 200) throws -> String? {
            let text = entry(status: status, headers: headers).replacing(Self.text, with: content)
            return try read(text).response?.value(forHTTPHeaderField: "Content-Type")
        }
        let stream = #""mimeType": "text/event-stream; charset=utf-8", "text": "data: 1""#
        let html = #"{"name": "content-type", "value": "text/html"}"#
        #expect(try type(stream) == "text/event-stream; charset=utf-8")
        #expect(try type(stream, headers: html) == "text/html")
        for other in ["", "x-unknown", "undefined"] {
            #expect(try type(#""mimeType": "\#(other)", "text": "a""#) == nil)
        }
        #expect(try type(#""mimeType": "text/html""#, status: 204) == nil)
    }

    @Test(arguments: ["; boundary=X", ""])
    func aFormWithFilesIsComparedByItsParts(_ boundary: String) async throws {
        let params =
            #"[{"name": "title", "value": "Hi"}, {"name": "scan", "fileName": "a.png", "contentType": "image/png", "value": "abc"}]"#
        let type = "multipart/form-data" + boundary
        let network = try MockNetwork.replaying(
            entry(
                "POST", request: #", "postData": {"mimeType": "\#(type)", "params": \#(params)}"#))
        func upload(_ scan: String) throws -> URLRequest {
            try URLRequest.test("users/7", method: "POST").multipartBody([
                .text("title", "Hi"),
                .file("scan", fileName: "a.png", contentType: "image/png", data: Data(scan.utf8)),
            ])
        }
        await #expect(throws: MockError.self) { try await network.exchange(upload("abd")) }
        #expect(try await network.exchange(upload("abc")).1.statusCode == 200)
    }

    @Test func anErrorNamesTheSkippedEntry() async throws {
        let network = try MockNetwork.replaying(
            entry("GET", "/b"), Self.replacing(Self.text, with: #""size": 5"#), "null",
            entry("GET", "/c", status: 42))
        let error = await #expect(throws: MockError.self) {
            try await network.exchange(.test("users/7"))
        }
        let line = "\nSkipped when the file was read: entry 2: \(Self.noBody).\n"
        #expect(error?.description.contains(line) == true)
        // An entry without a URL could be the one. That of another path could not.
        let others = ["3", "4"].map { error?.description.contains("entry \($0): ") }
        #expect(others == [true, false])
    }

    @Test func listsWhatItReadsAndSkips() throws {
        let wrong = Self.replacing(Self.text, with: #""_file": "../x""#)
        #expect(
            try "\(HTTPArchive.of(entry(status: 101), entry(), wrong))" == """
                1: GET https://api.example.com/users/7: 200 (OK), 15 bytes
                skipped entry 1: response.status is 101
                skipped entry 3: response.content._file is not beside the archive
                """)
    }

    @Test func anErrorNamesTheFileAndThePlace() async throws {
        let folder = try TemporaryFolder()
        let noFile = Self.replacing(Self.text, with: #""_file": "none""#)
        let rows: [(String, String)] = [
            ("", "is no HTTP archive: …"),
            ("{\"log\": {\n\"entries\": [,]}}", "is no HTTP archive: …"),
            (#"{"entries": []}"#, "is no HTTP archive: log is missing."),
            (#"{"log": {"version": "1.2"}}"#, "is no HTTP archive: log.entries is missing."),
            (#"{"log": {"entries": 7}}"#, "is no HTTP archive: log.entries: Expected…"),
        ]
        await forEachRow(rows, named: \.0) { row, comment in
            let file = try folder.write(row.0)
            let error = #expect(throws: HTTPArchiveError.self, comment) {
                try HTTPArchive(contentsOf: file)
            }
            let text = try #require(error, comment).description
            let expected = "\(file.path) \(row.1)"
            let isWhole = !expected.hasSuffix("…")
            #expect(isWhole ? text == expected : text.hasPrefix(expected.dropLast()), "\(text)")
        }
        let file = try folder.har(noFile)
        let error = #expect(throws: HTTPArchiveError.self) { try HTTPArchive(contentsOf: file) }
        let start = "\(folder.url.appending(path: "none").path) cannot be read: "
        #expect(error?.description.hasPrefix(start) == true)
    }

    @Test func refusesALargeFileByItsSize() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data(count: 1_001))
        let error = #expect(throws: HTTPArchiveError.self) {
            try HTTPArchive(contentsOf: file, limit: 1_000)
        }
        #expect(
            error?.description == """
                \(file.path) has 1,001 bytes; at most 1,000 bytes are read. To read more, pass a \
                higher limit: HTTPArchive(contentsOf: file, limit: 1001).
                """)
    }

    @Test func theLimitCountsTheFilesThatAnArchiveNames() throws {
        let folder = try TemporaryFolder()
        try folder.write(Data(count: 2_000), "body.bin")
        let file = try folder.har(Self.replacing(Self.text, with: #""_file": "body.bin""#))
        let error = #expect(throws: HTTPArchiveError.self) {
            try HTTPArchive(contentsOf: file, limit: 2_000)
        }
        let size = try Data(contentsOf: file).count + 2_000
        #expect(
            error?.description == """
                \(file.path) has \(byteCount(size)) with the files that it names; at most 2,000 bytes \
                are read. To read more, pass a higher limit: HTTPArchive(contentsOf: file, limit: \
                \(size)).
                """)
        #expect(try HTTPArchive(contentsOf: file, limit: size).map(\.body.count) == [2_000])
    }

    @Test func ignoresAByteOrderMark() throws {
        let folder = try TemporaryFolder()
        let text = "\u{FEFF}" + #"{"log": {"version": "1.1", "entries": [\#(entry())]}}"#
        #expect(try HTTPArchive(contentsOf: folder.write(text)).count == 1)
        let body = "\u{FEFF}a\u{FEFF}"
        #expect(try read(entry(text: body)).body == Data(body.utf8))
    }
}
