import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@Suite(.limited, .usesSockets) struct ResponseHeaderTests {
    private func response(
        _ transport: Transport, _ response: MockResponse
    ) async throws -> HTTPURLResponse {
        let network = MockNetwork()
        network.stub(.any, response)
        let (session, baseURL) = try transport.open(network)
        return try await session.exchange(URLRequest(url: baseURL)).1
    }

    private static let headers: KeyValuePairs = [
        "X-A": "1", "Content-Type": "a/b", "x-a": "2", "X-B": "",
    ]

    @Test(arguments: Transport.allCases)
    func everyFormTakesHeaders(_ transport: Transport) async throws {
        let (headers, encoder) = (Self.headers, JSONEncoder())
        let responses: [MockResponse] = [
            .json("{}", status: 201, headers: headers),
            .json(encoding: [1], status: 201, headers: headers, encoder: encoder),
            .text("x", status: 201, headers: headers), .text("", status: 201, headers: headers),
            .data(Data("x".utf8), contentType: "x/y", status: 201, headers: headers),
            .status(201, headers: headers), .chunks(["a", "b"], status: 201, headers: headers),
        ]
        for response in responses {
            let http = try await self.response(transport, response)

            #expect(http.statusCode == 201)
            #expect(http.value(forHTTPHeaderField: "X-A") == "1, 2")
            #expect(http.value(forHTTPHeaderField: "Content-Type") == "a/b")
        }
    }

    @Test(arguments: Transport.allCases)
    func refusesAHeaderThatWouldBreakTheMessage(_ transport: Transport) async throws {
        let lineBreak = "has a line break or another control character in its value. Remove it."
        let noToken = "is not one word. Use letters, digits and hyphens."
        let rows: [(MockResponse, String)] = [
            (.text("x").header("X-A", "hunter2\r\nX-B: 1"), "The header \"X-A\" \(lineBreak)"),
            (.text("x").header("X-A", "hunter2\n"), "The header \"X-A\" \(lineBreak)"),
            (.text("x").addingHeader("X-A", "hunter2\0"), "The header \"X-A\" \(lineBreak)"),
            (
                .text("x").header("Set-Cookie", "a=1\u{7f}"),
                "The header \"Set-Cookie\" \(lineBreak)"
            ),
            (.json("{}", headers: ["X-A": "\u{1}"]), "The header \"X-A\" \(lineBreak)"),
            (.redirect(to: "/a\n"), "The header \"Location\" \(lineBreak)"),
            (.data(Data(), contentType: "a\rb"), "The header \"Content-Type\" \(lineBreak)"),
            (.text("x").header("X A", "1"), "The header \"X A\" \(noToken)"),
            (.text("x").header("X-A:", "1"), "The header \"X-A:\" \(noToken)"),
            (.text("x").header("", "1"), "The header \"\" \(noToken)"),
            (.status(200, headers: ["X\nA": "1"]), "The header \"X\\nA\" \(noToken)"),
        ]
        for (response, text) in rows {
            let network = MockNetwork()
            network.stub(.any, response)
            let place = "(MockTests/ResponseHeaderTests.swift:\(#line - 1))"
            let (session, baseURL) = try transport.open(network)

            let message: String
            do {
                let (data, http) = try await session.exchange(URLRequest(url: baseURL))
                #expect(http.statusCode == 500)
                message = data.text.trimmingCharacters(in: .newlines)
            } catch {
                message = "\(error)"
            }

            #expect(message == "\(text) \(place)")
            let failure = #expect(throws: VerificationError.self) { try network.verify() }
            #expect(failure?.findings == ["\(text) \(place)"])
        }
    }

    @Test(arguments: Transport.allCases)
    func keepsAnUnusualHeader(_ transport: Transport) async throws {
        let http = try await response(
            transport, .text("x").header("X_!#$%&'*+.^`|~1", "a\tb, \"ä\""))

        #expect(http.value(forHTTPHeaderField: "X_!#$%&'*+.^`|~1")?.hasPrefix("a\tb, ") == true)
    }
}
