import APIKitLite
import TestSupport

@Suite(.limited) struct RequestItemsTests {
    private func query(_ items: RequestItems) throws -> String? {
        try URLRequest("GET", URL(string: "https://h")!, query: items).url?.query
    }

    @Test func keepTheirOrderAndLeaveOutNil() throws {
        let optionals: [String: String?] = ["b": nil, "c": "x", "a": ""]
        let typed: KeyValuePairs<String, Int> = ["b": 1, "a": 2, "b": 3]
        let sorted = ["a": 1, "b": 2].sorted { $0.key > $1.key }
        let components = URLComponents(string: "https://h?b=1&flag&empty=&b=a%26b")
        let items = (components?.queryItems ?? []).map { (key: $0.name, value: $0.value) }
        let rows: [(RequestItems, String?)] = [
            (["z": 1, "a": "x", "m": true, "z": 2], "z=1&a=x&m=true&z=2"),
            (["z": 1, "a": nil, "m": "x"], "z=1&m=x"), ([:], nil), (["q": nil], nil),
            // A dictionary is sorted.
            (.init(["z": 1, "a": 2, "m": 3, "b": 4]), "a=2&b=4&m=3&z=1"),
            (.init(optionals), "a=&c=x"), (.init(typed), "b=1&a=2&b=3"), (.init(sorted), "b=2&a=1"),
            (.init(items), "b=1&empty=&b=a%26b"),
        ]
        for (items, expected) in rows { #expect(try query(items) == expected) }
    }

    private static let uuid = "AB010203-0405-0607-0809-0A0B0C0D0E0F"
    private static func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }

    /// In a path, a query, a form and a header, and at any magnitude.
    @Test func writesNumbersThatAreReadBackWithoutAnExponent() throws {
        var random = SeededGenerator(seed: 1)
        let numbers = (0..<300).map { _ in Double(bitPattern: random.next()) }
        for number in numbers where number.isFinite {
            let float = Float(bitPattern: UInt32(truncatingIfNeeded: number.bitPattern))
            for (value, isSame) in [
                (number as any RequestValue, { Double($0) == number }),
                (float, { Float($0) == float }),
            ] as [(any RequestValue, (String) -> Bool)] {
                if value is Float, !float.isFinite { continue }
                let request = try URLRequest(
                    "POST", URL(string: "https://h")!, path: "/{x}", ["x": value],
                    query: ["x": value], headers: ["x": value]
                ).formBody(["x": value])
                let header = request.value(forHTTPHeaderField: "x") ?? ""
                #expect(request.url?.absoluteString == "https://h/\(header)?x=\(header)")
                #expect(request.httpBody == Data("x=\(header)".utf8))
                #expect(isSame(header) && !header.contains("e"), "\(number)")
            }
        }
        let others = [Double.nan, .infinity, -.infinity].flatMap {
            [$0, Float($0), CGFloat($0)] as [any RequestValue]
        }
        for number in others + [Decimal.nan] {
            #expect(throws: RequestBuildingError.self) { try query(["x": number]) }
        }
    }

    private enum Sort: String, RequestValue {
        case byTitle = "by title"
    }

    /// A type whose description is for people.
    private enum Language: String, RequestValue, CustomStringConvertible {
        case german = "de"
        var description: String { "German" }
    }

    private struct BookID: RequestValue, CustomStringConvertible {
        var description: String { "book-7" }
    }

    @Test(
        arguments: [
            (true, "true"), (false, "false"), (2.0, "2.0"), (-0.5, "-0.5"), (0.1 as Float, "0.1"),
            (1e15, "1000000000000000.0"), (1e16, "10000000000000000"), (1e-7, "0.0000001"),
            (0.00012, "0.00012"), (-0.000066, "-0.000066"), (6.6e-5 as Float, "0.000066"),
            (-1.5e-7, "-0.00000015"), (-2.5e17, "-250000000000000000"), (-0.0, "-0.0"),
            (9_007_199_254_740_994.0, "9007199254740994"), (1e23, "1" + zeros(23)),
            (Double.leastNonzeroMagnitude, "0." + zeros(323) + "5"),
            (1.7976931348623157e308, "17976931348623157" + zeros(292)), (1e8 as Float, "100000000"),
            (16_777_218 as Float, "16777218"),
            (Float.leastNonzeroMagnitude, "0." + zeros(44) + "1"),
            (CGFloat(-0.000066), "-0.000066"), (CGFloat(1e16), "10000000000000000"),
            ([1e-5, nil] as [Double?], "0.00001"), (Optional(1e-5), "0.00001"),
            (Decimal(string: "0.1")!, "0.1"), (Decimal(string: "-6.6e-5")!, "-0.000066"),
            (Decimal(string: "1e30"), "1" + zeros(30)), (Int.min, "-9223372036854775808"),
            ("1e21", "1e21"), ("1e21".dropFirst(), "e21"), (UInt8.max, "255"),
            (URL(string: "a", relativeTo: URL(string: "https://h"))!, "https://h/a"),
            (UUID(uuid: (171, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)), uuid),
            (Sort.byTitle, "by%20title"), (Language.german, "de"), (BookID(), "book-7"),
            (Date(timeIntervalSince1970: 0).formatted(.iso8601), "1970-01-01T00:00:00Z"),
            ([1, 2], "1&x=2"), ([Int](), nil), (["a", "", "b"], "a&x=&x=b"),
            ([1, nil, 3] as [Int?], "1&x=3"), (Array(1...3), "1&x=2&x=3"),
            (["a", "b"].map(Optional.some).map(Optional.some), "a&x=b"),
        ] as [(any RequestValue, String?)])
    func writesOneSpelling(_ value: any RequestValue, _ expected: String?) throws {
        #expect(try query(["x": value]) == expected.map { "x=" + $0 })
    }
}

extension CGFloat: RequestValue {}
