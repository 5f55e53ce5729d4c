import TestSupport

@testable import APIKitLiteTesting

/// Bytes that are not a request, and a part of the refusal.
struct MalformedRequest: Sendable {
    var text: String
    var reason: String

    var name: String { String(text.prefix(80)).debugDescription }

    static let all = [heads, bodies].joined().flatMap { reason, texts in
        texts.map { Self(text: $0, reason: reason) }
    }

    private static let heads: KeyValuePairs<String, [String]> = [
        "is not \"method path HTTP/1.1\"": [
            "GET HTTP/1.1", "PRI * HTTP/2.0", "GET / HTTP/2.0", "GET / HTTP/1.10", "GET / HTTP/1",
            "GET / HTTP/1.x", "GET / HTTP/1.²", "GET / http/1.1", "GET /", "GET  / HTTP/1.1",
            "GET\t/\tHTTP/1.1", "GET / HTTP/1.1 ", "CONNECT h:443 HTTP/1.1", "GET http:a HTTP/1.1",
            "GET a HTTP/1.1", "G(T / HTTP/1.1",
        ].map { line($0) },
        "GET /a b HTTP/1.1 is not": [line("GET /a b HTTP/1.1")],
        "make no URL": [
            "GET * HTTP/1.1", "GET ftp://h/a HTTP/1.1", "GET http:///a HTTP/1.1",
            "GET http://u@h/a HTTP/1.1", "GET http://h:x/a HTTP/1.1", "GET /a#b HTTP/1.1",
            "GET /a#\u{301} HTTP/1.1",
        ].map { line($0) } + [
            line("GET http://h/ HTTP/1.1", "h\r\nHost: h"), line("GET http://h/ HTTP/1.1", "a/b"),
            line("GET / HTTP/1.0", "h\r\nHost: h"), "GET http://h/ HTTP/1.1\r\n\r\n",
        ],
        // Values of `Host` that would move the path, or that no client sends.
        "the Host field make no URL": [
            "", "h\r\nhost: h", "\r\nHost: h", "evil/b?c", "evil?c", "evil#", "u@h", "u:p@h", "a b",
            "h, h", "h\\a", "h:x", "h:80:80", "[::1", "[::1]a", "[::1]:x", "::1", ":80", "h|", "h`",
            "h^", "\"h\"", "<h>", "{h}", "é",
        ].map { line("GET /a HTTP/1.1", $0) } + ["GET / HTTP/1.1\r\n\r\n"],
        "a control character": [line("GET /a\0 HTTP/1.1"), line("GET /a\rb HTTP/1.1")]
            + ["X: a\0b", "X: a\rb", "X: a\r", "X\r: a", "X: a\u{7F}", "Content-Length: \u{C}5"]
            .map(get),
        "is not \"name: value\"": ["X: a\r\n b", "X : a", "X\t: a", "X", "X(: a"].map(get)
            + ["GET / HTTP/1.1\r\n Host: h\r\n\r\n"],
        "X : a is not": [get("X : a")], "the scheme here is http": ["\u{16}\u{3}\u{1}\u{2}\0"],
        "64 KiB": ["GET /", "GET / HTTP/1.1\r\nX: "].map { $0 + long(70_000) },
        "256 KiB": ["GET / HTTP/1.1\r\n" + String(repeating: "X: \(long(997))\r\n", count: 263)],
    ]

    private static let bodies: KeyValuePairs<String, [String]> = [
        // Two servers may read each length as another number.
        "the end of the body": [
            "", "+5", "-0", "-1", "five", "5, 5", "5,5", "5,", ",5", "5 5", "0x5", "5.0", "５", "5;",
            "99999999999999999999", "5\r\nContent-Length: 5", "5\r\nContent-Length: 6",
            "\r\nContent-Length: 5", "5\r\nContent-Length:", "5\r\nTransfer-Encoding:",
            "5\r\nTransfer-Encoding: chunked",
        ].map { get("Content-Length: \($0)") + "hello" }
            + [
                "", "identity", "gzip", "gzip, chunked", "chunked, chunked", "chunked, gzip",
                "chunked;q=1", "xchunked", "\"chunked\"", "chunked\r\nTransfer-Encoding: chunked",
                "\r\nTransfer-Encoding: chunked", "chunked\r\nContent-Length: 5",
                "chunked\r\nContent-Length:",
            ].map { get("Transfer-Encoding: \($0)") + "0\r\n\r\n" }
            + [line("POST / HTTP/1.0", "h\r\nTransfer-Encoding: chunked")],
        "is not the size of a chunk": [
            "", "x", "-1", "+1", "-0", "0x1", " 1", "1 1", "1 a", "1,a", "g", "１",
            "FFFFFFFFFFFFFFFFF",
        ].map { chunked("\($0)\r\na\r\n0\r\n\r\n") },
        "LF where CR LF": ["1\na\r\n0\r\n\r\n", "1;a\na\r\n0\r\n\r\n", "1\r\na\n0\r\n\r\n"]
            .map(chunked),
        "a control character": [chunked("1;\ra\r\na\r\n0\r\n\r\n")],
        "longer than its size": [chunked("1\r\nab\r\n0\r\n\r\n")],
        "X is not \"name: value\"": [chunked("0\r\nX\r\n\r\n")],
    ]

    private static func line(_ line: String, _ host: String = "h") -> String {
        "\(line)\r\nHost: \(host)\r\n\r\n"
    }

    private static func get(_ fields: String) -> String { line("GET / HTTP/1.1", "h\r\n\(fields)") }

    private static func chunked(_ body: String) -> String {
        line("POST / HTTP/1.1", "h\r\nTransfer-Encoding: chunked") + body
    }

    private static func long(_ count: Int) -> String { String(repeating: "a", count: count) }
}

/// Several requests on one connection, in each form that the reader reads.
let conversation =
    "GET / HTTP/1.1\r\nHost: h\r\nCookie: a=1\r\ncookie: b=2\r\n\r\n\r\n"
    + "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\nhello\r\nyou!"
    + "PUT /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n"
    + "3;x=y\r\nabc\r\n0B ; x=\"y\"\r\n0123456789\r\r\n" + "5\r\n\nabcd\r\n00\r\nX-Sum: 5\r\n\r\n"
    + "GET /lf HTTP/1.1\nHost: h\n\n"
    + "DELETE /c HTTP/1.1\r\nHost: h\r\nAccept: a\r\naccept:b \r\nConnection: close\r\n\r\n"

extension HTTPRequestReader {
    /// A reader of a connection on which these pieces arrive, one after another.
    init(_ pieces: [Data]) {
        var rest = pieces.filter { !$0.isEmpty }[...]
        self.init { rest.popFirst().map { [UInt8]($0) } ?? [] }
    }

    /// Reads requests up to the end or to an error.
    mutating func all() -> (requests: [Request], error: HTTPRequestError?) {
        var requests: [Request] = []
        do throws(HTTPRequestError) {
            while let request = try next() { requests.append(request) }
            return (requests, nil)
        } catch {
            return (requests, error)
        }
    }
}

/// A request in a form that clients send, and what the reader makes of it.
struct ReadableRequest: Sendable {
    var text: String
    var url: String
    var keepsAlive: Bool
    var body: String

    init(_ text: String, _ url: String = "http://h/a", keepsAlive: Bool = true, body: String = "") {
        (self.text, self.url, self.keepsAlive, self.body) = (text, url, keepsAlive, body)
    }

    static let all = targets + hosts + old + framings

    private static let targets =
        [
            "http://api.example.com/a?b", "http://api.example.com:81/a", "HTTP://API.example.com/a",
            "https://api.example.com/a", "http://api.example.com", "http://api.example.com?a/b",
            "http://[::1]:81/a", "http://api.example.com/http://h/",
        ].map { Self(get($0), $0) } + [
            // The field may be empty where the target names the host.
            Self("GET http://g/a HTTP/1.1\r\nHost:\r\n\r\n", "http://g/a"),
            Self("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", "http://h"),
            Self("OPTIONS http://g/ HTTP/1.1\r\nHost: h\r\n\r\n", "http://g/"),
            Self(get("*").replacingOccurrences(of: "GET *", with: "GET /*"), "http://h/*"),
        ]

    private static let hosts = [
        "h", "h:81", "127.0.0.1:81", "[::1]", "[2001:db8::1]:81", "a_b.c-d.example.com", "h%41",
    ].map { Self("GET /a HTTP/1.1\r\nHost: \t\($0) \r\n\r\n", "http://\($0)/a") }

    private static let old = [
        Self("GET /a HTTP/1.0\r\n\r\n", local, keepsAlive: false),
        Self("GET /a HTTP/1.0\r\nHost: h\r\n\r\n", keepsAlive: false),
        Self("GET http://g/a HTTP/1.0\r\n\r\n", "http://g/a", keepsAlive: false),
        Self("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", local, keepsAlive: false),
        Self(
            "POST /a HTTP/1.0\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nhi", local,
            keepsAlive: false, body: "hi"),
        // A server reads a later minor version as its own one (RFC 9110, section 2.5).
        Self("GET /a HTTP/1.2\r\nHost: h\r\n\r\n"),
    ]
    private static let local = "http://127.0.0.1/a"

    private static let framings = [
        Self(get("/a", "Content-Length: 002") + "hi", body: "hi"),
        Self(get("/a", "Content-Length: 0")), Self(get("/a", "Connection: not-close, closed")),
        Self(get("/a", "Connection: Upgrade, Close"), keepsAlive: false),
        Self(get("/a", "Expect: something")), Self("\r\n\r\n" + get("/a")),
        Self(
            get("/a", "Transfer-Encoding: CHUNKED")
                + "00a;x;y=\"z;\"\r\n0123456789\r\n0\r\nX: y\r\n\r\n", body: "0123456789"),
        Self(
            get("/a", "Transfer-Encoding: chunked") + "2  \r\nhi\r\n2\t;x\r\nho\r\n000\r\n\r\n",
            body: "hiho"),
    ]

    private static func get(_ target: String, _ fields: String = "X: y") -> String {
        "GET \(target) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n\r\n"
    }
}
