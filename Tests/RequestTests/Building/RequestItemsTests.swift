import APIKitLite
import Foundation
import TestSupport
import Testing

@Suite(.limited) struct RequestItemsTests {
    private func query(_ items: RequestItems) throws -> String? {
        try URLRequest("GET", URL(string: "https://h")!, query: items).url?.query
    }

    @Test func aLiteralKeepsItsOrder() throws {
        #expect(try query(["z": 1, "a": "x", "m": true, "z": 2]) == "z=1&a=x&m=true&z=2")
        #expect(try query(["z": 1, "y": 2, "x": 3, "w": 4]) == "z=1&y=2&x=3&w=4")
        #expect(try query(.init(["z": 1, "y": 2, "x": 3, "w": 4])) == "z=1&y=2&x=3&w=4")
        #expect(try query(RequestItems(["z": 1, "a": nil, "m": "x"])) == "z=1&m=x")
        #expect(try query(.init([:])) == nil)
    }

    @Test func sortsADictionary() throws {
        let numbers = ["z": 1, "a": 2, "m": 3, "b": 4]
        let optionals: [String: String?] = ["b": nil, "c": "x", "a": ""]
        let mixed: [String: any CustomStringConvertible] = ["b": [1, 2], "a": false]

        #expect(try query(.init(numbers)) == "a=2&b=4&m=3&z=1")
        #expect(try query(.init(optionals)) == "a=&c=x")
        #expect(try query(.init(mixed)) == "a=false&b=1&b=2")
        // As `JSONSerialization` makes it of `null`.
        #expect(try query(.init(["a": NSNull(), "b": 1] as [String: Any])) == "b=1")
    }

    @Test func keepsTheOrderOfPairs() throws {
        let names = ["b", "a", "b"]
        let mixed: [(String, (any CustomStringConvertible)?)] = [("b", 1), ("a", nil), ("c", "x")]
        let typed: KeyValuePairs<String, Int> = ["b": 1, "a": 2]
        let general: KeyValuePairs<String, (any CustomStringConvertible)?> = ["b": 1, "a": nil]

        #expect(try query(.init(zip(names, 1...))) == "b=1&a=2&b=3")
        #expect(try query(.init(mixed)) == "b=1&c=x")
        #expect(try query(.init(typed)) == "b=1&a=2")
        #expect(try query(.init(general)) == "b=1")
        #expect(try query(.init(["a": 1, "b": 2].sorted { $0.key > $1.key })) == "b=2&a=1")
    }

    @Test func takesQueryItems() throws {
        let components = URLComponents(string: "https://h?b=1&flag&empty=&b=a%26b")
        let items = components?.queryItems ?? []

        #expect(try query(.init(items)) == "b=1&flag&empty=&b=a%26b")
        #expect(try query(.init([])) == nil)
    }

    @Test(
        arguments: [
            ([1, 2], "x=1&x=2"), ([Int](), nil), (["a", "", "b"], "x=a&x=&x=b"),
            ([1, nil, 3] as [Int?], "x=1&x=3"),
            ([1, "a", true] as [any CustomStringConvertible & Sendable], "x=1&x=a&x=true"),
            ([QueryFlag()], "x"), ([7, 8, 9].dropFirst(), "x=8&x=9"),
            (Array(1...3), "x=1&x=2&x=3"),
            (["a", "b"].map(Optional.some).map(Optional.some), "x=a&x=b"),
        ] as [(any CustomStringConvertible & Sendable, String?)])
    func repeatsTheNameOfAList(
        _ list: any CustomStringConvertible & Sendable, _ expected: String?
    ) throws {
        #expect(try query(["x": list]) == expected)
    }

    @Test(
        arguments: [
            (true, "true"), (false, "false"), (2.0, "2.0"), (-0.5, "-0.5"), (0.1 as Float, "0.1"),
            (1e15, "1000000000000000.0"), (1e16, "1e%2B16"), (1e-7, "1e-07"), (0.00012, "0.00012"),
            (Decimal(string: "0.1")!, "0.1"),
            (Int.min, "-9223372036854775808"), ("1e21", "1e21"), ("1e21".dropFirst(), "e21"),
            (Date(timeIntervalSince1970: 0).formatted(.iso8601), "1970-01-01T00:00:00Z"),
        ] as [(any CustomStringConvertible & Sendable, String)])
    func writesOneSpelling(
        _ value: any CustomStringConvertible & Sendable, _ expected: String
    ) throws {
        #expect(try query(["x": value]) == "x=" + expected)
    }

    @Test func isAValue() {
        #expect(RequestItems(["a": 1]) == ["a": "1"])
        #expect(["a": 1, "b": 2] as RequestItems != ["b": 2, "a": 1])
    }
}
