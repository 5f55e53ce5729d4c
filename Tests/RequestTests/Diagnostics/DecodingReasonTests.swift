import APIKitLite
import TestSupport

@Suite(.limited) struct DecodingReasonTests {
    private struct Page: Decodable {
        struct User: Decodable {
            enum Kind: String, Decodable { case admin }
            var id: Int
            var name: String
            var kind: Kind?
        }
        var items: [User]
    }

    private func error<T: Decodable>(
        _ type: T.Type, _ body: String, decoder: JSONDecoder = JSONDecoder()
    ) throws -> APIRequestError {
        let underlying = try #require(throws: DecodingError.self) {
            try decoder.decode(type, from: Data(body.utf8))
        }
        return APIRequestError(
            stage: .parse, response: .status(200), data: Data(body.utf8), underlying: underlying)
    }

    private func lines(_ error: APIRequestError) -> [String] {
        error.description.components(separatedBy: "\n")
    }

    // The ends are in the words of Foundation.
    @Test func tellsWhatTheDecoderSaid() throws {
        struct Model: Decodable { var userId: Int }
        struct Pair: Decodable {
            init(from decoder: any Decoder) throws {
                var list = try decoder.unkeyedContainer()
                _ = (try list.decode(Int.self), try list.decode(Int.self))
            }
        }
        let snakeCase = JSONDecoder()
        snakeCase.keyDecodingStrategy = .convertFromSnakeCase
        let root = #"{"id":1,"name":"a","kind":"root"}"#
        for (error, start, part) in try [
            (error(Pair.self, "[1]"), "At $[1]: Unkeyed container is at end.", ""),
            (
                error(Page.User.self, root), "At $.kind: found a string that cannot be used. ",
                "root"
            ),
            (error(Model.self, #"{"user_id":"x"}"#, decoder: snakeCase), "At $.userId: ", "string"),
            // On Apple platforms the error has a path and prints it.
            (error([Int].self, "[1.5]"), "", "1.5"),
            // Why a text is not JSON.
            (error(Page.self, #"{"items":[{"id":1"#), "The body is not JSON: ", ""),
            (error(Page.self, "Sorry"), "The body is not JSON: ", ""),
            (error(Page.self, #"{"a":1}}"#), "The body is not JSON: ", ""),
        ] {
            let line = lines(error)[2]
            #expect(line.hasPrefix(start), "\(line)")
            #expect(part.isEmpty || error.description.contains(part), "\(line)")
            #expect(part.isEmpty || !line.contains("is not JSON"), "\(line)")
        }
    }

    /// Foundation says of these texts that they are not JSON, and names no place.
    @Test func namesTheNumberThatDoesNotFit() throws {
        struct Item<T: Decodable>: Decodable { var price: Double?, id: T }
        func place<T: Decodable>(_ type: T.Type, _ body: String) throws -> String {
            let error = try error(type, body)
            #expect(!error.description.contains("not JSON"), "\(body)")
            #expect(!error.description.contains("valid JSON"), "\(body)")
            let parts = lines(error)[2].components(separatedBy: ": ")
            #expect(parts.last == "the number does not fit its type.", "\(body)")
            return parts[0]
        }
        let rows: [(String, String)] = try [
            (place(Item<Int>.self, #"{"id": 18446744073709551616}"#), "At $.id"),
            (place(Item<Int>.self, #"{"price": 1, "id": 9223372036854775808}"#), "At $.id"),
            (place(Item<Int>.self, #"{"price": 1, "id": 0.5}"#), "At $.id"),
            (place(Item<UInt>.self, #"{"price": 1, "id": -1}"#), "At $.id"),
            (place(Item<Int8>.self, #"{"price": 1, "id": 300}"#), "At $.id"),
            (place(Item<Float>.self, #"{"price": 1, "id": 1e39}"#), "At $.id"),
            (place(Item<Double>.self, #"{"price": 1, "id": 1e400}"#), "At $.id"),
            (place(Item<Decimal>.self, #"{"price": 1, "id": 1e200}"#), "At $.id"),
            (place(Item<Int>.self, #"{"price": 1, "id": -1e400}"#), "At $.id"),
            (place([Int].self, "[1, -2, 3.5]"), "At $[2] or $[1]"),
            // The smallest `Int`, and the numbers beside it, have the same `Double`.
            (place([Int].self, "[5, -9223372036854775809]"), "At $[1]"),
            (place([Int].self, "[5, -9223372036854775808.0]"), "At $[1]"),
            (place([Int].self, "[0.5, -9223372036854775808]"), "At $[0] or $[1]"),
            (place(Int.self, "1.5"), "At $"),
            (place([[Item<Int>]].self, #"[[{"id": 1}, {"id": 1.5}], []]"#), "At $[0][1].id"),
            (place([String: [Int]].self, #"{"a b": [1e30]}"#), #"At $["a b"][0]"#),
            // Only the type says which one it is.
            (place(Item<Int>.self, #"{"price": 9.99, "id": 1.5}"#), "At $.id"),
            (place(Item<UInt>.self, #"{"price": 9.99, "id": -1}"#), "At $.price or $.id"),
        ]
        for (place, expected) in rows { #expect(place == expected) }
        let secret = try error(Item<Int>.self, #"{"id": 1, "pin": 5, "price": 1e999}"#)
        #expect(lines(secret)[2].hasPrefix("At $.price: "))
    }

    @Test func namesTheKeyOfAWrongDate() throws {
        struct Trip: Decodable { var name: String?, from: Date, to: Date? }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let good = "2020-01-02T03:04:05Z"
        for (body, place) in [
            (#"[{"name": "Rome", "from": "2020"}]"#, "At $[0].from"),
            (#"[{"from": "\#(good)"}, {"from": "\#(good)", "to": "1/2/2020"}]"#, "At $[1].to"),
            (#"[{"from": "soon"}]"#, "At $[0].from"),
            (#"[{"name": "Rome", "from": "soon"}]"#, "At $[0].from or $[0].name"),
        ] {
            let line = lines(try error([Trip].self, body, decoder: decoder))[2]
            #expect(line.hasPrefix(place + ": found a string that cannot be used. "), "\(line)")
        }
        let list = lines(try error([Date].self, #"["\#(good)", "2020"]"#, decoder: decoder))[2]
        #expect(list.hasPrefix("At $[1]: found a string that cannot be used. "), "\(list)")
    }

    @Test func namesAValueThatJSONDoesNotHave() throws {
        for (body, value) in [
            (#"{"a": "NaN", "longitude": NaN, "b": 2}"#, "NaN"), ("[-Infinity]", "Infinity"),
            (#"{"items": None}"#, "None"), ("[True]", "True"), ("[undefined]", "undefined"),
        ] {
            let line = lines(try error(Page.self, body))[2]
            #expect(line.hasPrefix("The body is not JSON: "), "\(line)")
            #expect(line.hasSuffix(" JSON has no value \(value)."), "\(line)")
        }
        // Neither a string nor a key counts.
        let line = lines(try error(Page.self, #"{"NaN": "None", "b": hunter2}"#))[2]
        #expect(!line.contains("no value"))
    }

    /// Any part of such a text may be secret.
    @Test(arguments: [
        #"{"a": 1, "longitude": NaN, "b": 2}"#, #"{"token":"hunter2","a":[1,{"b":-Infinity}]}"#,
        #"{"token" "hunter2"}"#, "[{\"token\":\"hun\nter2\"}, hunter2]",
        #"{"a":[hunter2-and-other-words]}"#, "{'token': 'hunter2'}",
        "{password=hunter2, user=emma}", "[section]\npassword=hunter2", "Sorry, hunter2",
        "password=hunter2", #""hunter2"#,
    ])
    func showsNothingOfATextThatIsNotJSON(_ body: String) throws {
        let error = try error(Page.self, body)

        #expect(!lines(error).contains { $0.hasPrefix("Body: ") })
        #expect(!error.description.contains("hunter"))
    }

    /// A body that begins as if it were compressed is text.
    @Test(
        arguments: [
            ([0x1F, 0x8B, 8, 0, 0, 0xFF], nil, "gzip"),
            ([0x28, 0xB5, 0x2F, 0xFD, 0xFF], "identity", "zstd"),
            ([0x78, 0x9C, 0xED, 0], "deflate", "zlib"), ([0x78, 0x01, 0xED, 0xFF], nil, "zlib"),
            ([0xCE, 0xB2, 0xCF, 0x81, 0xFF], "br", "br"),
            ([0xCB, 0x48, 0xCD, 0xFF], "deflate", "deflate"),
            ([0x89, 0x50, 0x4E, 0x47, 0xFF], "gzip", nil), (Array("x^2".utf8), "br", nil),
            (Array("x\u{1}".utf8), nil, nil), ([0x78, 0x02, 0xED, 0xFF], nil, nil),
            ([0xCE, 0xB2, 0xCF, 0x81, 0xFF], "BR", "br"),
        ] as [([UInt8], String?, String?)])
    func saysThatABodyIsCompressed(_ bytes: [UInt8], _ coding: String?, _ name: String?) throws {
        let error = APIRequestError(
            stage: .parse,
            response: .status(200, headers: coding.map { ["Content-Encoding": $0] } ?? [:]),
            data: Data(bytes),
            underlying: DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "x")))

        let sentence = name.map { "The body is compressed with \($0), where JSON was expected." }
        #expect(lines(error)[2] == sentence ?? lines(error)[2])
        #expect(error.description.contains("compressed") == (name != nil))
    }

    @Test func showsTheLargestValueAroundThePlaceThatIsShort() throws {
        let users = (0..<50).map { #"{"id":\#($0 == 25 ? "\"ü\"" : "\($0)"),"name":"äöü🎈"}"# }
        let body = #"{"items":["# + users.joined(separator: ",\n  ") + "]}"
        let line = lines(try error(Page.self, body))[3]

        #expect(line == #"Body: …{"id":"ü","name":"äöü🎈"}…"#)
    }

    @Test(arguments: [50, 5_000])
    func findsThePlaceBesideALongSecret(_ length: Int) throws {
        let secret = String(repeating: "hunter2", count: length)
        let rest = String(repeating: "x", count: 5_000)
        let body = #"{"token":"\#(secret)","items":[{"id":"here"}],"rest":"\#(rest)"}"#
        let line = lines(try error(Page.self, body))[3]

        #expect(line == #"Body: …[{"id":"here"}]…"#)
    }

    @Test func showsAValueThatIsItselfASecretAsOne() throws {
        struct Login: Decodable { var pin: Int }
        let rest = String(repeating: "x", count: 500)
        let error = try error(Login.self, #"{"rest":"\#(rest)","pin":"hunter2","more":"\#(rest)"}"#)

        #expect(lines(error)[2] == "At $.pin: expected Int, found a string.")
        #expect(lines(error)[3] == #"Body: …"REDACTED"…"#)
    }

    @Test(arguments: 0..<8)
    func cutsBetweenCharacters(_ offset: Int) throws {
        let text = String(repeating: "x", count: offset) + String(repeating: "🎈", count: 200)
        let line = lines(try error(Page.self, #"{"items":"\#(text)"}"#))[3]

        #expect(line.utf8.count <= 206)
        #expect(line.hasPrefix(#"Body: …"x"#) || line.hasPrefix(#"Body: …"🎈"#))
        #expect(line.hasSuffix("🎈…"))
    }
}

struct PathKey: CodingKey, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    var stringValue: String
    var intValue: Int?

    init(stringValue: String) { self.stringValue = stringValue }

    init(intValue: Int) { (stringValue, self.intValue) = ("Index \(intValue)", intValue) }

    init(stringLiteral value: String) { self.init(stringValue: value) }

    init(integerLiteral value: Int) { self.init(intValue: value) }
}
