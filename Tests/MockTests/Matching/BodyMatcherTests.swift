import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct BodyMatcherTests {
    private struct User: Encodable {
        var name = "Emma"
        var age = 3
    }

    /// The criteria that read a body name its compression, which the header alone tells for some.
    @Test(
        arguments: [
            ([0x1F, 0x8B, 8, 0], "gzip", "4 bytes, compressed with gzip"),
            ([0x28, 0xB5, 0x2F, 0xFD], "zstd", "4 bytes, compressed with zstd"),
            ([0x78, 0x9C, 0xFF], nil, "3 bytes, compressed with zlib"),
            ([0xCE, 0xB2, 0xFF], "br", "3 bytes, compressed with br"), ([0xFF], "gzip", "1 byte"),
            (Array("{".utf8), "br", "1 byte"),
        ] as [([UInt8], String?, String)])
    func namesTheCompressionOfABody(_ bytes: [UInt8], _ coding: String?, _ shown: String) {
        var request = URLRequest.json("")
        request.httpBody = Data(bytes)
        request.setValue(coding, forHTTPHeaderField: "Content-Encoding")
        let type = request.value(forHTTPHeaderField: "Content-Type") ?? "unknown type"
        for matcher in [RequestMatcher.any.json("1"), .any.part("a")] {
            let report = matcher.report(on: RecordedRequest(request: request)).description
            #expect(
                report.contains("the request has <\(type), \(shown)>, which is not"), "\(report)")
        }
    }

    @Test func matchesBodies() {
        let rows: [MatchCase] = [
            MatchCase(
                .any.body(Data("ab".utf8)), takes: [.json("ab")],
                leaves: [.json("aB"), .json(""), .query("")]),
            MatchCase(.any.body(Data()), takes: [.query(""), .json("")], leaves: [.json("a")]),
            MatchCase(
                .any.json(#"{"name": "Emma", "age": 3}"#),
                takes: [
                    .json(#"{"age":3.0,"name":"\u0045mma"}"#),
                    .json(#"{ "age" : 30e-1, "name":"Emma"}"#),
                ],
                leaves: [
                    .json(#"{"age": 3}"#), .json(#"{"age": 3, "name": "Emma", "x": null}"#),
                    .json(#"{"age": "3", "name": "Emma"}"#), .json("{"), .query(""),
                ]),
            // Keys and strings are compared by their code units (RFC 8259, section 8.3).
            MatchCase(
                .any.json(#"{"caf\u00e9": "\u00e9"}"#),
                takes: [.json("{\"caf\u{e9}\": \"\u{e9}\"}")],
                leaves: [
                    .json("{\"cafe\u{301}\": \"\u{e9}\"}"), .json("{\"caf\u{e9}\": \"e\u{301}\"}"),
                ]),
            MatchCase(
                .any.json(containing: #"[{"caf\u00e9": 1}]"#),
                takes: [.json(#"[{"cafe\u0301": 1}, {"x": 0, "caf\u00e9": 1}]"#)],
                leaves: [.json(#"[{"cafe\u0301": 1}]"#), .json(#"[{"x": 0, "cafe\u0301": 1}]"#)]),
            MatchCase(
                .any.json(encoding: User()), takes: [.json(#"{"age":3,"name":"Emma"}"#)],
                leaves: [.json(#"{"age":4,"name":"Emma"}"#)]),
            MatchCase(
                .any.json("[1, [2, null], true]"), takes: [.json("[1.0,[2,null],true]")],
                leaves: [
                    .json("[[2,null],1,true]"), .json("[1,[2,null],1]"), .json("[1,[2,null]]"),
                    .json("[1,[2,null],true,4]"), .json("[1,[2,false],true]"),
                ]),
            MatchCase(
                .any.json(#"{"a": 1, "a": 2}"#), takes: [.json(#"{"a": 2}"#)],
                leaves: [.json(#"{"a": 1}"#)]
            ),
            MatchCase(
                .any.json(containing: #"{"user": {"age": 3}, "tags": ["b", {"c": 1}]}"#),
                takes: [
                    .json(#"{"x":0,"user":{"age":3,"n":1},"tags":["a","b",{},{"d":0,"c":1}]}"#)
                ],
                leaves: [
                    .json(#"{"user":{"age":3},"tags":[{"c":1},"b"]}"#),
                    .json(#"{"user":{"age":3}}"#),
                    .json(#"{"user":{"age":4},"tags":["b",{"c":1}]}"#), .json("[]"),
                ]),
            MatchCase(
                .any.json(containing: "[1, 1]"), takes: [.json("[1,2,1]")], leaves: [.json("[1,2]")]
            ),
            MatchCase(
                .any.form(["a": "1 +", "b": nil]),
                takes: [.form("b&c=3&a=1+%2B"), .form("a=1+%2B", type: nil)],
                leaves: [.form("a=1"), .form("a=1+%2B", type: "text/plain"), .form("")]),
            MatchCase(
                .any.form(["\u{feff}a": "1", "b": "2"]), takes: [.form("\u{feff}a=1&b=2")],
                leaves: [.form("a=1&b=2")]),
            MatchCase(
                .any.form(["a": "1"]), takes: [.form("a=1")], leaves: [.form("\u{feff}a=1&b=2")]),
            MatchCase(
                .any.form(exactly: ["a": "1"]), takes: [.form("a=1")],
                leaves: [.form("a=1&b"), .form("a=1&a=1"), .form("")]),
        ]
        for row in rows {
            row.check()
        }
    }

    @Test(arguments: Transport.allCases)
    func comparesTheDeepestJSONOnEveryThread(_ transport: Transport) async throws {
        func nested(_ value: String) -> String {
            String(repeating: "[", count: 511) + value + String(repeating: "]", count: 511)
        }
        let network = MockNetwork()
        let (session, baseURL) = try transport.open(network)
        network.stub(.any.json(nested("1")), .text("deep"))
        network.stub(.any.json(containing: nested("[3]")), .text("deepest"))
        func response(_ body: String) async throws -> String {
            let request = try URLRequest("POST", baseURL, path: "/a")
                .body(Data(body.utf8), contentType: "application/json")
            return try await session.exchange(request).0.text
        }

        #expect(try await response(nested("1.0")) == "deep")
        #expect(try await response(nested("[2,3]")) == "deepest")
        // Explained, and refused where it is too deep to be read.
        for body in [nested("2"), nested("[[1]]")] {
            let text: String
            do { text = try await response(body) } catch { text = "\(error)" }
            #expect(text.hasPrefix("No stub responds to POST"))
        }
    }

    @Test func comparesNumbersByTheirValues() {
        let rows: [(String, String, Bool)] = [
            ("1e300", "10e299", true), ("1e300", "1e299", false), ("1e21", "1000e18", true),
            ("0e5", "0.0", true), ("-0", "0", true), ("-0.0", "0", true), ("1", "-1", false),
            ("9007199254740993", "9007199254740992", false),
            ("-9007199254740993", "-9007199254740992", false),
            ("9007199254740993", "9007199254740993.0", true), ("1e100", "10E+99", true),
            ("18446744073709551615", "18446744073709551614", false),
            ("18446744073709551617", "18446744073709551616", false),
            ("1000000000000000000000", "1e21", true), ("0.1", "0.10000000000000001", true),
            ("0.1", "0.2", false), ("1e-400", "0.0", true), ("0.5", "5e-1", true),
        ]
        for (one, other, areEqual) in rows {
            for (expected, actual) in [(one, other), (other, one)] {
                let report = RequestMatcher.any.json(expected).report(
                    on: RecordedRequest(request: .json(actual)))
                #expect(report.isMatch == areEqual, "\(one) and \(other)")
            }
        }
    }

    @Test func countsTheDifferencesOfVeryManyElements() {
        let ids = (0..<500).map { #"{"id":\#($0)}"# }
        let matcher = RequestMatcher.any.json(containing: "[\(ids.joined(separator: ","))]")
        let backwards = "[\(ids.reversed().joined(separator: ","))]"
        let details = matcher.report(on: RecordedRequest(request: .json(backwards))).lines[0]
            .difference?.details

        #expect(details?.count == 6)
        #expect(details?.last?.hasPrefix("and 4") == true)
    }
}
