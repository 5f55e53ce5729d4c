import Foundation
import TestSupport
import Testing

@testable import APIKitLite

@Suite(.limited) struct ResumeRecordTests {
    private static let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let later = "Sun, 06 Nov 1994 08:49:38 GMT"

    private func record(_ fields: [String: String], status: Int = 200) throws -> ResumeRecord? {
        let response = try #require(
            HTTPURLResponse(
                url: URL(filePath: "/"), statusCode: status, httpVersion: nil,
                headerFields: fields))
        return ResumeRecord(urlHash: 1, of: response)
    }

    @Test(arguments: [
        (["ETag": "\"1\""], "\"1\""),
        (["ETag": "\"\""], "\"\""),
        (["ETag": "\"1\"", "Last-Modified": modified, "Date": later], "\"1\""),
        (["ETag": "\"1\"", "Accept-Ranges": "bytes"], "\"1\""),
        (["ETag": "\"1\"", "Content-Encoding": "Identity"], "\"1\""),
        (["Last-Modified": modified, "Date": later], modified),
        (["ETag": "W/\"1\""], nil),
        // RFC 9110, section 13.1.5: a client that has an entity tag does not send a date.
        (["ETag": "W/\"1\"", "Last-Modified": modified, "Date": later], nil),
        (["ETag": "1", "Last-Modified": modified, "Date": later], nil),
        (["ETag": "\"a\"b\""], nil), (["ETag": "\"a b\""], nil), (["ETag": "\"é\""], nil),
        (["ETag": "\""], nil),
        (["Last-Modified": modified], nil),
        (["Last-Modified": modified, "Date": modified], nil),
        (["Last-Modified": later, "Date": modified], nil),
        (["Last-Modified": "yesterday", "Date": later], nil),
        (["ETag": "\"1\"", "Accept-Ranges": "none"], nil),
        (["ETag": "\"1\"", "Content-Encoding": "gzip"], nil), ([:], nil),
    ])
    func findsAStrongValidator(_ fields: [String: String], _ validator: String?) throws {
        #expect(try record(fields)?.validator == validator)
    }

    @Test(arguments: [201, 203, 206, 304, 404])
    func onlyA200HasARecord(_ status: Int) throws {
        #expect(try record(["ETag": "\"1\""], status: status) == nil)
    }

    @Test(arguments: [("10", 10), ("0", 0), ("-1", nil), ("x", nil), ("", nil)])
    func knowsTheLength(_ field: String, _ length: Int64?) throws {
        let response = try #require(
            HTTPURLResponse(
                url: URL(filePath: "/"), statusCode: 200, httpVersion: nil,
                headerFields: ["Content-Length": field]))
        let range = ContentRange(wholeBodyOf: response)
        #expect(range == ContentRange(start: 0, end: length, length: length))
    }

    @Test(arguments: [
        ("https://a.com/b?c=1", true), ("https://user:pw@a.com/b?c=1", true),
        ("https://a.com/b?c=1#d", true), ("https://a.com/b?c=2", false),
        ("https://a.com/b", false), ("https://a.com:8080/b?c=1", false),
    ])
    func belongsToItsURL(_ url: String, _ isSame: Bool) {
        let hash = ResumeRecord.hash(of: URL(string: "https://a.com/b?c=1"))
        #expect((ResumeRecord.hash(of: URL(string: url)) == hash) == isSame)
    }

    @Test(
        arguments: [
            (4, 10, "bytes=4-"), (1, 10, "bytes=1-"), (0, 10, nil),
            // The last byte again, so that the answer is a 206.
            (10, 10, "bytes=9-"), (4, nil, "bytes=3-"), (1, 1, nil), (1, nil, nil), (0, nil, nil),
        ] as [(Int64, Int64?, String?)])
    func asksForTheRest(_ offset: Int64, _ length: Int64?, _ range: String?) throws {
        var request = URLRequest(url: try #require(URL(string: "https://example.com/a")))
        request.setValue("b", forHTTPHeaderField: "A")
        let record = ResumeRecord(
            urlHash: 1, validator: "\"1\"", offset: offset, length: length)

        let resuming = record.resuming(request)

        #expect(resuming.value(forHTTPHeaderField: "Range") == range)
        #expect(resuming.value(forHTTPHeaderField: "If-Range") == range.map { _ in "\"1\"" })
        #expect(resuming.value(forHTTPHeaderField: "A") == "b")
    }
}
