import APIKitLite
import TestSupport

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
            let report = "\(matcher.report(on: request))"
            #expect(
                report.contains("the request has <\(type), \(shown)>, which is not"), "\(report)")
        }
    }

    @Test func matchesBodies() {
        expect(
            .any.body(Data("ab".utf8)), takes: [.json("ab")],
            leaves: [.json("aB"), .json(""), .url("")])
        expect(.any.body(Data()), takes: [.url(""), .json("")], leaves: [.json("a")])
        expect(
            .any.form(["a": "1 +", "b": nil]),
            takes: [.form("b&c=3&a=1+%2B"), .form("a=1+%2B", type: nil)],
            leaves: [.form("a=1"), .form("a=1+%2B", type: "text/plain"), .form("")])
        expect(
            .any.form(["\u{feff}a": "1", "b": "2"]), takes: [.form("\u{feff}a=1&b=2")],
            leaves: [.form("a=1&b=2")])
        expect(.any.form(["a": "1"]), takes: [.form("a=1")], leaves: [.form("\u{feff}a=1&b=2")])
        expect(
            .any.form(exactly: ["a": "1"]), takes: [.form("a=1")],
            leaves: [.form("a=1&b"), .form("a=1&a=1"), .form("")])
    }

    @Test func matchesJSON() {
        func check(
            _ matcher: RequestMatcher, takes: [String], leaves: [String],
            _ location: SourceLocation = #_sourceLocation
        ) {
            expect(matcher, takes: takes, leaves: leaves, as: URLRequest.json, location)
        }
        let user = #"{"name": "Emma", "age": 3}"#
        expect(.any.json(user), leaves: [.url("")])
        check(
            .any.json(user),
            takes: [#"{"age":3.0,"name":"\u0045mma"}"#, #"{ "age" : 30e-1, "name":"Emma"}"#],
            leaves: [
                #"{"age": 3}"#, #"{"age": 3, "name": "Emma", "x": null}"#,
                #"{"age": "3", "name": "Emma"}"#, "{",
            ])
        // Keys and strings are compared by their code units (RFC 8259, section 8.3).
        check(
            .any.json(#"{"caf\u00e9": "\u00e9"}"#), takes: ["{\"caf\u{e9}\": \"\u{e9}\"}"],
            leaves: ["{\"cafe\u{301}\": \"\u{e9}\"}", "{\"caf\u{e9}\": \"e\u{301}\"}"])
        check(
            .any.json(containing: #"[{"caf\u00e9": 1}]"#),
            takes: [#"[{"cafe\u0301": 1}, {"x": 0, "caf\u00e9": 1}]"#],
            leaves: [#"[{"cafe\u0301": 1}]"#, #"[{"x": 0, "cafe\u0301": 1}]"#])
        check(
            .any.json(encoding: User()), takes: [#"{"age":3,"name":"Emma"}"#],
            leaves: [#"{"age":4,"name":"Emma"}"#])
        check(
            .any.json("[1, [2, null], true]"), takes: ["[1.0,[2,null],true]"],
            leaves: [
                "[[2,null],1,true]", "[1,[2,null],1]", "[1,[2,null]]", "[1,[2,null],true,4]",
                "[1,[2,false],true]",
            ])
        check(.any.json(#"{"a": 1, "a": 2}"#), takes: [#"{"a": 2}"#], leaves: [#"{"a": 1}"#])
        check(
            .any.json(containing: #"{"user": {"age": 3}, "tags": ["b", {"c": 1}]}"#),
            takes: [#"{"x":0,"user":{"age":3,"n":1},"tags":["a","b",{},{"d":0,"c":1}]}"#],
            leaves: [
                #"{"user":{"age":3},"tags":[{"c":1},"b"]}"#, #"{"user":{"age":3}}"#,
                #"{"user":{"age":4},"tags":["b",{"c":1}]}"#, "[]",
            ])
        check(.any.json(containing: "[1, 1]"), takes: ["[1,2,1]"], leaves: ["[1,2]"])
    }

    @Test(arguments: Transport.allCases)
    func comparesTheDeepestJSONOnEveryThread(_ transport: Transport) async throws {
        func nested(_ value: String) -> String {
            String(repeating: "[", count: 511) + value + String(repeating: "]", count: 511)
        }
        let client = try TestClient(transport)
        client.network.stub(.any.json(nested("1")), .text("deep"))
        client.network.stub(.any.json(containing: nested("[3]")), .text("deepest"))
        func response(_ body: String) async throws -> String {
            await client.outcome(
                of: try client.request(method: "POST")
                    .body(Data(nested(body).utf8), contentType: "application/json")
            ).text
        }

        #expect(try await response("1.0") == "deep")
        #expect(try await response("[2,3]") == "deepest")
        // Explained, and refused where it is too deep to be read.
        #expect(try await response("2").hasPrefix("No stub responds to POST"))
        #expect(try await response("[[1]]").hasPrefix("No stub responds to POST"))
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
                let report = RequestMatcher.any.json(expected).report(on: .json(actual))
                #expect(report.isMatch == areEqual, "\(one) and \(other)")
            }
        }
    }

    @Test func countsTheDifferencesOfVeryManyElements() {
        let ids = (0..<500).map { #"{"id":\#($0)}"# }
        let matcher = RequestMatcher.any.json(containing: "[\(ids.joined(separator: ","))]")
        let backwards = "[\(ids.reversed().joined(separator: ","))]"
        let details = matcher.report(on: .json(backwards)).lines[0].difference?.details

        let shown = (0..<5).map { "$[\($0)].id: expected \($0), got \(499 - $0)" }
        #expect(details == shown + ["and 495 more"])
    }
}
