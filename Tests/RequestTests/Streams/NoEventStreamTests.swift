import APIKitLite
import TestSupport

@Suite(.limited) struct NoEventStreamTests {
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
        ("[1, 2]", "JSON"), ("[1,\n2]\n", "JSON"), ("{code: 7}", "JSON"), (page, "HTML or XML"),
        ("\n\n<html></html>", "HTML or XML"), ("<?xml version=\"1.0\"?>\n<a/>", "HTML or XML"),
        ("Internal Server Error", "text"), ("upstream connect error: reset\r\n", "text"),
        ("\"sorry\"", "text"), ("42\n", "text"), (" data: x\n\n", "text"),
        ("dataset\n", "text"), ("\0\u{1}", "text"), ("a b: c\n\n", "text"),
    ])
    func failsForABodyWithoutEvents(_ body: String, _ found: String) {
        let expected = StreamError.unexpectedContentType(
            found: found, expected: ["text/event-stream"])
        #expect(ServerSentEvents().delivers([], then: expected, of: body))
        // A wrong header does not help.
        let declared = ServerSentEvents(orBodyOf: .typed("text/event-stream"))
        #expect(declared.delivers([], then: expected, of: body))
        let last = ServerSentEvents(mediaTypes: []).until(data: "[DONE]").map(\.data)
        #expect(last.delivers([], then: expected, of: body))
    }

    @Test(
        arguments: [
            ([], #"{"jsonrpc":"2.0","id":1,"error":{"code":-32600}}"#, nil),
            ([], "{\n  \"data\": 1,\n\n  \"id\": 2\n}", nil), ([], #"[{"id":1}]"#, nil),
            ([], "{}", nil),
            ([], "{", nil), ([], "{\ndata: 1\n}", nil), ([], "[\n  {}\n]", nil), ([], "[[", nil),
            (["a"], #"{"error": {"code": 503, "message": "data: overloaded"}}"#, nil),
            (["a"], "  {\n    \"error\": {\n      \"code\": 503\n    }\n  }", nil),
            (["a"], "[{\n  \"error\": {\n    \"code\": 503\n  }\n}\n]", nil),
            // Truncated. An empty line ends an event, and so does the end of the body.
            (["a"], #"{"error": {"co"#, nil), (["a"], #"{"error": {"co"#, "\n\ndata: b\n\n"),
            // Nothing after the JSON is read.
            (["a"], #"{"error": 1}"#, "\ndata: b\n\n"), (["a"], "[\n{\n}\n]", "\ndata: b\n\n"),
            ([], "{}", "\ndata: a\n\n"),
        ] as [([String], String, String?)])
    func throwsJSONThatIsNotPartOfAnEvent(_ data: [String], _ json: String, _ rest: String?) {
        let parser = ServerSentEvents().map(\.data)
        let before = data.map { "data: \($0)\n\n" }.joined()
        for lineEnd in ["\n", "\r\n", "\r"] {
            for end in rest.map({ [$0] }) ?? ["", "\n", "\n\n"] {
                let start = data.isEmpty ? "" : before + "id: 1\n"
                let stream = (start + json + end).replacing("\n", with: lineEnd)
                let error = StreamError.unexpectedJSON(json)
                let isThrown = parser.delivers(data, then: error, of: stream)
                #expect(isThrown, "\(stream.debugDescription)")
            }
        }
    }

    /// By the HTML Standard, an unknown field is ignored, whatever its value.
    @Test(arguments: [
        #"foo: {"a":1}"#, #"foo:{"a":1}"#, "foo: [1]", "foo", "1", "[info] a", "[1, 2]", "{a}",
        "(c) {", "heartbeat: 1", #""{""#,
    ])
    func ignoresAFieldWithJSON(_ line: String) {
        let parser = ServerSentEvents().map(\.data)
        #expect(parser.delivers(["a", "b"], of: "data: a\n\n\(line)\ndata: b\n\(line)\n\n"))
    }

    @Test(arguments: [
        ("", 0), (" ", 0), ("\r\n\r\n", 0), ("\u{feff}", 0), (": keep-alive\n\n", 0), (":\n", 0),
        (":", 0), ("foo: bar\n: hi\n\n", 0), ("foo\nretry: 7\n\n", 0), ("id: 7\n\n", 0),
        ("event: a\n\n", 0), ("retry: 10\r\r", 0), ("data: a", 0), ("data: a\n", 0),
        ("DATA: a\nId: 1\n\n", 0),
        // Cut inside the first line.
        ("d", 0), ("eve", 0), ("id", 0), ("\nret", 0), ("heartbeat: 1\n", 0), ("x-y_z.1: 2\n\n", 0),
        ("foo: {\"a\":1}\n\n", 0), ("message: a\n\n", 0), ("foo: bar\n\ndata: a\n\n", 1),
        ("\u{feff}\u{feff}data:1\n\ndata:2\n\n", 1), ("<p>\n\ndata: a\n\nsorry", 1),
        ("data\n\n", 1),
    ])
    func acceptsAnUnusualEventStream(_ stream: String, _ count: Int) {
        for parser in [
            ServerSentEvents(), ServerSentEvents(orBodyOf: .typed("text/event-stream")),
            ServerSentEvents(orBodyOf: .typed("TEXT/EVENT-STREAM ; charset=utf-8")),
        ] { #expect(parser.map { _ in 1 }.delivers(Array(repeating: 1, count: count), of: stream)) }
    }

    @Test(arguments: [nil, "", "text/plain", "application/octet-stream"])
    func takesJSONOfAnyTypeAsTheOneValue(_ type: String?) {
        let bodies = [
            #"{"jsonrpc":"2.0","id":1,"error":{}}"#, "[1,\n2]", "\n {\n  \"data\": 1\n}",
            "\u{feff}{}",
        ]
        let parser = ServerSentEvents(orBodyOf: .typed(type), mediaTypes: [])
        for body in bodies {
            let isJSON = parser.until(data: "[DONE]").map {
                try JSONSerialization.jsonObject(with: Data($0.data.utf8)) is NSNull
            }
            #expect(isJSON.delivers([false], of: body))
        }
        let unexpected = StreamError.unexpectedJSON("{}")
        #expect(parser.map(\.data).delivers(["a"], then: unexpected, of: "data: a\n\n{}\n"))
        var other = parser
        #expect(other.deliver([Data("sorry".utf8)]).error is StreamError)
    }

    @Test(arguments: ["\r\n", "\n", "\r", ""])
    func limitsTheOneValue(_ lineEnd: String) {
        var parser = ServerSentEvents(orBodyOf: .typed(nil), longestLine: 10)
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
