import APIKitLite
import TestSupport

@Suite(.limited) struct URLBuildingTests {
    private static func base(_ text: String = "https://h/v1") -> URL { URL(string: text)! }

    @Test func joinsBaseAndPath() throws {
        let rows: [(String, String, String)] = [
            ("https://h/v1", "users", "https://h/v1/users"),
            ("https://h/v1/", "users", "https://h/v1/users"),
            ("https://h/v1", "/users", "https://h/v1/users"),
            ("https://h/v1/", "/users", "https://h/v1/users"),
            ("https://h", "users", "https://h/users"),
            ("https://h/", "/users/", "https://h/users/"), ("https://h", "", "https://h"),
            ("https://h/v1/", "", "https://h/v1/"),
            ("https://h/a%2Fb%20c?x=%20", "", "https://h/a%2Fb%20c?x=%20"),
            ("https://h", "/", "https://h/"), ("https://h/v1", "//a//b", "https://h/v1//a//b"),
            ("https://h", "://x", "https://h/://x"),
            ("https://h", "/go/https://x", "https://h/go/https://x"),
            ("https://h/v1?key=1", "users", "https://h/v1/users?key=1"),
            ("https://u:p%40@h:8080/a%2Fb?x=%20+", "c", "https://u:p%40@h:8080/a%2Fb/c?x=%20+"),
            ("http://[::1]:80", "x", "http://[::1]:80/x"), ("HTTPS://h", "x", "HTTPS://h/x"),
            ("https://h", "/a b/ä%/[]", "https://h/a%20b/%C3%A4%25/%5B%5D"),
            ("https://h", #"/\^`|"<>"#, "https://h/%5C%5E%60%7C%22%3C%3E"),
            ("https://h", "/a-._~!$&'()*+,;=:@", "https://h/a-._~!$&'()*+,;=:@"),
        ]
        for (base, path, expected) in rows {
            let url = try URLRequest("GET", Self.base(base), path: path).url
            #expect(url?.absoluteString == expected, "\(base) + \(path)")
        }
    }

    @Test func makesAURLWithTheSameEscaping() throws {
        let base = Self.base("https://h/v1?key=1")
        let values: RequestItems = ["id": "1/2"]
        let query: RequestItems = ["q": "c&d", "page": nil]
        let request = try URLRequest("GET", base, path: "/a b/{id}", values, query: query)

        for url in [try URL(base, path: "/a b/{id}", values, query: query), request.url] {
            #expect(url?.absoluteString == "https://h/v1/a%20b/1%2F2?key=1&q=c%26d")
        }
        #expect(throws: RequestBuildingError.self) { try URL(base, path: "/{id}") }
    }

    @Test func escapesValuesInThePath() throws {
        let rows: [(String, String)] = [
            ("a/b", "a%2Fb"), ("a?b", "a%3Fb"), ("a#b", "a%23b"), ("100%", "100%25"),
            ("a b+c", "a%20b%2Bc"), ("ü", "%C3%BC"), ("..a", "..a"), ("...", "..."),
            ("a;b=c,d&e", "a%3Bb%3Dc%2Cd%26e"), ("\r\n", "%0D%0A"), ("-._~", "-._~"),
        ]
        // A name with a plus keeps slashes.
        let paths: [(String, String)] = [
            ("a/b.txt", "a/b.txt"), ("a", "a"), ("/a//b/", "/a//b/"), ("a b/ü", "a%20b/%C3%BC"),
            ("a?b/c#d", "a%3Fb/c%23d"), ("100%/a%2Fb", "100%25/a%252Fb"), ("..a/b..", "..a/b.."),
            ("a;b=c,d&e/@:", "a;b=c,d&e/@:"), ("[a]", "%5Ba%5D"),
        ]
        for (value, expected) in rows {
            let url = try URL(Self.base(), path: "users/{id}.json", ["id": value])
            #expect(url.absoluteString == "https://h/v1/users/\(expected).json")
        }
        for (value, expected) in paths {
            let url = try URL(Self.base(), path: "/files/{+path}", ["path": value])
            #expect(url.absoluteString == "https://h/v1/files/\(expected)")
        }
        let url = try URL(Self.base(), path: "/{a}/x-{b}/{a}", ["b": 2.5, "a": 42])
        #expect(url.absoluteString == "https://h/v1/42/x-2.5/42")
    }

    @Test(arguments: [
        ("!$()*,/:?@-._~", "!$()*,/:?@-._~"), ("';&=+#", "%27%3B%26%3D%2B%23"),
        ("é[]{}%", "%C3%A9%5B%5D%7B%7D%25"), ("\0\t", "%00%09"),
    ])
    func escapesQueryNamesAndValues(_ text: String, _ expected: String) throws {
        let query = RequestItems(dictionaryLiteral: (text, text))
        let url = try URLRequest("GET", Self.base(), query: query).url

        #expect(url?.absoluteString == "https://h/v1?\(expected)=\(expected)")
    }

    @Test(arguments: [
        ("get", "GET"), ("patch", "PATCH"), ("Delete", "DELETE"), ("PURGE", "PURGE"),
        ("purge", "purge"), ("M-SEARCH", "M-SEARCH"), ("TRACK", "TRACK"), ("QUERY", "QUERY"),
        ("STOP", "STOP"), ("x", "x"),
    ])
    func writesKnownMethodsInCapitals(_ method: String, _ expected: String) throws {
        #expect(try URLRequest(method, Self.base()).httpMethod == expected)
    }
}
