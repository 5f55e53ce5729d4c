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

    static let all = requestLines + fields + bodies

    private static let requestLines = [
        Self("no target", "GET HTTP/1.1\r\nHost: h\r\n\r\n", "\"method path HTTP/1.1\""),
        Self("space in the path", "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n", "GET /a b HTTP/1.1 is"),
        Self("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\"method path HTTP/1.1\""),
        Self("HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", "\"method path HTTP/1.1\""),
        Self("no path", "GET a HTTP/1.1\r\nHost: h\r\n\r\n", "\"method path HTTP/1.1\""),
        Self("method is no token", "G(T / HTTP/1.1\r\nHost: h\r\n\r\n", "G(T / HTTP/1.1 is not"),
        Self("TLS", "\u{16}\u{3}\u{1}\u{2}\u{0}", "the scheme here is http"),
        Self("endless target", "GET /\(String(repeating: "a", count: 70_000))", "64 KiB"),
    ]

    private static let fields = [
        Self("no Host", "GET / HTTP/1.1\r\n\r\n", "the Host field make no URL"),
        Self("empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", "the Host field make no URL"),
        Self("two Hosts", "GET / HTTP/1.1\r\nHost: h\r\nhost: h\r\n\r\n", "make no URL"),
        Self("folded field", get("X: a\r\n b"), "b is not \"name: value\""),
        Self("space before the colon", get("X : a"), "X : a is not"),
        Self("no colon", get("X"), "X is not \"name: value\""),
        Self("name is no token", get("X(: a"), "X(: a is not"),
        Self(
            "endless field", "GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 70_000),
            "64 KiB"),
    ]

    private static let bodies = [
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
