import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

@Suite(.limited) struct HTTPRequestParserTests {
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
