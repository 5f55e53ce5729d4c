import Foundation
import TestSupport

@testable import APIKitLiteTesting

/// Bytes that are not a request, and a part of the refusal.
struct MalformedRequest: Sendable {
    var name: String
    var text: String
    var reason: String

    init(_ name: String, _ text: String, _ reason: String) {
        self.name = name
        self.text = text
        self.reason = reason
    }

    static let all = requestLines + fields + hosts + lengths + codings + sizes + bodies

    private static let requestLines = [
        Self("no target", "GET HTTP/1.1\r\nHost: h\r\n\r\n", "\"method path HTTP/1.1\""),
        Self("space in the path", "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n", "GET /a b HTTP/1.1 is"),
        Self("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\"method path HTTP/1.1\""),
        Self("HTTP/2.0", line("GET / HTTP/2.0"), "\"method path HTTP/1.1\""),
        Self("HTTP/1.10", line("GET / HTTP/1.10"), "\"method path HTTP/1.1\""),
        Self("HTTP/1", line("GET / HTTP/1"), "\"method path HTTP/1.1\""),
        Self("HTTP/1.x", line("GET / HTTP/1.x"), "\"method path HTTP/1.1\""),
        Self("version in lower case", line("GET / http/1.1"), "\"method path HTTP/1.1\""),
        Self("no version", line("GET /"), "\"method path HTTP/1.1\""),
        Self("two spaces", line("GET  / HTTP/1.1"), "\"method path HTTP/1.1\""),
        Self("tabs", line("GET\t/\tHTTP/1.1"), "\"method path HTTP/1.1\""),
        Self("space at the end", line("GET / HTTP/1.1 "), "\"method path HTTP/1.1\""),
        Self("asterisk of a GET", line("GET * HTTP/1.1"), "make no URL"),
        Self("CONNECT", line("CONNECT h:443 HTTP/1.1"), "\"method path HTTP/1.1\""),
        Self("other scheme", line("GET ftp://h/a HTTP/1.1"), "make no URL"),
        Self("URL without a host", line("GET http:///a HTTP/1.1"), "make no URL"),
        Self("URL without slashes", line("GET http:a HTTP/1.1"), "\"method path HTTP/1.1\""),
        Self("URL with a user", line("GET http://u@h/a HTTP/1.1"), "make no URL"),
        Self(
            "URL with a wrong port", line("GET http://h:x/a HTTP/1.1"), "make no URL"),
        Self("fragment", line("GET /a#b HTTP/1.1"), "make no URL"),
        Self("fragment and accent", line("GET /a#\u{301} HTTP/1.1"), "make no URL"),
        Self("NUL in the path", line("GET /a\0 HTTP/1.1"), "a control character"),
        Self("CR in the path", line("GET /a\rb HTTP/1.1"), "a control character"),
        Self("no path", "GET a HTTP/1.1\r\nHost: h\r\n\r\n", "\"method path HTTP/1.1\""),
        Self("method is no token", "G(T / HTTP/1.1\r\nHost: h\r\n\r\n", "G(T / HTTP/1.1 is not"),
        Self("TLS", "\u{16}\u{3}\u{1}\u{2}\u{0}", "the scheme here is http"),
        Self("endless target", "GET /\(String(repeating: "a", count: 70_000))", "64 KiB"),
    ]

    private static let fields = [
        Self("no Host", "GET / HTTP/1.1\r\n\r\n", "the Host field make no URL"),
        Self("empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", "the Host field make no URL"),
        Self("two Hosts", "GET / HTTP/1.1\r\nHost: h\r\nhost: h\r\n\r\n", "make no URL"),
        Self("a second Host", "GET / HTTP/1.1\r\nHost:\r\nHost: h\r\n\r\n", "make no URL"),
        Self("a URL and no Host", "GET http://h/ HTTP/1.1\r\n\r\n", "make no URL"),
        Self("a URL and two Hosts", line("GET http://h/ HTTP/1.1", "h\r\nHost: h"), "make no URL"),
        Self("a URL and a wrong Host", line("GET http://h/ HTTP/1.1", "a/b"), "make no URL"),
        Self("HTTP/1.0 and two Hosts", line("GET / HTTP/1.0", "h\r\nHost: h"), "make no URL"),
        Self("folded field", get("X: a\r\n b"), "b is not \"name: value\""),
        Self("folded first field", "GET / HTTP/1.1\r\n Host: h\r\n\r\n", "is not \"name: value\""),
        Self("space before the colon", get("X : a"), "X : a is not"),
        Self("tab before the colon", get("X\t: a"), "is not \"name: value\""),
        Self("NUL in a value", get("X: a\0b"), "a control character"),
        Self("CR in a value", get("X: a\rb"), "a control character"),
        Self("CR at the end of a value", get("X: a\r"), "a control character"),
        Self("CR in a name", get("X\r: a"), "a control character"),
        Self("DEL in a value", get("X: a\u{7F}"), "a control character"),
        Self("form feed in a length", get("Content-Length: \u{C}5"), "a control character"),
        Self("no colon", get("X"), "X is not \"name: value\""),
        Self("name is no token", get("X(: a"), "X(: a is not"),
        Self(
            "endless field", "GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 70_000),
            "64 KiB"),
        Self(
            "endless fields",
            "GET / HTTP/1.1\r\n"
                + String(repeating: "X: \(String(repeating: "a", count: 997))\r\n", count: 263),
            "256 KiB"),
    ]

    /// Values of `Host` that would move the path, or that no client sends.
    private static let hosts = [
        "evil/b?c", "evil?c", "evil#", "u@h", "u:p@h", "a b", "h, h", "h\\a", "h:x", "h:80:80",
        "[::1", "[::1]a", "[::1]:x", "::1", ":80", "h|", "h`", "h^", "\"h\"", "<h>", "{h}",
        "é",
    ].map { Self("Host \($0)", line("GET /a HTTP/1.1", $0), "the Host field make no URL") }

    /// Two servers may read each of these as another number.
    private static let lengths = [
        "", "+5", "-0", "5, 5", "5,5", "5,", ",5", "5 5", "0x5", "5.0", "５", "5;",
        "5\r\nContent-Length: 5",
        "\r\nContent-Length: 5", "5\r\nContent-Length:", "5\r\nTransfer-Encoding:",
    ].map { Self("length \($0)", get("Content-Length: \($0)") + "hello", "the end of the body") }

    private static let codings = [
        "", "identity", "gzip", "gzip, chunked", "chunked, chunked", "chunked, gzip", "chunked;q=1",
        "xchunked", "\"chunked\"", "chunked\r\nTransfer-Encoding: chunked",
        "\r\nTransfer-Encoding: chunked", "chunked\r\nContent-Length: 5",
        "chunked\r\nContent-Length:",
    ].map {
        Self("coding \($0)", get("Transfer-Encoding: \($0)") + "0\r\n\r\n", "the end of the body")
    }

    private static let sizes = ["", "+1", "-0", "0x1", " 1", "1 1", "1 a", "1,a", "g", "１"]
        .map {
            Self("chunk \($0)", chunked("\($0)\r\na\r\n0\r\n\r\n"), "is not the size of a chunk")
        }

    private static let bodies = [
        Self(
            "chunks in HTTP/1.0", line("POST / HTTP/1.0", "h\r\nTransfer-Encoding: chunked"),
            "the end of the body"),
        Self("LF after a size", chunked("1\na\r\n0\r\n\r\n"), "LF where CR LF"),
        Self("LF after an extension", chunked("1;a\na\r\n0\r\n\r\n"), "LF where CR LF"),
        Self("LF after a chunk", chunked("1\r\na\n0\r\n\r\n"), "LF where CR LF"),
        Self("CR in an extension", chunked("1;\ra\r\na\r\n0\r\n\r\n"), "a control character"),
        Self("negative length", get("Content-Length: -1"), "the end of the body is unknown"),
        Self("length in words", get("Content-Length: five"), "the end of the body is unknown"),
        Self("length beyond counting", get("Content-Length: 99999999999999999999"), "the end of"),
        Self("two lengths", get("Content-Length: 5\r\nContent-Length: 6"), "the end of the body"),
        Self(
            "length and chunked", get("Content-Length: 5\r\nTransfer-Encoding: chunked"),
            "the end of the body"),
        Self("unknown coding", get("Transfer-Encoding: gzip, chunked"), "the end of the body"),
        Self("size is no number", chunked("x\r\n"), "x is not the size of a chunk"),
        Self("negative size", chunked("-1\r\n"), "-1 is not the size of a chunk"),
        Self("size beyond counting", chunked("FFFFFFFFFFFFFFFFF\r\n"), "the size of a chunk"),
        Self("long chunk", chunked("1\r\nab\r\n0\r\n\r\n"), "longer than its size"),
        Self("bad trailer", chunked("0\r\nX\r\n\r\n"), "X is not \"name: value\""),
    ]

    private static func line(_ line: String, _ host: String = "h") -> String {
        "\(line)\r\nHost: \(host)\r\n\r\n"
    }

    private static func get(_ fields: String) -> String {
        "GET / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n\r\n"
    }

    private static func chunked(_ body: String) -> String {
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\(body)"
    }
}

/// Several requests on one connection, in each form that the reader reads.
let conversation =
    "GET / HTTP/1.1\r\nHost: h\r\nCookie: a=1\r\ncookie: b=2\r\n\r\n\r\n"
    + "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\nhello\r\nyou!"
    + "PUT /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n"
    + "3;x=y\r\nabc\r\n0B ; x=\"y\"\r\n0123456789\r\r\n"
    + "5\r\n\nabcd\r\n00\r\nX-Sum: 5\r\n\r\n"
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
    var body = ""

    init(_ text: String, _ url: String, keepsAlive: Bool = true, body: String = "") {
        (self.text, self.url, self.keepsAlive, self.body) = (text, url, keepsAlive, body)
    }

    static let all = targets + hosts + old + framings + clients

    private static let targets = [
        Self(get("http://api.example.com/a?b"), "http://api.example.com/a?b"),
        Self(get("http://api.example.com:81/a"), "http://api.example.com:81/a"),
        Self(get("HTTP://API.example.com/a"), "HTTP://API.example.com/a"),
        Self(get("https://api.example.com/a"), "https://api.example.com/a"),
        Self(get("http://api.example.com"), "http://api.example.com"),
        Self(get("http://api.example.com?a/b"), "http://api.example.com?a/b"),
        Self(get("http://[::1]:81/a"), "http://[::1]:81/a"),
        Self(get("http://api.example.com/http://h/"), "http://api.example.com/http://h/"),
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
        Self("GET /a HTTP/1.0\r\n\r\n", "http://127.0.0.1/a", keepsAlive: false),
        Self("GET /a HTTP/1.0\r\nHost: h\r\n\r\n", "http://h/a", keepsAlive: false),
        Self("GET http://g/a HTTP/1.0\r\n\r\n", "http://g/a", keepsAlive: false),
        Self(
            "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "http://127.0.0.1/a",
            keepsAlive: false),
        Self(
            "POST /a HTTP/1.0\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nhi",
            "http://127.0.0.1/a", keepsAlive: false, body: "hi"),
        // A server reads a later minor version as its own one (RFC 9110, section 2.5).
        Self("GET /a HTTP/1.2\r\nHost: h\r\n\r\n", "http://h/a"),
    ]

    private static let framings = [
        Self(get("/a", "Content-Length: 002") + "hi", "http://h/a", body: "hi"),
        Self(get("/a", "Content-Length: 0"), "http://h/a"),
        Self(get("/a", "Connection: Upgrade, Close"), "http://h/a", keepsAlive: false),
        Self(get("/a", "Expect: something"), "http://h/a"),
        Self(
            get("/a", "Transfer-Encoding: CHUNKED")
                + "00a;x;y=\"z;\"\r\n0123456789\r\n0\r\nX: y\r\n\r\n",
            "http://h/a", body: "0123456789"),
        Self(
            get("/a", "Transfer-Encoding: chunked") + "2  \r\nhi\r\n2\t;x\r\nho\r\n000\r\n\r\n",
            "http://h/a", body: "hiho"),
        Self("\r\n\r\n" + get("/a"), "http://h/a"),
    ]

    /// As curl, Python, nginx and a browser write them.
    private static let clients = [
        Self(
            get(
                "/a",
                "User-Agent: curl/8.5.0\r\nAccept: */*\r\nConnection: Upgrade, HTTP2-Settings\r\n"
                    + "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA"), "http://h/a"),
        Self(
            "POST /a HTTP/1.1\r\nHost: localhost:81\r\nAccept-Encoding: identity\r\n"
                + "Content-Length: 2\r\nContent-type: text/plain\r\n\r\nhi",
            "http://localhost:81/a", body: "hi"),
        Self(
            "GET /a HTTP/1.0\r\nHost: backend\r\nX-Forwarded-For: ::1\r\nConnection: close\r\n\r\n",
            "http://backend/a", keepsAlive: false),
        Self(
            get(
                "/a?q=%C3%A9",
                "Connection: keep-alive\r\nsec-ch-ua: \"Chromium\";v=\"126\", \"a(b\";v=\"8\"\r\n"
                    + "Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.8\r\nSec-Fetch-Mode: navigate\r\n"
                    + "Cookie: a=\"b, c\"; d=é"), "http://h/a?q=%C3%A9"),
    ]

    private static func get(_ target: String, _ fields: String = "X: y") -> String {
        "GET \(target) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n\r\n"
    }
}
