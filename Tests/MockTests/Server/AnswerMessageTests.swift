import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct AnswerMessageTests {
    @Test func frames() async {
        let rows: [Case] = [
            Case("one chunk", .of("abc"), "Content-Length: 3", body: "abc"),
            Case("no chunk", .of(), "Content-Length: 0"),
            Case(
                "chunks", .of("abc", "", "d"), "Transfer-Encoding: chunked",
                body: "3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n"),
            Case(
                "chunks with a length", .of("a", "b", fields: ["Content-Length": "2"]),
                "Content-Length: 2", body: "ab"),
            Case(
                "wrong length", .of("abc", fields: ["Content-Length": "99"]), "Content-Length: 3",
                body: "abc"),
            Case(
                "claims to be chunked", .of("abc", fields: ["Transfer-Encoding": "chunked"]),
                "Content-Length: 3", body: "abc"),
            Case(
                "HEAD", .of("abc", fields: ["Content-Length": "3"]), to: "HEAD", "Content-Length: 3"
            ),
            Case("HEAD without a length", .of("abc"), to: "HEAD"),
            Case("204", .of("abc", status: 204, fields: ["Content-Length": "3"])),
            Case(
                "304", .of("abc", status: 304, fields: ["Content-Length": "3"]), "Content-Length: 3"
            ),
            Case(
                "close", .of(fields: ["Connection": "close"]),
                "Content-Length: 0\r\nConnection: close",
                keepsAlive: false),
            Case("1xx", .of("abc", status: 103), "Connection: close", keepsAlive: false),
            Case(
                "compressed", .of("x", fields: ["Content-Encoding": "gzip"]),
                "Content-Encoding: gzip\r\nContent-Length: 1", body: "x"),
            Case(
                "several cookies",
                .of(fields: ["Set-Cookie": "a=1; Expires=Wed, 01 Jan 2098 00:00:00 GMT, b=2,c=3"]),
                "Set-Cookie: a=1; Expires=Wed, 01 Jan 2098 00:00:00 GMT\r\n"
                    + "Set-Cookie: b=2\r\nSet-Cookie: c=3\r\nContent-Length: 0"),
            Case("own date", .of(fields: ["Date": "today"]), "Date: today\r\nContent-Length: 0"),
        ]
        await forEachRow(rows, named: \.testDescription) { test, comment in
            let message = test.answer.message(for: test.request)
            let text = String(decoding: message.pieces.reduce(Data(), +), as: UTF8.self)
            let parts = text.components(separatedBy: "\r\n\r\n")
            let lines = parts[0].components(separatedBy: "\r\n")
            let isOurDate = { (line: String) in
                line.hasPrefix("Date: ") && line.hasSuffix(" GMT")
            }

            #expect(
                lines.dropFirst().filter { !isOurDate($0) }.joined(separator: "\r\n")
                    == test.fields, comment)
            #expect(
                parts.dropFirst().joined(separator: "\r\n\r\n") == test.body,
                comment)
            #expect(message.keepsAlive == test.keepsAlive, comment)
        }
    }

    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (951_782_399.9, "Mon, 28 Feb 2000 23:59:59 GMT"),
    ])
    func writesDates(_ seconds: Double, _ text: String) {
        #expect(Date(timeIntervalSince1970: seconds).httpText == text)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var answer: Answer
        var request: HTTPRequestReader.Request
        var fields: String
        var body: String
        var keepsAlive: Bool

        init(
            _ name: String, _ answer: Answer, to method: String = "GET",
            _ fields: String = "", body: String = "", keepsAlive: Bool = true
        ) {
            testDescription = name
            self.answer = answer
            request = .init(request: .test("/", method: method), keepsAlive: true)
            self.fields = fields
            self.body = body
            self.keepsAlive = keepsAlive
        }
    }
}
