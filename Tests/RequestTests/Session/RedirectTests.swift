import TestSupport

@testable import APIKitLite

@Suite(.limited) struct RedirectTests {
    private func request(_ method: String, headers: [String: String] = [:]) -> URLRequest {
        .plain(
            "https://a.example/v1/old?q=1#part", method: method, headers: headers,
            body: method == "GET" ? nil : Data("body".utf8))
    }

    private func response(_ status: Int, _ location: String?) -> HTTPURLResponse {
        HTTPURLResponse(
            url: URL(string: "https://a.example/v1/old")!, statusCode: status,
            httpVersion: nil, headerFields: location.map { ["Location": $0] })!
    }

    @Test(arguments: [
        ("/new", "https://a.example/new#part"), ("new", "https://a.example/v1/new#part"),
        ("?q=2", "https://a.example/v1/old?q=2#part"),
        ("//b.example/new", "https://b.example/new#part"),
        ("/s?f[a]=x%20y", "https://a.example/s?f%5Ba%5D=x%20y#part"),
        ("/é b%2Fc", "https://a.example/%C3%A9%20b%2Fc#part"),
        ("https://[::1]:81/a|b", "https://[::1]:81/a%7Cb#part"),
        ("new//a|b%20c", "https://a.example/v1/new//a%7Cb%20c#part"),
        ("/new#a#b%20", "https://a.example/new#a%23b%20"),
        ("http://b.example:81/new#other", "http://b.example:81/new#other"),
        ("HTTP://b.example/new", "http://b.example/new#part"),
    ])
    func resolvesTheLocation(_ location: String, _ expected: String) {
        let next = redirectedRequest(after: response(302, location), from: request("GET"))

        #expect(next?.url?.absoluteString == expected)
    }

    @Test(
        arguments: [
            (200, "/new"), (300, "/new"), (304, "/new"), (305, "/new"), (302, nil),
            (302, "ftp://a.example/new"), (302, "mailto:a@b.example"), (302, "javascript:alert(1)"),
            (302, "http://"),
        ] as [(Int, String?)])
    func followsNoOtherResponse(_ status: Int, _ location: String?) {
        #expect(redirectedRequest(after: response(status, location), from: request("GET")) == nil)
    }

    @Test func choosesTheMethod() {
        let rows: [(Int, String, String)] = [
            (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (303, "PUT", "GET"),
            (303, "HEAD", "HEAD"), (301, "HEAD", "HEAD"), (301, "PUT", "PUT"),
            (302, "DELETE", "DELETE"), (307, "POST", "POST"), (308, "PATCH", "PATCH"),
            (302, "GET", "GET"),
        ]
        for (status, method, expected) in rows {
            let first = request(method, headers: ["Content-Type": "text/plain", "Accept": "a/b"])

            let next = redirectedRequest(after: response(status, "/new"), from: first)

            let keepsBody = method == expected
            #expect(next?.httpMethod == expected, "\(status), \(method)")
            #expect(next?.httpBody == (keepsBody ? first.httpBody : nil), "\(status), \(method)")
            let fields = keepsBody ? first.allHTTPHeaderFields : ["Accept": "a/b"]
            #expect(next?.allHTTPHeaderFields == fields, "\(status), \(method)")
        }
    }

    @Test(arguments: [
        ("https://a.example/new", true), ("https://A.EXAMPLE:443/new", true),
        ("https://b.example/new", false), ("http://a.example/new", false),
        ("https://a.example:8443/new", false), ("https://sub.a.example/new", false),
    ])
    func sendsCredentialsOnlyToTheSameOrigin(_ location: String, _ isSame: Bool) throws {
        let secret = [
            "Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "X-Unknown",
            // Each name begins like a name that may be sent.
            "Accept-Token", "Acceptance", "Content-Token", "Content-Signature", "If-Secret",
            "Range-Key", "User-Agent-Token",
        ]
        let open = [
            "Accept", "Accept-Language", "Content-Type", "User-Agent", "Range", "If-None-Match",
        ]
        let first = request(
            "PUT", headers: Dictionary(uniqueKeysWithValues: (secret + open).map { ($0, "v") }))

        let next = try #require(redirectedRequest(after: response(307, location), from: first))

        for name in secret { #expect((next.value(forHTTPHeaderField: name) != nil) == isSame) }
        for name in open { #expect(next.value(forHTTPHeaderField: name) == "v") }
    }

    /// A body stream and the coding of its transfer belong to the body that is not sent.
    @Test(arguments: [(303, false), (307, true)])
    func dropsAStreamWithItsMethod(_ status: Int, _ isKept: Bool) {
        var first = request("POST", headers: ["Transfer-Encoding": "chunked"])
        first.httpBodyStream = InputStream(data: Data())

        let next = redirectedRequest(after: response(status, "/new"), from: first)

        #expect((next?.httpBodyStream != nil) == isKept)
        #expect((next?.value(forHTTPHeaderField: "Transfer-Encoding") != nil) == isKept)
    }

    @Test(arguments: [
        ("https://user@a.example/b?c", "https://a.example"),
        ("http://[::1]:81/a", "http://[::1]:81"),
        ("https://[2001:db8::1]", "https://[2001:db8::1]"),
    ])
    func namesAnOrigin(_ url: String, _ expected: String) {
        #expect(URL(string: url)?.originText == expected)
    }

    @Test func neverSendsTheOldHost() {
        let first = request("GET", headers: ["Host": "a.example"])

        let next = redirectedRequest(after: response(302, "/new"), from: first)
        #expect(next?.value(forHTTPHeaderField: "Host") == nil)
    }
}
