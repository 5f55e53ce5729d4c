import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// What a client needs of an answer, and whether the server still gives it.
@Suite(.limited) struct DriftTests {
    struct User: Decodable {
        enum Role: String, Decodable {
            case admin, member
        }
        struct Address: Decodable {
            let city: String
            let street: String?
        }

        let name: String
        let role: Role
        let address: Address
        let tags: [String]?
        let homepage: URL?
    }

    private static let request = Endpoint<Void, User> {
        URLRequest(url: URL(string: "https://api.example.com/users/7")!)
    }

    private static let body = #"""
        {"name": "Emma", "role": "admin", "address": {"city": "Ulm", "street": "A"},
         "tags": ["new"], "homepage": "https://a.example", "age": 7}
        """#

    private func archive(_ body: String = body) async throws -> HTTPArchive {
        HTTPArchive([try await HTTPArchive.Exchange.recorded(.json(body))])
    }

    @Test func findsTheKeysThatTheModelNeeds() async throws {
        let exchange = try await archive()[0]
        #expect(
            try requiredKeys(of: Self.request, in: exchange) == [
                "$.address", "$.address.city", "$.name", "$.role", "$.role: only known values",
            ])
    }

    @Test func findsKeysInTheElementsOfAnArray() async throws {
        let list = Endpoint<Void, [User.Address]> {
            URLRequest(url: URL(string: "https://api.example.com/")!)
        }
        let exchange = try await archive(#"[{"city": "Ulm"}, {"city": "Bonn"}]"#)[0]
        #expect(try requiredKeys(of: list, in: exchange) == ["$[].city"])
    }

    @Test func anAnswerThatIsNotJSONHasNoKeys() async throws {
        let exchange = try await HTTPArchive.Exchange.recorded(.text("hello"))
        let error = #expect(throws: HTTPArchiveError.self) {
            try requiredKeys(of: Self.request, in: exchange)
        }
        #expect(
            error?.description
                == "The answer to GET https://api.example.com/users/7: 200 (OK), 5 bytes is not JSON, "
                + "so it has no keys.")
    }

    /// Today's answer, and the report.
    static let changes: [(String, MockResponse, String)] = [
        ("the same", .json(body), "1 answer compared, no difference"),
        (
            "other values and an empty array",
            .json(body.replacing("Ulm", with: "Bonn").replacing(#"["new"]"#, with: "[]")),
            "1 answer compared, no difference"
        ),
        (
            "a new key", .json(body.replacing(#""age": 7"#, with: #""age": 7, "x": {"y": 1}"#)),
            """
            1 answer compared:
              note: GET https://api.example.com/users/7: $.x is new
            """
        ),
        (
            "a key that nobody needs is missing",
            .json(body.replacing(#", "age": 7"#, with: "")),
            """
            1 answer compared:
              warning: GET https://api.example.com/users/7: $.age is missing
            """
        ),
        (
            "another type", .json(body.replacing(#""age": 7"#, with: #""age": "7""#)),
            """
            1 answer compared:
              error: GET https://api.example.com/users/7: $.age is a string, was a number
            """
        ),
        (
            "a key that the model needs is missing",
            .json(body.replacing(#""city": "Ulm", "#, with: "")),
            """
            1 answer compared:
              error: GET https://api.example.com/users/7: Endpoint<(), User> breaks: At $.address: the key "city" is missing.
            """
        ),
        (
            "another status", .status(404),
            """
            1 answer compared:
              error: GET https://api.example.com/users/7: the status is 404 (Not Found), was 200 (OK)
            """
        ),
        (
            "not JSON", .text("<html>"),
            """
            1 answer compared:
              error: GET https://api.example.com/users/7: the answer is no longer JSON
            """
        ),
        (
            "no answer", .error(.timedOut),
            """
            1 answer compared:
              error: GET https://api.example.com/users/7: there was no answer: The request timed out.
            """
        ),
    ]

    @Test func comparesTheShapesOfAnswers() async throws {
        let archive = try await archive()
        await forEachRow(Self.changes, named: \.0) { row, comment in
            let network = MockNetwork()
            network.stub(.any, row.1)
            let report = await archive.drift(over: MockURLSession(network), parsedBy: Self.request)
            #expect(report.description.hasPrefix(row.2), "\(comment): \(report)")
            #expect(report.violations.isEmpty == !row.2.contains("  error: "), comment)
        }
    }

    @Test func sendsOnlySafeRequests() async throws {
        let archive = try await HTTPArchive(
            [
                .recorded(.text("1")), .recorded(.text("2"), to: .test("users", method: "POST")),
                .recorded(.text("3"), to: .test("users/REDACTED-1")),
                .recorded(.status(401), to: .test("me")),
            ] as [HTTPArchive.Exchange])
        let network = MockNetwork()
        network.stub(.any, .text("1"), times: .any)

        let report = await archive.drift(over: MockURLSession(network))

        #expect(
            report.description == """
                1 answer compared, 3 not compared, no difference:
                  not compared: POST https://api.example.com/users: only GET and HEAD are sent again
                  not compared: GET https://api.example.com/users/REDACTED-1: its URL has a placeholder
                  not compared: GET https://api.example.com/me: the answer in the archive is 401
                """)
        #expect(network.requests.map(\.path) == ["/users/7"])
    }

    @Test func aComparisonOfNothingIsNoSuccess() async throws {
        let archive = HTTPArchive([
            try await HTTPArchive.Exchange.recorded(
                .text("2"), to: .test("users", method: "POST"))
        ])
        let report = await archive.drift(over: MockURLSession(MockNetwork()))
        #expect(report.violations == ["no answer was compared"])
        #expect(report.description.hasPrefix("0 answers compared, 1 not compared:"))
    }
}
