import APIKitLite
import TestSupport

@Suite(.limited) struct RequestStepTests {
    @Test(arguments: [
        ("https://h/a", "https://h/a?q=1"), ("https://h/a?", "https://h/a?q=1"),
        ("https://h?b=2", "https://h?b=2&q=1"), ("https://h?b&", "https://h?b&q=1"),
        ("https://h?b=?", "https://h?b=?&q=1"), ("https://h/a#top?", "https://h/a?q=1#top?"),
        ("https://h/%2F?b=%20+#", "https://h/%2F?b=%20+&q=1#"),
    ])
    func appendsAQueryItem(_ url: String, _ expected: String) throws {
        #expect(try URLRequest.plain(url).query(["q": 1]).url?.absoluteString == expected)
    }

    @Test func setsHeaders() throws {
        let etag: String? = nil
        let request = try URLRequest(
            "GET", URL(string: "https://h")!,
            headers: [
                "Accept": "a/b", "X-One": "1", "accept": ["c/d", "e/f"], "X-No": "", "X-Nil": nil,
                "Cookie": ["a=1", "b=2"], "cookie": "c=3",
            ]
        ).header("x-one", 2).header("If-None-Match", etag).header("X", ["a", "b"])

        let fields = (request.allHTTPHeaderFields ?? [:]).map { "\($0.lowercased()): \($1)" }
        #expect(
            fields.sorted() == [
                "accept: a/b, c/d, e/f", "cookie: a=1; b=2; c=3", "x-no: ", "x-one: 2", "x: a, b",
            ])
        let replaced = try request.header("Cookie", ["d=4", "e=5"]).header("X", nil)
        #expect(replaced.value(forHTTPHeaderField: "Cookie") == "d=4; e=5")
        #expect(replaced.value(forHTTPHeaderField: "X") == "a, b")
    }
}
