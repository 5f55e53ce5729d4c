import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

@Suite(.limited) struct HTTPRequestParserTests {
    @Test func readsABody() async {
        let rows: [(String, String)] = [
            ("Content-Length: 5\r\n\r\nhello", "hello"),
            ("Content-Length: 0\r\n\r\n", ""),
            (
                "Transfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n",
                "hello world"
            ),
            (
                "Transfer-Encoding: chunked\r\n\r\n5 ; a=\"b\"\r\nhello\r\n0\r\nX: y\r\n\r\n",
                "hello"
            ),
            ("Transfer-Encoding: chunked\r\n\r\n00A\r\n0123456789\r\n00\r\n\r\n", "0123456789"),
        ]
        await forEachRow(rows, named: \.0) { row, comment in
            let (rest, body) = row
            let requests = try parse(
                "POST / HTTP/1.1\r\nHost: h\r\n" + rest + "GET / HTTP/1.1\r\nHost: h\r\n\r\n")

            #expect(requests.map(\.method) == ["POST", "GET"], comment)
            #expect(
                requests.first.map { String(decoding: $0.body, as: UTF8.self) } == body, comment)
        }
    }

    @Test func readsTheSameHoweverTheBytesAreSplit() {
        let requests = MalformedRequest.all.map { ($0.name, $0.text) }
        for (name, text) in requests + [("conversation", conversation)] {
            let bytes = Data(text.utf8)
            let expected = outcome(of: [bytes])

            // Long requests are cut at fewer places, because every place would take minutes.
            for cut in stride(from: 0, to: bytes.count, by: bytes.count < 1_000 ? 1 : 3_001) {
                let actual = outcome(of: [bytes[..<cut], bytes[cut...]])
                #expect(actual == expected, "\(name), cut at \(cut)")
            }
            #expect(outcome(of: bytes.map { Data([$0]) }) == expected, "\(name), byte by byte")
        }
    }

    @Test(arguments: [
        "Content-Length: 100000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n186A0\r\n",
    ])
    func readsALargeBodyByteByByte(_ framing: String) throws {
        let expected = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        let head = Data(("POST / HTTP/1.1\r\nHost: h\r\n" + framing).utf8)
        let end = Data((framing.hasPrefix("Transfer") ? "\r\n0\r\n\r\n" : "").utf8)
        var reader = HTTPRequestReader([head] + expected.map { Data([$0]) } + [end])

        #expect(try reader.next()?.body == expected)
        #expect(try reader.next() == nil)
    }

    @Test func reservesNoMemoryForAnAnnouncedLength() {
        #expect(throws: HTTPRequestError("The connection ended within a request.")) {
            try parse("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(Int.max)\r\n\r\nhello")
        }
    }

    @Test func sendsContinueOnlyBeforeTheBody() async {
        let rows: [(String, Int)] = [
            ("Content-Length: 5\r\n\r\n", 1), ("Transfer-Encoding: chunked\r\n\r\n", 1),
            ("Content-Length: 5\r\n\r\nh", 0), ("Content-Length: 0\r\n\r\n", 0),
        ]
        await forEachRow(rows, named: \.0) { row, comment in
            let head = "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\n" + row.0
            var reader = HTTPRequestReader([Data(head.utf8)])
            var count = 0

            _ = try? reader.next { count += 1 }

            #expect(count == row.1, comment)
        }
    }
}
