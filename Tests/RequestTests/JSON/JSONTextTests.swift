import APIKitLite
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct JSONTextTests {
    private struct Key: CodingKey, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
        var stringValue: String
        var intValue: Int?
        init(stringValue: String) { self.stringValue = stringValue }
        init(intValue: Int) { (stringValue, self.intValue) = ("Index \(intValue)", intValue) }
        init(stringLiteral value: String) { self.init(stringValue: value) }
        init(integerLiteral value: Int) { self.init(intValue: value) }
    }

    private func text(at path: [Key], in json: String) throws -> String? {
        let json = try JSONText(json.utf8)
        return json.value(at: path).map { String(decoding: json.bytes[$0.range], as: UTF8.self) }
    }

    @Test func findsTheTextOfAValue() throws {
        let json = #" {"a": [1, {"b\"c" : "é\n" }, -1.5e+3], "user_id" :true, "a ":null} "#

        #expect(try text(at: [], in: json) == json.trimmingCharacters(in: .whitespaces))
        #expect(try text(at: ["a", 1, "b\"c"], in: json) == #""é\n""#)
        #expect(try text(at: ["a", 2], in: json) == "-1.5e+3")
        #expect(try text(at: ["userId"], in: json) == "true")
        #expect(try text(at: ["a", 3], in: json) == nil)
        #expect(try text(at: ["a", "b"], in: json) == nil)
        #expect(try text(at: ["none"], in: json) == nil)
    }

    @Test func saysWhereJSONEnds() {
        let rows: [(String, JSONText.Failure)] = [
            ("", .truncated(at: 0)), ("  ", .truncated(at: 2)), ("[1", .truncated(at: 2)),
            (#"{"a""#, .truncated(at: 4)), (#""a\"#, .truncated(at: 3)), ("tru", .truncated(at: 3)),
            ("-", .truncated(at: 1)), ("1e", .truncated(at: 2)), (#"["\u00"#, .truncated(at: 6)),
            ("[1,]", .unexpected(at: 3)), ("[1]]", .unexpected(at: 3)), ("01", .unexpected(at: 1)),
            ("{a:1}", .unexpected(at: 1)), ("\"\n\"", .unexpected(at: 1)),
            ("+1", .unexpected(at: 0)),
            (#""\x""#, .unexpected(at: 2)), ("1.", .truncated(at: 2)), ("nul!", .unexpected(at: 3)),
            ("<html>", .unexpected(at: 0)), (#"{"a" 1}"#, .unexpected(at: 5)),
            ("[1 2]", .unexpected(at: 3)),
        ]
        for (text, failure) in rows {
            #expect(throws: failure, "\(text)") { try JSONText(text.utf8) }
        }
    }

    @Test func readsAsDeepAsFoundationAndNoDeeper() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: #"[{"a":"#, count: depth / 2) + "1"
                + String(repeating: "}]", count: depth / 2)
        }
        _ = try JSONText(nested(512).utf8)
        _ = try JSONText("[\(String(repeating: "[],{},", count: 600))1]".utf8)
        #expect(throws: JSONText.Failure.tooDeep(at: 1536)) { try JSONText(nested(514).utf8) }
        #expect(throws: JSONText.Failure.tooDeep(at: 512)) {
            try JSONText(String(repeating: "[", count: 1_000_000).utf8)
        }
    }

    @Test func refusesBytesThatAreNotText() {
        #expect(throws: JSONText.Failure.notUTF8) { try JSONText([0x22, 0xff, 0x22]) }
        #expect(throws: JSONText.Failure.truncated(at: 2)) { try JSONText([0x22, 0xc3]) }
    }

    @Test(arguments: [#"a\"\\\/\b\f\n\r\tz"#, #"\u00e9\ud83c\udf88é"#, #"\ud800x"#, #"\u0041"#])
    func unescapesAsFoundationDoes(_ escaped: String) throws {
        let json = try JSONText("\"\(escaped)\"".utf8)
        let own = json.string(at: json.root.range)

        // Foundation refuses half a character; what stands here for it does not matter.
        let theirs = try? JSONDecoder().decode(String.self, from: Data(json.bytes))
        #expect(own == theirs ?? "\u{fffd}x")
    }

    @Test func quotesWhatFoundationReadsBack() throws {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<500 {
            let text = random.text()
            let quoted = Data(JSONText.quoted(text).utf8)
            #expect(try JSONDecoder().decode(String.self, from: quoted) == text)
        }
    }

    @Test func agreesWithFoundationOnMutatedJSON() {
        var random = SeededGenerator(seed: 3)
        let seed = Array(#"{"a":[1,-2.5e3,"x\n\u00e9é",{"b":null,"c":true}],"token":"t"} "#.utf8)
        let bytes = Array(#"{}[]":,\u0e-+.1tfn "#.utf8) + [0, 0x0a, 0x7f, 0xc3, 0xff]
        for _ in 0..<5_000 {
            var text = seed
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<text.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: text[index] = bytes.randomElement(using: &random)!
                case 1: text.remove(at: index)
                default: text.insert(bytes.randomElement(using: &random)!, at: index)
                }
            }
            var isJSON = true
            // Two readers of one grammar.
            let failures = [
                failure { () throws(JSONText.Failure) in _ = try JSONText(text) },
                failure { () throws(JSONText.Failure) in _ = try JSONValue(text) },
            ]
            #expect(failures[0] == failures[1])
            do throws(JSONText.Failure) {
                _ = try JSONText(text)
            } catch {
                // Foundation on Linux lets a comma stand before the end; RFC 8259 does not.
                if case .unexpected(let index) = error, index < text.count,
                    "}]".utf8.contains(text[index])
                {
                    continue
                }
                isJSON = false
            }
            let theirs = try? JSONSerialization.jsonObject(
                with: Data(text), options: .fragmentsAllowed)
            #expect(isJSON == (theirs != nil), "\(String(decoding: text, as: UTF8.self))")
            _ = Redaction.standard.body(Data(text), contentType: "application/json")
        }
    }

    private func failure(_ read: () throws(JSONText.Failure) -> Void) -> JSONText.Failure? {
        do throws(JSONText.Failure) {
            try read()
            return nil
        } catch {
            return error
        }
    }

    @Test func readsAnyBytesWithoutACrash() {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<5_000 {
            let bytes = (0..<Int.random(in: 0..<64, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            _ = try? JSONText(bytes)
            let text = String(decoding: bytes, as: UTF8.self)
            _ = Redaction.standard.url(text)
            _ = Redaction.standard.body(
                Data(bytes), contentType: "application/x-www-form-urlencoded")
            #expect(Redaction.none.url(text) == text)
        }
    }
}
