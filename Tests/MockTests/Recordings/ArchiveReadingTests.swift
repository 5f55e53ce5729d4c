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
            #"{"request": {"url": "https://a.example", "headers": [{"name": ":path", "value": "/"}]}, "response": {"status": 200}}"#
        ) { $0.request.allHTTPHeaderFields?.isEmpty != false },
        Variant(
            "cookies joined by line breaks",
            entry(headers: #"{"name": "set-cookie", "value": "a=1\nb=2"}"#)
        ) { $0.response?.value(forHTTPHeaderField: "Set-Cookie") == "a=1, b=2" },
        Variant(
            "a repeated field",
            entry(headers: #"{"name": "Link", "value": "<a>"}, {"name": "link", "value": "<b>"}"#)
        ) { $0.response?.value(forHTTPHeaderField: "Link") == "<a>, <b>" },
        Variant("no response", #"{"request": {"url": "https://a.example"}}"#) {
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
        Variant("a status as text", entry().replacing(#""status": 200"#, with: #""status": "404""#))
        {
            $0.response?.statusCode == 404
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
                skipped entry 1: its answer is 101 (a WebSocket or an upgrade)
                skipped entry 3: its URL has the scheme wss
                skipped entry 4: its body is still compressed
                """)
    }

    @Test func anErrorNamesTheFileAndThePlace() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "users.har")
        let rows: [(String, String)] = [
            ("", "is no HTTP archive: "),
            ("{\"log\": {\n\"entries\": [,]}}", "is no HTTP archive: "),
            (#"{"entries": []}"#, #"is no HTTP archive: it has no object "log"."#),
            (#"{"log": {"entries": 7}}"#, "log.entries has another type than in HAR 1.2."),
            (
                #"{"log": {"entries": [{"request": {"url": "https://a b.example:x"}}]}}"#,
                "log.entries[0].request.url is not a URL."
            ),
            (
                #"{"log": {"entries": [\#(entry().replacing(#""text":"#, with: #""encoding": "base64", "text":"#))]}}"#,
                "log.entries[0].response.content.text is not base64."
            ),
            (
                #"{"log": {"entries": [\#(entry(response: #", "_pieces": [[1]]"#))]}}"#,
                "log.entries[0].response._pieces[0] is not a time in milliseconds and a number of bytes."
            ),
            (
                #"{"log": {"entries": [\#(entry().replacing(#""text": "{\"name\":\"Emma\"}""#, with: #""_file": "../x""#))]}}"#,
                "log.entries[0].response.content._file is not a file beside the archive."
            ),
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
        #expect(error?.description == "\(file.path) has 1,001 bytes; at most 1,000 bytes are read.")
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
        #expect(error?.description.hasSuffix("at most 2,000 bytes are read.") == true)
        #expect(try HTTPArchive(contentsOf: file, limit: 3_000).map(\.body.count) == [2_000])
    }

    @Test(arguments: [
        #""status": "nan""#, #""status": 1e300"#, #""status": 99999999999999999999"#,
        #""status": 200, "_pieces": [[1e300, 5]]"#, #""status": 200, "_pieces": [[1, 1e300]]"#,
    ])
    func aNumberThatIsTooLargeCountsAsNone(_ members: String) throws {
        let folder = try TemporaryFolder()
        let text =
            #"{"time": 1e300, "request": {"url": "https://a.b/"}, "response": {\#(members), "content": {"text": "abcdefgh"}}}"#
        if members.contains("_pieces") {
            #expect(throws: HTTPArchiveError.self) { try folder.archive(text) }
        } else {
            let exchange = try folder.archive(text)[0]
            #expect(exchange.response == nil)
            #expect(exchange.pieces.map(\.time) == [.zero])
        }
    }

    @Test func ignoresAByteOrderMark() throws {
        let folder = try TemporaryFolder()
        let text = "\u{FEFF}" + #"{"log": {"version": "1.1", "entries": [\#(entry())]}}"#
        #expect(try HTTPArchive(contentsOf: folder.write(text, "a.har")).count == 1)
    }
}
