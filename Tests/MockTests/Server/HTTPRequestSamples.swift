import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

/// Bytes that are not a valid HTTP request, and the status of the refusal.
struct MalformedRequest: Sendable, CustomTestStringConvertible {
    var name: String
    var text: String
    var status: Int
    var testDescription: String { name }

    init(_ name: String, _ text: String, _ status: Int = 400) {
        self.name = name
        self.text = text
        self.status = status
    }
}

extension MalformedRequest {
    static let all = requestLines + fields + bodies

    private static let requestLines = [
        Self("no target", "GET HTTP/1.1\r\nHost: h\r\n\r\n"),
        Self("two spaces", "GET  / HTTP/1.1\r\nHost: h\r\n\r\n"),
        Self("space in the target", "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n"),
        Self("no version", "GET /\r\nHost: h\r\n\r\n"),
        Self("strange version", "GET / HTTX/1.1\r\nHost: h\r\n\r\n", 505),
        Self("long version", "GET / HTTP/1.10\r\nHost: h\r\n\r\n", 505),
        Self("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        Self("HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", 505),
        Self("method is no token", "G(T / HTTP/1.1\r\nHost: h\r\n\r\n"),
        Self("TLS", "\u{16}\u{3}\u{1}\u{2}\u{0}"),
        Self("NUL in the target", "GET /\0 HTTP/1.1\r\nHost: h\r\n\r\n"),
        Self("raw UTF-8 in the target", "GET /é HTTP/1.1\r\nHost: h\r\n\r\n"),
        Self("fragment", "GET /#a HTTP/1.1\r\nHost: h\r\n\r\n"),
        Self("bare LF", "GET / HTTP/1.1\nHost: h\n\n"),
        Self("bare CR", "GET / HTTP/1.1\r\rHost: h\r\n\r\n"),
        Self("long target", "GET /\(String(repeating: "a", count: 70_000)) HTTP/1.1\r\n", 431),
        Self("endless target", "GET /\(String(repeating: "a", count: 70_000))", 431),
    ]

    private static let fields = [
        Self("no Host", "GET / HTTP/1.1\r\n\r\n"),
        Self("two Hosts", "GET / HTTP/1.1\r\nHost: h\r\nhost: h\r\n\r\n"),
        Self("folded field", get("X: a\r\n b")),
        Self("space before the colon", get("X : a")),
        Self("no colon", get("X")),
        Self("no name", get(": a")),
        Self("name is no token", get("X(: a")),
        Self("NUL in a value", get("X: a\0b")),
        Self("control character in a value", get("X: a\u{1}b")),
        Self("CR in a value", get("X: a\rb")),
        Self("DEL in a value", get("X: a\u{7F}b")),
        Self("large field", get("X: " + String(repeating: "a", count: 70_000)), 431),
        Self("endless field", "GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 70_000), 431),
        Self("many fields", get(String(repeating: "X: a\r\n", count: 12_000) + "Y: b"), 431),
    ]

    private static let bodies = [
        Self("negative length", get("Content-Length: -1")),
        Self("signed length", get("Content-Length: +1")),
        Self("empty length", get("Content-Length:")),
        Self("length in words", get("Content-Length: five")),
        Self("hexadecimal length", get("Content-Length: 0x5")),
        Self("length beyond counting", get("Content-Length: 99999999999999999999")),
        Self("two lengths", get("Content-Length: 5\r\nContent-Length: 6")),
        Self("two lengths in one", get("Content-Length: 5, 6")),
        Self("length and chunked", get("Content-Length: 5\r\nTransfer-Encoding: chunked")),
        Self("unknown coding", get("Transfer-Encoding: gzip, chunked"), 501),
        Self("chunked twice", get("Transfer-Encoding: chunked, chunked"), 501),
        Self("empty coding", get("Transfer-Encoding:"), 501),
        Self("size is no number", chunked("x\r\n")),
        Self("negative size", chunked("-1\r\n")),
        Self("no size", chunked("\r\n")),
        Self("size beyond counting", chunked("FFFFFFFFFFFFFFFFF\r\n")),
        Self("endless size", chunked(String(repeating: "0", count: 70_000)), 431),
        Self("long chunk", chunked("1\r\nab\r\n0\r\n\r\n")),
        Self("chunk without an end", chunked("1\r\na0\r\n\r\n")),
        Self("bad trailer", chunked("0\r\nX\r\n\r\n")),
        Self("large trailer", chunked("0\r\nX: " + String(repeating: "a", count: 70_000)), 431),
    ]

    private static func get(_ fields: String) -> String {
        "GET / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n\r\n"
    }

    private static func chunked(_ body: String) -> String {
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\(body)"
    }
}

/// Several requests on one connection, in each form that the parser reads.
let conversation =
    "GET / HTTP/1.1\r\nHost: h\r\nCookie: a=1\r\nCookie: b=2\r\n\r\n\r\n"
    + "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\nhello\r\nyou!"
    + "PUT /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    + "3;x=y\r\nabc\r\n10\r\n0123456789\r\nabcd\r\n0\r\nX-Sum: 5\r\n\r\n"
    + "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\nHEAD http://x.example/y HTTP/1.1\r\nHost: z\r\n\r\n"
    + "DELETE /c HTTP/1.1\r\nHost: h\r\nConnection: keep-alive\r\n\r\n"

/// The result of parsing some bytes: the requests, and the status of the error that ended them.
struct ParserOutcome: Equatable {
    var requests: [ParsedRequest] = []
    var status: Int?
}

func outcome(of pieces: [Data]) -> ParserOutcome {
    var reader = HTTPRequestReader(pieces)
    var outcome = ParserOutcome()
    do throws(HTTPRequestError) {
        while let request = try reader.next() { outcome.requests.append(request) }
    } catch {
        outcome.status = error.status
    }
    return outcome
}

func parse(_ text: String) throws -> [ParsedRequest] {
    var reader = HTTPRequestReader([Data(text.utf8)])
    var requests: [ParsedRequest] = []
    while let request = try reader.next() { requests.append(request) }
    return requests
}

extension HTTPRequestReader {
    /// A reader of a connection on which these pieces arrive, one after another.
    init(_ pieces: [Data]) {
        var rest = pieces.filter { !$0.isEmpty }[...]
        self.init { rest.popFirst().map { [UInt8]($0) } ?? [] }
    }
}

extension SeededRandom {
    /// Returns the bytes with one to three changes: a byte replaced, removed or doubled, the rest
    /// removed, or a part repeated at the start.
    mutating func mutate(_ original: Data) -> Data {
        var bytes = [UInt8](original)
        for _ in 0..<Int.random(in: 1...3, using: &self) where !bytes.isEmpty {
            let at = Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<5, using: &self) {
            case 0: bytes[at] = UInt8.random(in: 0...255, using: &self)
            case 1: bytes.remove(at: at)
            case 2: bytes.insert(bytes[at], at: at)
            case 3: bytes.removeSubrange(at...)
            default:
                let end = min(bytes.count, at + Int.random(in: 1...40, using: &self))
                bytes.insert(contentsOf: bytes[at..<end], at: 0)
            }
        }
        return Data(bytes)
    }
}
