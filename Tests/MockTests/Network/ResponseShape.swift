import TestSupport

/// A response that a stub may give.
struct ResponseShape: Sendable {
    var name: String
    /// Makes a network give it.
    var add: @Sendable (MockNetwork) -> Void
    /// What a client gets from a mock in another way than over a socket.
    var mocks: Set<Aspect>
    /// What else differs under a mocked `URLSession`.
    var urlProtocol: Set<Aspect> = []
    /// Whether a session on Linux sends a request with a body a second time after it, if the request
    /// may be processed twice. A mock sends none.
    var isLoss = false

    init(
        _ name: String, _ response: MockResponse, mocks: Set<Aspect> = [],
        urlProtocol: Set<Aspect> = [], isLoss: Bool = false
    ) {
        self.init(name, mocks: mocks) { $0.stub(.any, response, times: .any) }
        (self.urlProtocol, self.isLoss) = (urlProtocol, isLoss)
    }

    init(
        _ name: String, mocks: Set<Aspect> = [],
        _ add: @escaping @Sendable (MockNetwork) -> Void
    ) {
        (self.name, self.add, self.mocks) = (name, add, mocks)
    }
}

extension ResponseShape {
    /// One of each kind whose delivery depends on the request.
    static let kinds =
        [
            Self("200", .text("x")), Self("204", .status(204)), Self("304", .status(304)),
            Self("404", .json("{}", status: 404)), Self("pieces", .chunks(["a", "b"])),
            Self("a lost connection", .error(.networkConnectionLost), isLoss: true),
            Self("a lost connection in the body", .text("abc").failing(afterBytes: 1)),
            Self("a cookie", .text("x").header("Set-Cookie", "a=1; Path=/")),
        ] + [301, 302, 303, 307, 308].map { Self("\($0)", .redirect(to: "/b", status: $0)) }

    /// The others, which a plain request gets.
    static let others = statuses + redirects + headers + bodies + failures

    private static let statuses =
        [200, 201, 202, 203, 204, 206, 207, 226, 299, 304, 400, 401, 403, 404, 405, 407, 410, 412]
        .map { Self("\($0)", .status($0)) }
        + [416, 418, 429, 500, 501, 502, 503, 504, 511, 599].map { Self("\($0)", .status($0)) } + [
            Self("204 with a body", .text("x", status: 204)),
            Self("205 with a body", .text("x", status: 205)),
            Self("304 with a body", .text("x", status: 304)),
            Self(
                "304 with a length",
                .status(304, headers: ["ETag": "\"1\"", "Content-Length": "9"])),
            Self("500 with a body", .text("x", status: 500)),
            // A 1xx is not a response, so a client over a socket goes on waiting for one.
            Self("103", .status(103), mocks: [.outcome]),
            Self("100 with a body", .text("x", status: 100), mocks: [.outcome]),
            // The server adds the length to the response of a closure.
            Self("999", mocks: [.header("content-length")]) {
                $0.requestHandler = { (response(999, to: $0), Data("x".utf8)) }
            },
        ]

    private static let redirects =
        [300, 304, 305, 306].map {
            Self("\($0) to a path", .redirect(to: "/b", status: $0))
        } + [
            Self("201 with a location", .status(201, headers: ["Location": "/b"])),
            Self("302 with a body", .text("x", status: 302, headers: ["Location": "/b"])),
            Self("302 without a location", .status(302)),
            Self("302 to a query", .redirect(to: "/b?c=%20")),
            // A session sends no fragment.
            Self("302 to a fragment", .redirect(to: "/b#d"), mocks: [.arrival]),
            Self("302 to nothing", .redirect(to: "")),
            Self("302 to a mail", .redirect(to: "mailto:a@example.com")),
            Self("302 without end", .redirect(to: "/a")),
            Self("302 with a cookie", .redirect(to: "/b").header("Set-Cookie", "a=1; Path=/")),
        ]

    private static let headers = [
        Self("an empty header", .text("x").header("X-A", "")),
        Self("a header in lower case", .text("x").header("x-a", "b").header("etag", "\"1\"")),
        Self("two values", .text("x").addingHeader("X-A", "a").addingHeader("X-A", "b")),
        Self("a header in UTF-8", .text("x").header("X-A", "é 🎈")),
        Self("a long header", .text("x").header("X-A", String(repeating: "a", count: 8_000))),
        Self("spaces around a value", .text("x").header("X-A", "  a b ")),
        Self("quotes", .text("x").header("Content-Disposition", #"attachment; filename="a, b""#)),
        Self(
            "two cookies",
            .text("x").header("Set-Cookie", "a=1; Path=/").header("Set-Cookie", "b=2; Path=/c")),
        Self("a cookie that ends", .text("x").header("Set-Cookie", "a=1; Path=/; Max-Age=0")),
        Self("a date", .text("x").header("Date", "Sun, 06 Nov 1994 08:49:37 GMT")),
        Self("a closed connection", .text("x").header("Connection", "close")),
        Self("a range", .text("x", status: 206).header("Content-Range", "bytes 0-0/9")),
        Self(
            "a bearer challenge", .status(401, headers: ["WWW-Authenticate": "Bearer realm=\"a\""])),
        // Foundation on Linux waits forever for a credential: the space hides the challenge from it. A
        // real response loses its body instead.
        Self(
            "a basic challenge",
            .text("x", status: 401).header("WWW-Authenticate", "Basic realm=\"a\""), mocks: [.body],
            urlProtocol: [.header("www-authenticate")]),
        Self("retry", .status(503, headers: ["Retry-After": "1"])),
    ]

    private static let bodies = [
        Self("text", .text("é 🎈")), Self("no text", .text("")), Self("JSON", .json("[1]")),
        Self("bytes", .data(Data([0, 255]))), Self("a megabyte", .data(Data(count: 1 << 20))),
        Self("no type", .data(Data("x".utf8), contentType: "")),
        Self("one piece", .chunks(["abc"])), Self("pieces", .chunks(["a", "bc"])),
        Self("pieces of one byte", .text("abcdef").chunked(by: 1)),
        Self("a stream", .stream(contentType: "text/plain") { try await $0.send("abc") }),
        Self("an empty stream", .stream(contentType: "text/plain") { _ in }),
        Self("not encoded", .text("x").header("Content-Encoding", "identity")),
        // A mock decodes nothing.
        Self("gzip", .data(gzip).header("Content-Encoding", "gzip"), mocks: [.body]),
        Self("gzip without its header", .data(gzip, contentType: "application/gzip")),
        Self("text as gzip", .text("x").header("Content-Encoding", "gzip"), mocks: [.body]),
    ]

    private static let failures = [
        Self("a lost connection after the body", .text("abc").failing(afterBytes: 3)),
        Self("a lost connection in a piece", .text("abc").chunked(by: 1).failing(afterBytes: 2)),
        // Over a socket, each error is a lost connection.
        Self("a timeout", .error(.timedOut), mocks: [.outcome]),
        Self("no host", .error(.cannotFindHost), mocks: [.outcome]),
    ]

    /// The text "x", compressed.
    private static let gzip = Data(base64Encoded: "H4sIAAAAAAACA6sAAIMW3IwBAAAA")!
}

private func response(_ status: Int, to request: URLRequest) -> URLResponse {
    HTTPURLResponse(url: request.url!, statusCode: status, httpVersion: nil, headerFields: nil)!
}
