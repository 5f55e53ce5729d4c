import TestSupport

/// What may differ between two ways of one request.
enum Aspect: Hashable, Sendable {
    /// The status, or the code of the error.
    case outcome
    /// Whether the network has recorded the request, and which ones followed it.
    case arrival
    case method, url, body
    /// A header, by its name in lower case.
    case header(String)
}

/// A request that an app may make.
struct RequestShape: Sendable {
    enum Body: Sendable {
        case none
        case data(String)
        /// A stream, whose length no session knows.
        case stream(String)
        /// A file of ``URLRequest/fileBody(_:contentType:)``.
        case file
    }

    var method: String
    /// The path and the query, or a URL with `{port}` in it.
    var target: String
    var body: Body
    var fields: KeyValuePairs<String, String>
    /// What a mock shows in another way than a server receives it, or responds to although no
    /// server does.
    var mocks: Set<Aspect>
    /// What curl sends in another way than a session, given the command of the request.
    var curl: Set<Aspect>

    init(
        _ method: String, _ target: String = "/a", _ body: Body = .none,
        _ fields: KeyValuePairs<String, String> = [:], mocks: Set<Aspect> = [],
        curl: Set<Aspect> = []
    ) {
        (self.method, self.target, self.body, self.fields) = (method, target, body, fields)
        (self.mocks, self.curl) = (mocks, curl)
    }

    /// Whether the request has a body, which can be sent again, and may be processed twice.
    var isRepeatedAfterALoss: Bool {
        switch body {
        case .none, .stream: false
        case .data, .file: ["PUT", "DELETE", "QUERY"].contains(method)
        }
    }

    var name: String {
        "\(method.debugDescription) \(target.prefix(40)) \(body) "
            + fields.map { "\($0): \($1.prefix(40).debugDescription)" }.joined(separator: ", ")
    }

    /// Returns the request, with a new stream if its body is one.
    func request(port: Int) throws -> URLRequest {
        let text = target.replacingOccurrences(of: "{port}", with: "\(port)")
        let isURL = text.prefix { $0 != "/" }.contains(":")
        let base = isURL ? "" : "http://127.0.0.1:\(port)"
        var request = URLRequest(url: URL(string: base + text)!)
        request.httpMethod = method
        for (name, value) in fields { request.addValue(value, forHTTPHeaderField: name) }
        switch body {
        case .none: break
        case .data(let text): request.httpBody = Data(text.utf8)
        case .stream(let text): request.httpBodyStream = InputStream(data: Data(text.utf8))
        case .file: return try request.fileBody(URL(filePath: #filePath))
        }
        return request
    }
}

extension RequestShape {
    static let all = methods + bodies + headers + urls + refused

    /// One of each kind that decides about its response.
    static let kinds = [
        Self("GET"), Self("HEAD"), Self("POST"), Self("DELETE"), Self("OPTIONS"), Self("patch"),
        Self("POST", "/a", .data("a=b")), Self("POST", "/a", .stream("x")),
        Self("POST", "/a", .file), Self("PUT", "/a", .data("x")), Self("PATCH", "/a", .data("{}")),
        Self("QUERY", "/a?b", .data("x")),
    ]

    private static let methods = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY", "PROPFIND",
        "M-SEARCH", "get", "head", "post", "patch", "foo",
    ].map { Self($0) }

    // The command for a stream names its size.
    private static let unreadStream: Set<Aspect> = [
        .body, .header("content-length"), .header("transfer-encoding"),
    ]

    private static let bodies =
        [
            ("GET", ""), ("HEAD", ""), ("HEAD", "x"), ("head", "x"), ("POST", ""), ("POST", "a=b"),
            ("post", "a=b"), ("POST", "{}"), ("POST", "a\r\nb\n\n\t'é 🎈' $HOME `id` \\ @c"),
            ("POST", "@/etc/hostname"), ("PUT", ""), ("PUT", "x"), ("put", "x"), ("PATCH", "x"),
            ("patch", "x"), ("DELETE", "x"), ("DELETE", ""), ("OPTIONS", "x"), ("QUERY", "x"),
            ("foo", "x"), ("foo", ""),
        ].map { Self($0, "/a", .data($1)) }
        + [("POST", "x"), ("POST", ""), ("PUT", "x"), ("PUT", ""), ("patch", "x")].map {
            Self($0, "/a", .stream($1), curl: unreadStream)
        } + [
            Self("HEAD", "/a", .stream("x")), Self("HEAD", "/a", .stream("")),
            Self("HEAD", "/a", .data("x"), ["Content-Type": "text/plain"]),
            Self("POST", "/a", .data("{}"), ["Content-Type": "application/json"]),
            Self("POST", "/a", .data("{}"), ["Content-Type": ""]),
            Self("POST", "/a", .data("{}"), ["Content-Type": " "]), Self("POST", "/a", .file),
            Self("POST", "/a", .stream("x"), ["Content-Type": "text/plain"], curl: unreadStream),
            Self("PUT", "/a", .data("x"), ["Content-Type": "text/plain"]), Self("PUT", "/a", .file),
        ]

    private static let fields: [KeyValuePairs<String, String>] = [
        ["X-A": ""], ["X-A": " "], ["X-A": "\t "], ["X-A": " a  b\t"], ["X-A": "a\tb"],
        ["X-A": "é 🎈"], ["X-A": "\u{A0}"], ["X-A": "it's \"a\"; $HOME"], ["X-A": "a;"],
        ["X-A": ";"], ["X-A": "a", "x-a": "b"], ["x-lower-case": "a"],
        ["X-A": String(repeating: "a", count: 8_000)], ["Cookie": "a=1; b=2"], ["TE": "trailers"],
        ["Authorization": "Bearer a.b-c~d+e/f="], ["Range": "bytes=0-1"],
        ["If-None-Match": "\"1\""], ["Accept": "a/b"], ["Accept": ""], ["Accept": " "],
        ["Accept-Encoding": "identity"], ["Accept-Language": "de, en;q=0.5"],
        ["User-Agent": "a/1"], ["User-Agent": ""], ["Connection": "close"], ["Upgrade": "h2c"],
        ["Content-Type": "text/plain"], ["Date": "today"], ["Content-Length": "0"],
        ["Trailer": "X-Sum"],
    ]

    private static let headers =
        fields.map { Self("GET", "/a", .none, $0) } + [
            Self("POST", "/a", .data("x"), ["Content-Length": "1"]),
            Self("POST", "/a", .none, ["Content-Length": "0"]),
            Self("POST", "/a", .data("x"), ["Expect": "100-continue"]),
            Self("POST", "/a", .data("x"), ["Transfer-Encoding": "chunked"]),
            // A server takes the host of the URL from the header.
            Self("GET", "/a", .none, ["Host": "api.example.com"], mocks: [.url]),
        ]

    private static let urls =
        [
            "/", "/a?", "//a", "/a//b/", "/a%20b/%2F%41%00", "/a?x=%0D%0A&y=+%2B", "/%zz", "/é?é",
            "/a;b=c&d,e", "/[a]?b[]={c}|^`\\", "/a'b\"?'\"", "/~a!$*()", "/a?b?c/d:e@f", "/a:b@c",
            "/" + String(repeating: "a", count: 8_000),
            "/a?" + String(repeating: "b", count: 60_000), "http://LOCALHOST:{port}/a",
        ].map { Self("GET", $0) }
        // A mock shows the URL that the app wrote. A session sends no fragment, and no `..`.
        + ["/a#b", "/a?b#c", "/a/../b/./c", "/a/..", "", "?a"].map {
            Self("GET", $0, mocks: [.url])
        } + [
            Self("POST", "", .data("x"), mocks: [.url]),
            // A session sends the user and the password as a header.
            Self(
                "GET", "http://user:pass@127.0.0.1:{port}/a",
                mocks: [.url, .header("authorization")]),
        ]

    /// Requests that no server gets, or that it refuses.
    private static let refused = [
        Self("GET", "/a", .data("x"), curl: [.arrival]),
        Self("get", "/a", .data("x"), curl: [.arrival]),
        Self("GET", "/a", .stream("x"), curl: [.arrival]),
        Self("GET", "/a", .stream(""), curl: [.arrival]),
        Self("GET", "/a", .data("{}"), ["Content-Type": "application/json"], curl: [.arrival]),
        // A mock responds to a request to any URL. The first two are for Linux only.
        Self("GET", "HTTP://127.0.0.1:{port}/a", mocks: [.outcome, .arrival], curl: [.arrival]),
        Self("GET", "http://[::1]:{port}/a", mocks: [.outcome, .arrival]),
        Self("GET", "mock://127.0.0.1:{port}/a", mocks: [.outcome, .arrival]),
        Self("GET", "http:/a", mocks: [.outcome, .arrival]),
        // A server refuses what is not HTTP.
        Self("", "/a", mocks: [.outcome, .arrival]),
        Self("A B", "/a", mocks: [.outcome, .arrival]),
        Self("GET", "/a", .none, ["A B": "c"], mocks: [.outcome, .arrival]),
        Self("GET", "/a", .none, ["X-A": "a\u{1}b"], mocks: [.outcome, .arrival]),
    ]
}
