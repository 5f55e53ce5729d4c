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
        #expect(try query(["z": 1, "a": nil, "m": "x"]) == "z=1&m=x")
        #expect(try query([:]) == nil)
        #expect(try query(["q": nil]) == nil)
    }

    @Test func sortsADictionary() throws {
        let numbers = ["z": 1, "a": 2, "m": 3, "b": 4]
        let optionals: [String: String?] = ["b": nil, "c": "x", "a": ""]

        #expect(try query(.init(numbers)) == "a=2&b=4&m=3&z=1")
        #expect(try query(.init(optionals)) == "a=&c=x")
    }

    @Test func keepsTheOrderOfPairs() throws {
        let typed: KeyValuePairs<String, Int> = ["b": 1, "a": 2, "b": 3]
        let components = URLComponents(string: "https://h?b=1&flag&empty=&b=a%26b")
        let items = components?.queryItems ?? []

        #expect(try query(.init(typed)) == "b=1&a=2&b=3")
        #expect(try query(.init(["a": 1, "b": 2].sorted { $0.key > $1.key })) == "b=2&a=1")
        #expect(
            try query(.init(items.map { (key: $0.name, value: $0.value) }))
                == "b=1&empty=&b=a%26b")
    }

    @Test(
        arguments: [
            ([1, 2], "x=1&x=2"), ([Int](), nil), (["a", "", "b"], "x=a&x=&x=b"),
            ([1, nil, 3] as [Int?], "x=1&x=3"), (Array(1...3), "x=1&x=2&x=3"),
            (["a", "b"].map(Optional.some).map(Optional.some), "x=a&x=b"),
        ] as [(any RequestValue, String?)])
    func repeatsTheNameOfAList(_ list: any RequestValue, _ expected: String?) throws {
        #expect(try query(["x": list]) == expected)
    }

    private enum Sort: String, RequestValue {
        case byTitle = "by title"
    }

    private struct BookID: RequestValue, CustomStringConvertible {
        var description: String { "book-7" }
    }

    @Test(
        arguments: [
            (true, "true"), (false, "false"), (2.0, "2.0"), (-0.5, "-0.5"), (0.1 as Float, "0.1"),
            (1e15, "1000000000000000.0"), (1e16, "1e%2B16"), (1e-7, "1e-07"), (0.00012, "0.00012"),
            (Decimal(string: "0.1")!, "0.1"),
            (Int.min, "-9223372036854775808"), ("1e21", "1e21"), ("1e21".dropFirst(), "e21"),
            (UInt8.max, "255"),
            (URL(string: "a", relativeTo: URL(string: "https://h"))!, "https://h/a"),
            (
                UUID(uuidString: "e621e1f8-c36c-495a-93fc-0c247a3e6e5f")!,
                "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
            ),
            (Sort.byTitle, "by%20title"), (BookID(), "book-7"),
            (Date(timeIntervalSince1970: 0).formatted(.iso8601), "1970-01-01T00:00:00Z"),
        ] as [(any RequestValue, String)])
    func writesOneSpelling(_ value: any RequestValue, _ expected: String) throws {
        #expect(try query(["x": value]) == "x=" + expected)
    }
}
