import Foundation
import TestSupport
import Testing

@testable import APIKitLite

/// The table of RFC 9110, section 14, as a client sees it that asked for the rest of a file.
@Suite(.limited) struct ResumeDecisionTests {
    struct Row: Sendable, CustomStringConvertible {
        var description: String
        var record: ResumeRecord?
        var status: Int
        var fields: [String: String]
        var decision: ResumeDecision
    }

    /// 4 of 10 bytes, of a file with an entity tag.
    private static let tagged = ResumeRecord(
        urlHash: 1, validator: "\"1\"", offset: 4, length: 10)
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let dated = ResumeRecord(urlHash: 1, validator: date, offset: 4, length: 10)

    /// A 206 that fits `tagged`, with some fields changed.
    private static func part(
        _ description: String, _ changes: [String: String?] = [:],
        record: ResumeRecord = tagged, gives decision: ResumeDecision
    ) -> Row {
        var fields = ["ETag": "\"1\"", "Content-Range": "bytes 4-9/10", "Content-Length": "6"]
        for (name, value) in changes { fields[name] = value }
        return Row(
            description: description, record: record, status: 206, fields: fields,
            decision: decision)
    }

    private static func status(
        _ status: Int, _ fields: [String: String] = [:], record: ResumeRecord? = tagged,
        gives decision: ResumeDecision
    ) -> Row {
        Row(
            description: "\(status), \(record == nil ? "no " : "")part", record: record,
            status: status, fields: fields, decision: decision)
    }

    /// The whole file, without a length.
    private static let startOver = ResumeDecision.write(
        ContentRange(end: nil, length: nil))
    private static let goesOn = ResumeDecision.write(
        ContentRange(start: 4, end: 10, length: 10))

    static let parts: [Row] = [
        part("fits", gives: goesOn),
        part("no Content-Length, as with chunks", ["Content-Length": nil], gives: goesOn),
        part("Content-Encoding: identity", ["Content-Encoding": "identity"], gives: goesOn),
        part("unit in upper case", ["Content-Range": "BYTES 4-9/10"], gives: goesOn),
        part(
            "less than the rest", ["Content-Range": "bytes 4-6/10", "Content-Length": "3"],
            gives: .write(ContentRange(start: 4, end: 7, length: 10))),
        part(
            "a date as the validator", ["ETag": nil, "Last-Modified": date], record: dated,
            gives: goesOn),
        part(
            "a date as the validator, and now an entity tag, too", ["Last-Modified": date],
            record: dated, gives: goesOn),
        part(
            "the record has no length",
            ["Content-Range": "bytes 3-9/10", "Content-Length": "7"],
            record: ResumeRecord(urlHash: 1, validator: "\"1\"", offset: 4),
            gives: .write(ContentRange(start: 3, end: 10, length: 10))),
        part(
            "the part is whole", ["Content-Range": "bytes 9-9/10", "Content-Length": "1"],
            record: ResumeRecord(urlHash: 1, validator: "\"1\"", offset: 10, length: 10),
            gives: .write(ContentRange(start: 9, end: 10, length: 10))),

        part(
            "nothing was asked for", ["Content-Range": "bytes 0-9/10", "Content-Length": "10"],
            record: ResumeRecord(urlHash: 1, validator: "\"1\"", offset: 0, length: 10),
            gives: .askAgain),
        part(
            "other date", ["ETag": nil, "Last-Modified": "Sun, 06 Nov 1994 08:49:38 GMT"],
            record: dated, gives: .askAgain),
        part("no date", ["ETag": nil], record: dated, gives: .askAgain),
    ]

    /// Parts of another file or of other bytes, and headers that say nothing certain.
    static let others: [Row] =
        ([
            ("begins earlier", ["Content-Range": "bytes 3-9/10", "Content-Length": "7"]),
            ("begins at 0", ["Content-Range": "bytes 0-9/10", "Content-Length": "10"]),
            ("begins later", ["Content-Range": "bytes 5-9/10", "Content-Length": "5"]),
            ("longer file", ["Content-Range": "bytes 4-9/11"]),
            ("shorter file", ["Content-Range": "bytes 4-8/9", "Content-Length": "5"]),
            ("unknown length", ["Content-Range": "bytes 4-9/*"]),
            ("other entity tag", ["ETag": "\"2\""]),
            ("weak entity tag", ["ETag": "W/\"1\""]),
            ("entity tag without quotation marks", ["ETag": "1"]),
            ("no entity tag", ["ETag": nil]),
            ("an entity tag became a date", ["ETag": nil, "Last-Modified": date]),
            ("gzip", ["Content-Encoding": "gzip"]),
            ("no Content-Range", ["Content-Range": nil]),
            ("the form of a 416", ["Content-Range": "bytes */10"]),
            ("other unit", ["Content-Range": "items 4-9/10"]),
            ("no unit", ["Content-Range": "4-9/10"]),
            ("last before first", ["Content-Range": "bytes 9-4/10"]),
            ("last beyond the length", ["Content-Range": "bytes 4-10/10"]),
            ("no length", ["Content-Range": "bytes 4-9"]),
            ("two fields, joined", ["Content-Range": "bytes 4-9/10, bytes 4-9/10"]),
            ("a sign", ["Content-Range": "bytes +4-9/10"]),
            ("too large a number", ["Content-Range": "bytes 4-9/99999999999999999999"]),
            (
                "several ranges",
                ["Content-Type": "multipart/byteranges; boundary=x", "Content-Range": nil]
            ),
            ("Content-Length of the whole file", ["Content-Length": "10"]),
            ("no number as Content-Length", ["Content-Length": "six"]),
        ] as [(String, [String: String?])]).map { part($0, $1, gives: .askAgain) }

    static let statuses: [Row] =
        [
            status(200, gives: startOver), status(200, ["ETag": "\"2\""], gives: startOver),
            status(200, record: nil, gives: startOver), status(203, gives: startOver),
            status(203, record: nil, gives: startOver),
            status(416, ["Content-Range": "bytes */10"], gives: .askAgain),
            status(416, ["Content-Range": "bytes */4"], gives: .askAgain),
            status(416, record: nil, gives: .refuse),
            status(
                206, ["Content-Range": "bytes 0-9/10", "ETag": "\"1\""], record: nil, gives: .refuse
            ),
        ]

    static let refused = [
        201, 202, 204, 205, 207, 226, 301, 304, 307, 401, 403, 404, 410, 412, 429, 500, 503,
    ].flatMap { (code: Int) -> [Row] in
        [status(code, gives: .refuse), status(code, record: nil, gives: .refuse)]
    }

    @Test(arguments: parts + others + statuses + refused) func decides(_ row: Row) throws {
        let response = try #require(
            HTTPURLResponse(
                url: URL(filePath: "/"), statusCode: row.status, httpVersion: nil,
                headerFields: row.fields))

        #expect(ResumeDecision(record: row.record, response: response) == row.decision)
    }

    @Test(
        arguments: [
            (0, 0, 10, false), (0, 1, 10, true), (0, 99, 10_000, false), (0, 100, 10_000, true),
            (200, 297, 10_000, false), (200, 298, 10_000, true), (9_999, 10_000, 10_000, true),
            (50, 40, 10_000, false), (0, 65_535, 1 << 40, false), (0, 65_536, 1 << 40, true),
            (0, 1, nil, true), (1_000, 1_009, nil, false), (1_000, 1_010, nil, true),
            (1 << 40, (1 << 40) + 65_535, nil, false), (1 << 40, (1 << 40) + 65_536, nil, true),
        ] as [(Int64, Int64, Int64?, Bool)])
    func countsProgress(_ furthest: Int64, _ offset: Int64, _ length: Int64?, _ isEnough: Bool) {
        #expect(isProgress(from: furthest, to: offset, of: length) == isEnough)
    }
}
