import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

/// Reading is lenient where the files of browsers, proxies and other libraries differ.
@Suite(.limited) struct ArchiveReadingTests {
    @Test func readsAnExchange() throws {
        let archive = try TemporaryFolder().archive(
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
        #expect(
            archive.description
                == "1: POST https://api.example.com/users: 201 (Created), 15 bytes")
    }

    /// A variant of an entry, and a fact about its exchange.
    struct Variant: Sendable, CustomStringConvertible {
        let description: String
        let entry: String
        let isTrue: @Sendable (HTTPArchive.Exchange) -> Bool

        init(
            _ description: String, _ entry: String,
            _ isTrue: @escaping @Sendable (HTTPArchive.Exchange) -> Bool
        ) {
            (self.description, self.entry, self.isTrue) = (description, entry, isTrue)
        }
    }

    static let variants = [
        Variant(
            "pseudo-fields of HTTP/2",
            #"{"request": {"method": "GET", "url": "https://a.example", "headers": [{"name": ":path", "value": "/"}]}, "response": {"status": 200}}"#
        ) { $0.request.allHTTPHeaderFields?.isEmpty != false },
        Variant(
            "cookies joined by line breaks",
            entry(headers: #"{"name": "set-cookie", "value": "a=1\nb=2"}"#)
        ) { $0.response?.value(forHTTPHeaderField: "Set-Cookie") == "a=1, b=2" },
        Variant(
            "a repeated field",
            entry(headers: #"{"name": "Link", "value": "<a>"}, {"name": "link", "value": "<b>"}"#)
        ) { $0.response?.value(forHTTPHeaderField: "Link") == "<a>, <b>" },
        Variant("no response", #"{"request": {"method": "GET", "url": "https://a.example"}}"#) {
            $0.response == nil && $0.error?.code == .networkConnectionLost
        },
        Variant("the status -1", entry(status: -1)) { $0.response == nil && $0.error != nil },
        Variant("a named error", entry(status: 0, response: #", "_error": "timedOut""#)) {
            $0.error?.code == .timedOut
        },
        Variant("an error of Chrome", entry(status: 0, entry: #", "_error": "net::ERR_FAILED""#)) {
            $0.error?.code == .networkConnectionLost
        },
        Variant(
            "a time zone, no fractions", entry().replacing("10:00:00.250Z", with: "12:00:00+02:00")
        ) {
            $0.startDate == Date(timeIntervalSince1970: 1_795_341_600)
        },
        Variant("no date", entry().replacing("2026-11-22T10:00:00.250Z", with: "today")) {
            $0.startDate == .distantPast
        },
        Variant("a negative time", entry().replacing("45", with: "-1")) {
            $0.pieces.map(\.time) == [.zero]
        },
        Variant(
            "a form without its text",
            entry("POST", request: #", "postData": {"params": [{"name": "a b", "value": "1"}]}"#)
        ) {
            $0.request.httpBody?.text == "a+b=1"
        },
        Variant(
            "a binary request",
            entry("PUT", request: #", "postData": {"text": "AAH/", "encoding": "base64"}"#)
        ) {
            $0.request.httpBody == Data([0, 1, 255])
        },
        Variant(
            "our binary request",
            entry("PUT", request: #", "postData": {"text": "AAH/", "_encoding": "base64"}"#)
        ) {
            $0.request.httpBody == Data([0, 1, 255])
        },
        Variant("pieces", entry(text: "abcdef", response: #", "_pieces": [[10, 2], [40, 4]]"#)) {
            $0.pieces.map(\.text) == ["ab", "cdef"]
                && $0.pieces.map(\.time) == [.milliseconds(10), .milliseconds(40)]
        },
        Variant(
            "pieces of a text that was edited",
            entry(text: "abcdefgh", response: #", "_pieces": [[10, 2], [40, 4]]"#)
        ) {
            $0.pieces.map(\.text) == ["ab", "cdefgh"]
        },
        Variant(
            "a piece with a negative size",
            entry(text: "abc", response: #", "_pieces": [[10, -2], [40, 3]]"#)
        ) {
            $0.pieces.map(\.text) == ["abc"]
        },
        Variant("a client that left", entry(response: #", "_ending": "left""#)) { $0.wasCancelled },
        Variant("another final URL", entry(response: #", "_url": "https://b.example/""#)) {
            $0.response?.url?.host() == "b.example"
        },
    ]

    @Test func readsWhatOthersWrite() async throws {
        let folder = try TemporaryFolder()
        await forEachRow(Self.variants) { row, comment in
            let archive = try folder.archive(row.entry)
            #expect(archive.count == 1, comment)
            #expect(archive.first.map(row.isTrue) == true, comment)
        }
    }

    /// Parts of an entry that say too little, and the reasons why it is skipped.
    static let gaps: [(entry: String, reason: String)] = [
        (replacing(text, with: #""size": 77300, "mimeType": "application/json""#), noBody),
        (replacing(text, with: #""size": 5, "text": """#), noBody),
        (replacing(text, with: #""size": 5, "text": null"#), noBody),
        (replacing(text, with: #""size": -1"#, response: #", "bodySize": 9"#), noBody),
        (replacing(text, with: #""size": -1"#, headers: length), noBody),
        (replacing(text, with: #""text": 7"#), "response.content.text: Expected"),
        (
            replacing(text, with: #""text": "00ff", "encoding": "hex""#),
            "response.content.text is not text, nor bytes in Base64"
        ),
        (replacing(text, with: #""text": "a b", "encoding": "base64""#), noText),
        (
            replacing(
                text, with: #""text": "H4sI", "encoding": "base64""#,
                headers: #"{"name": "Content-Encoding", "value": "GZIP"}"#),
            "response.content.text is still compressed"
        ),
        (replacing(text, with: #""_file": "../x""#), "response.content._file is not beside"),
        (replacing(method, with: ""), "request.method is missing"),
        (replacing(status, with: #""x": 1"#), "response.status is missing"),
        (replacing(status, with: #""status": "OK""#), "response.status: Expected"),
        (replacing(status, with: #""status": 200.5"#), ""),
        (replacing(status, with: #""status": 1e300"#), ""),
        (replacing(status, with: #""status": 99999999999999999999"#), ""),
        (entry(response: #", "_pieces": [[1e300, 5]]"#), ""),
        (entry(status: 42), "response.status is 42"),
        (entry(status: 101), "response.status is 101"),
        (
            entry(headers: #"{"name": "ETag", "value": ["a"]}"#),
            "response.headers[0].value: Expected"
        ),
        (entry(headers: #"{"value": "a"}"#), "response.headers[0].name is missing"),
        (entry("POST", request: #", "bodySize": 9"#), noRequestBody),
        (
            entry("POST", request: #", "bodySize": 9, "postData": {"mimeType": "a/b"}"#),
            noRequestBody
        ),
        (entry("POST", request: #", "bodySize": 9, "postData": {"params": []}"#), noRequestBody),
        (
            entry("POST", request: #", "postData": {"text": "a", "encoding": "br"}"#),
            "request.postData.text is not text, nor bytes in Base64"
        ),
        (replacing("https://api.example.com/users/7", with: ""), noURL),
        (replacing("https://api.example.com", with: ""), noURL),
        (replacing("https://api.example.com/users/7", with: "https:///a"), noURL),
        (replacing("https://api.example.com/users/7", with: "https://a b.example:x"), noURL),
        (replacing("https:", with: "wss:"), noURL),
        ("null", "log.entries[0]: "), ("7", "log.entries[0]: "),
    ]

    private static let text = #""text": "{\"name\":\"Emma\"}""#
    private static let method = #""method": "GET","#
    private static let status = #""status": 200"#
    private static let length = #"{"name": "Content-Length", "value": "9"}"#
    private static let noBody = "response.content does not contain the body"
    private static let noText = "response.content.text is not text, nor bytes in Base64"
    private static let noRequestBody = "request.postData does not contain the body"
    private static let noURL = "request.url is not an HTTP URL"

    private static func replacing(
        _ text: String, with other: String, headers: String = "", response: String = ""
    ) -> String {
        entry(headers: headers, response: response).replacing(text, with: other, maxReplacements: 1)
    }

    @Test func skipsWhatIsNotComplete() async throws {
        let folder = try TemporaryFolder()
        await forEachRow(Self.gaps, named: \.entry) { row, comment in
            let archive = try folder.archive(row.entry)
            #expect(archive.isEmpty, comment)
            #expect(
                archive.description.hasPrefix("skipped entry 1: \(row.reason)"), "\(archive)")
        }
    }

    /// The opposite: entries that say all that a replay needs.
    static let whole = [
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

    @Test func readsWhatIsComplete() async throws {
        let folder = try TemporaryFolder()
        await forEachRow(Self.whole) { row, comment in
            let archive = try folder.archive(row)
            #expect(archive.count == 1, "\(archive) \(row)")
        }
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func cookiesAreSplitAtLineBreaks(_ lineBreak: String) async throws {
        let value = JSONText.write("a=1; Path=/\(lineBreak)b=2; Path=/")
        let network = MockNetwork()
        network.stub(
            try TemporaryFolder().archive(
                entry(headers: #"{"name": "Set-Cookie", "value": \#(value)}"#)))
        let response = try await network.exchange(.test("users/7")).1
        #expect(
            response.value(forHTTPHeaderField: "Set-Cookie") == "a=1; Path=/, b=2; Path=/")
    }

    @Test func theTypeOfTheContentIsAHeader() async throws {
        func type(_ content: String, headers: String = "", status: Int = 200) throws -> String? {
            let text = entry(status: status, headers: headers).replacing(Self.text, with: content)
            return try TemporaryFolder().archive(text)[0].response?
                .value(forHTTPHeaderField: "Content-Type")
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
        let network = MockNetwork()
        network.stub(
            try TemporaryFolder().archive(
                entry(
                    "POST",
                    request:
                        #", "postData": {"mimeType": "multipart/form-data\#(boundary)", "params": \#(params)}"#
                )))
        func upload(_ scan: String) throws -> URLRequest {
            try URLRequest.test("users/7", method: "POST").multipartBody([
                .text("title", "Hi"),
                .file("scan", fileName: "a.png", contentType: "image/png", data: Data(scan.utf8)),
            ])
        }
        await #expect(throws: MockError.self) {
            try await network.exchange(upload("abd"))
        }
        #expect(try await network.exchange(upload("abc")).1.statusCode == 200)
    }

    @Test func anErrorNamesTheSkippedEntry() async throws {
        let network = MockNetwork()
        network.stub(
            try TemporaryFolder().archive(
                entry("GET", "/b"), Self.replacing(Self.text, with: #""size": 5"#), "null",
                entry("GET", "/c", status: 42)))
        let error = await #expect(throws: MockError.self) {
            try await network.exchange(.test("users/7"))
        }
        #expect(
            error?.description.contains(
                "\nSkipped when the file was read: entry 2: \(Self.noBody).\n") == true
        )
        // An entry without a URL could be the one. That of another path could not.
        let others = ["3", "4"].map { error?.description.contains("entry \($0): ") }
        #expect(others == [true, false])
    }

    @Test func skipsWhatIsNoExchange() throws {
        let gzip = Data([0x1F, 0x8B, 8]).base64EncodedString()
        let archive = try TemporaryFolder().archive(
            entry(status: 101), entry(),
            #"{"request": {"url": "wss://a.example"}, "response": {"status": 101}}"#,
            entry(headers: #"{"name": "Content-Encoding", "value": "gzip"}"#, text: gzip)
                .replacing(#""text":"#, with: #""encoding": "base64", "text":"#))

        #expect(
            archive.description == """
                1: GET https://api.example.com/users/7: 200 (OK), 15 bytes
                skipped entry 1: response.status is 101
                skipped entry 3: request.method is missing
                skipped entry 4: response.content.text is still compressed
                """)
    }

    @Test func anErrorNamesTheFileAndThePlace() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "users.har")
        let rows: [(String, String)] = [
            ("", "is no HTTP archive: "),
            ("{\"log\": {\n\"entries\": [,]}}", "is no HTTP archive: "),
            (#"{"entries": []}"#, "is no HTTP archive: log is missing."),
            (#"{"log": {"version": "1.2"}}"#, "is no HTTP archive: log.entries is missing."),
            (#"{"log": {"entries": 7}}"#, "is no HTTP archive: log.entries: Expected"),
            (
                #"{"log": {"entries": [\#(entry().replacing(#""text": "{\"name\":\"Emma\"}""#, with: #""_file": "none""#))]}}"#,
                "none cannot be read: "
            ),
        ]
        await forEachRow(rows, named: \.0) { row, comment in
            try folder.write(row.0, "users.har")
            let error = #expect(throws: HTTPArchiveError.self, comment) {
                try HTTPArchive(contentsOf: file)
            }
            let text = error.map { "\($0)" } ?? ""
            #expect(text.hasPrefix(folder.url.path), comment)
            #expect(text.contains(row.1), "\(text)")
        }
    }

    @Test func refusesALargeFileByItsSize() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data(count: 1_001), "large.har")
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
        let named = entry().replacing(
            #""text": "{\"name\":\"Emma\"}""#, with: #""_file": "body.bin""#)
        let file = try folder.write(#"{"log": {"entries": [\#(named)]}}"#, "users.har")
        let error = #expect(throws: HTTPArchiveError.self) {
            try HTTPArchive(contentsOf: file, limit: 2_000)
        }
        #expect(error?.description.contains("; at most 2,000 bytes are read. ") == true)
        let size = try Data(contentsOf: file).count + 2_000
        #expect(try HTTPArchive(contentsOf: file, limit: size).map(\.body.count) == [2_000])
    }

    @Test func ignoresAByteOrderMark() throws {
        let folder = try TemporaryFolder()
        let text = "\u{FEFF}" + #"{"log": {"version": "1.1", "entries": [\#(entry())]}}"#
        #expect(try HTTPArchive(contentsOf: folder.write(text, "a.har")).count == 1)
        #expect(
            try folder.archive(entry(text: "\u{FEFF}a\u{FEFF}"))[0].body
                == Data("\u{FEFF}a\u{FEFF}".utf8))
    }
}
