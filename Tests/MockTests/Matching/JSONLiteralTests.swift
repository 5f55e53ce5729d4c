import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@Suite(.limited, .usesSockets) struct JSONLiteralTests {
    private static let rows: [(MockResponse, String)] = [
        (.json([:]), "{}"), (.json([]), "[]"),
        (.json(["b": 1, "a": -2.5, "c": "x"]), #"{"a":-2.5,"b":1,"c":"x"}"#),
        (
            .json([1, 1e20, true, false, nil, "\"\n"]),
            #"[1,100000000000000000000,true,false,null,"\"\n"]"#
        ),
        (.json(["a": [["b": [nil, [:], []]]]]), #"{"a":[{"b":[null,{},[]]}]}"#),
        (.json(["text": "\(1 + 1) {}"]), #"{"text":"2 {}"}"#),
        // A string is JSON text, not a JSON string.
        (.json("{}"), "{}"), (.json("[1]", status: 200), "[1]"), (.json("\"a\""), "\"a\""),
        (.json("{\"a\": \(1)}"), #"{"a": 1}"#),
    ]

    @Test(arguments: Transport.allCases)
    func answersWithALiteral(_ transport: Transport) async throws {
        for (response, text) in Self.rows {
            let network = MockNetwork()
            network.stub(.any, response)
            let (session, baseURL) = try transport.open(network)

            let (data, http) = try await session.exchange(URLRequest(url: baseURL))

            #expect(data.text == text)
            #expect(http.value(forHTTPHeaderField: "Content-Type") == "application/json")
        }
    }

    @Test func takesAStatusAndHeaders() {
        #expect(
            "\(MockResponse.json(["a": 1], status: 404, headers: ["Content-Type": "a/b"]))"
                == "404 (Not Found), 7 bytes, a/b")
    }

    @Test(arguments: [
        MatchCase(
            .json(["name": "Emma", "age": 3]), takes: [.json(#"{"age":3.0,"name":"Emma"}"#)],
            leaves: [.json(#"{"age":3}"#), .json(#"{"age":3,"name":"Emma","x":null}"#)]),
        MatchCase(
            .json([1, nil, ["a": true]]), takes: [.json(#"[1,null,{"a":true}]"#)],
            leaves: [.json("[1]")]),
        MatchCase(
            .json(containing: ["user": ["age": 3]]), takes: [.json(#"{"user":{"age":3,"n":1}}"#)],
            leaves: [.json(#"{"user":{"age":4}}"#), .json("[]")]),
        MatchCase(.post("/a").json(["a": nil]), takes: [.json(#"{"a":null}"#)], leaves: []),
        MatchCase(.json("{}"), takes: [.json("{}")], leaves: [.json("\"{}\"")]),
        MatchCase(.json(containing: "{}"), takes: [.json(#"{"a":1}"#)], leaves: [.json("\"{}\"")]),
    ])
    func matchesALiteral(_ row: MatchCase) { row.check() }

    @Test func aNumberThatJSONLacksIsAConfigurationError() async throws {
        let network = MockNetwork()
        network.stub(
            .json(["a": JSONLiteral.Value(floatLiteral: .infinity)]), .json("{}"), times: .any)
        network.stub(.any, .json(["a": JSONLiteral.Value(floatLiteral: .infinity)]), times: .any)
        let place = "MockTests/JSONLiteralTests.swift:"

        let error = #expect(throws: VerificationError.self) { try network.verify() }

        let findings = try #require(error?.findings)
        #expect(
            findings.map { $0.prefix { $0 != ":" } } == [
                ".json(_", ".json(_",
            ])
        #expect(findings.allSatisfy { $0.contains("not JSON: ") && $0.contains(place) })
    }
}
