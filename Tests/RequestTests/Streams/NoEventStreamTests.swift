import APIKitLite
import TestSupport

@Suite(.limited) struct NoEventStreamTests {
    private func response(_ type: String?) -> HTTPURLResponse {
        .status(200, headers: type.map { ["Content-Type": $0] } ?? [:])
    }

    private static let page = """
        <!DOCTYPE html>
        <style>
        :root { color: red }
        </style>
        <script>let chart = {
        data: [1, 2],
        id: 7 }
        </script>
        """

    @Test(arguments: [
        (#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600}}"#, "JSON"),
        (" \r\n{\n  \"data\": 1,\n  \"id\": 2\n}\n", "JSON"), ("[{\"id\":1}]", "JSON"),
        ("\u{feff}{}", "JSON"), ("{", "JSON"), ("{\ndata: 1\n}", "JSON"),
        (page, "HTML or XML"), ("\n\n<html></html>", "HTML or XML"),
        ("<?xml version=\"1.0\"?>\n<a/>", "HTML or XML"),
        ("Internal Server Error", "text"), ("upstream connect error: reset\r\n", "text"),
        ("\"sorry\"", "text"), ("42\n", "text"), (" data: x\n\n", "text"),
        ("message: a\n\n", "text"), ("dataset\n", "text"), ("\0\u{1}", "text"),
    ])
    func failsForABodyWithoutEvents(_ body: String, _ found: String) {
        let expected = StreamError.unexpectedContentType(
            found: found, expected: ["text/event-stream"])
        #expect(ServerSentEvents().delivers([], then: expected, of: body))
        // A wrong header does not help.
        let declared = ServerSentEvents(orBodyOf: response("text/event-stream"))
        #expect(declared.delivers([], then: expected, of: body))
        let last = ServerSentEvents(mediaTypes: []).until(data: "[DONE]").map(\.data)
        #expect(last.delivers([], then: expected, of: body))
    }

    @Test(arguments: [
        ("", 0), (" ", 0), ("\r\n\r\n", 0), ("\u{feff}", 0), (": keep-alive\n\n", 0), (":\n", 0),
        (":", 0), ("foo: bar\n: hi\n\n", 0), ("foo\nretry: 7\n\n", 0), ("id: 7\n\n", 0),
        ("event: a\n\n", 0), ("retry: 10\r\r", 0), ("data: a", 0), ("data: a\n", 0),
        ("DATA: a\nId: 1\n\n", 0),
        // Cut inside the first line.
        ("d", 0), ("eve", 0), ("id", 0), ("\nret", 0),
        ("foo: bar\n\ndata: a\n\n", 1), ("\u{feff}\u{feff}data:1\n\ndata:2\n\n", 1),
        ("{\"a\":1}\ndata: a\n\n", 1), ("<p>\n\ndata: a\n\nsorry", 1), ("data\n\n", 1),
    ])
    func acceptsAnUnusualEventStream(_ stream: String, _ count: Int) {
        for parser in [
            ServerSentEvents(), ServerSentEvents(orBodyOf: response("text/event-stream")),
            ServerSentEvents(orBodyOf: response("TEXT/EVENT-STREAM ; charset=utf-8")),
        ] {
            #expect(parser.map { _ in 1 }.delivers(Array(repeating: 1, count: count), of: stream))
        }
    }

    @Test(arguments: [nil, "", "text/plain", "application/octet-stream"])
    func takesJSONOfAnyTypeAsTheOneValue(_ type: String?) {
        let bodies = [
            #"{"jsonrpc":"2.0","id":1,"error":{}}"#, "[1,\n2]", "\n {\n  \"data\": 1\n}",
            "\u{feff}{}",
        ]
        let parser = ServerSentEvents(orBodyOf: response(type), mediaTypes: [])
        for body in bodies {
            let isJSON = parser.until(data: "[DONE]").map {
                try JSONSerialization.jsonObject(with: Data($0.data.utf8)) is NSNull
            }
            #expect(isJSON.delivers([false], of: body))
        }
        #expect(parser.map(\.data).delivers(["a"], of: "data: a\n\n{}\n"))
        var other = parser
        #expect(other.deliver([Data("sorry".utf8)]).error is StreamError)
    }

    @Test(arguments: ["\r\n", "\n", "\r", ""])
    func limitsTheOneValue(_ lineEnd: String) {
        var parser = ServerSentEvents(orBodyOf: response(nil), longestLine: 10)
        let body = "{" + lineEnd + "\"a\":" + lineEnd + "12345}"
        #expect(parser.deliver([Data(body.utf8)]).error as? StreamError == .lineTooLong(limit: 10))
    }

    @Test func linesFailForABodyThatIsNotJSON() {
        for body in [Self.page, "Internal Server Error"] {
            var parser = JSONLines([Int].self)
            #expect(parser.deliver([Data(body.utf8)]).error is DecodingError)
        }
    }
}
