import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

@Suite(.limited) struct ParsedRequestTests {
    @Test(arguments: [
        ("GET", "/a/b?c=d&e", "http://host:81/a/b?c=d&e"), ("GET", "//a", "http://host:81//a"),
        ("GET", "/%2F%20", "http://host:81/%2F%20"),
        ("GET", "/?http://x", "http://host:81/?http://x"),
        ("GET", "/x?filter[name]=San%20Jose", "http://host:81/x?filter%5Bname%5D=San%20Jose"),
        ("GET", "/a%20b|c%zz", "http://host:81/a%20b%7Cc%25zz"),
        ("GET", "http://[::1]:82/a[b]%20", "http://[::1]:82/a%5Bb%5D%20"),
        ("GET", "http://other:82/x?y", "http://other:82/x?y"), ("OPTIONS", "*", "http://host:81"),
    ])
    func hasTheURLThatTheClientTyped(_ method: String, _ target: String, _ url: String) throws {
        var parsed = ParsedRequest(method: method, target: target)
        parsed.fields = [.init(name: "host", value: "host:81")]

        #expect(try parsed.urlRequest().url?.absoluteString == url)
    }

    @Test(arguments: ["[::1]:80", "h", "localhost:80"])
    func takesAHost(_ host: String) throws {
        var parsed = ParsedRequest(method: "GET", target: "/")
        parsed.fields = [.init(name: "Host", value: host)]

        let url = try parsed.urlRequest().url
        #expect(url?.absoluteString == "http://\(host)/")
    }

    @Test(arguments: ["", "a/b", "a@b", "a?b", "a#b", "a b", "a\\b", "é", "a:b", "[::1"])
    func refusesAnInvalidHost(_ host: String) {
        var parsed = ParsedRequest(method: "GET", target: "/")
        parsed.fields = [.init(name: "Host", value: host)]

        #expect(throws: HTTPRequestError.self) { try parsed.urlRequest() }
    }

    @Test(arguments: ["a", "*", "host:80", "ftp://h/", "http://", "http:///a", "http:a"])
    func refusesAnInvalidTarget(_ target: String) {
        let host = ParsedRequest.Field(name: "Host", value: "h")
        let parsed = ParsedRequest(method: "GET", target: target, fields: [host])

        #expect(throws: HTTPRequestError.self) { try parsed.urlRequest() }
    }

    @Test func joinsRepeatedFields() throws {
        var parsed = ParsedRequest(method: "GET", target: "/")
        parsed.fields = [
            ("Host", "h"), ("Accept", "a"), ("accept", "b"), ("Cookie", "c=1"), ("cookie", "d=2"),
        ].map { .init(name: $0.0, value: $0.1) }

        let fields = try parsed.urlRequest().allHTTPHeaderFields
        #expect(fields == ["Host": "h", "Accept": "a, b", "Cookie": "c=1; d=2"])
    }

    @Test(arguments: [([0x63, 0xC3, 0xA9], "cé"), ([0x63, 0xE9], "cé")] as [([UInt8], String)])
    func readsValuesInUTF8AndLatin1(_ bytes: [UInt8], _ value: String) throws {
        let line = Array("X:".utf8) + bytes

        #expect(try ParsedRequest.Field(line: line[...]).value == value)
    }
}
