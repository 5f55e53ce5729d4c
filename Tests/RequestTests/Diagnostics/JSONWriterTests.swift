import APIKitLite
import Foundation
import TestSupport
import Testing

@Suite(.limited) struct JSONWriterTests {
    private func written(_ json: String, isPretty: Bool = false) throws -> String {
        var writer = JSONWriter(.none, isPretty: isPretty)
        writer.write(try JSONText.read(Data(json.utf8)))
        return writer.text
    }

    @Test(arguments: [
        ("[1.0,1.50,1e3,-5,0.1]", "[1,1.5,1000,-5,0.1]"),
        ("[18446744073709551615,123456789012345678901234567890]", nil),
        (#"{"b":[true,false,null],"a":{},"":[]}"#, #"{"":[],"a":{},"b":[true,false,null]}"#),
        (#""\"\\\n\u0001é\/""#, #""\"\\\n\u0001é/""#), ("7", nil),
    ])
    func writesWhatItReads(_ json: String, _ expected: String?) throws {
        #expect(try written(json) == expected ?? json)
    }

    @Test func quotesWhatFoundationReadsBack() throws {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<500 {
            let text = random.text()
            let quoted = Data(JSONText.quoted(text).utf8)
            #expect(try JSONDecoder().decode(String.self, from: quoted) == text)
        }
    }

    @Test func readsAsDeepAsFoundation() throws {
        let nested = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)

        #expect(try written(nested) == nested)
        #expect(throws: (any Error).self) { try written("[\(nested)]") }
    }

    @Test func stopsBehindItsLimit() throws {
        let list = try JSONText.read(Data("[\(String(repeating: "1,", count: 10_000))1]".utf8))
        var writer = JSONWriter(.none, upTo: 20)

        writer.write(list)

        #expect(writer.text.utf8.count > 20 && writer.text.utf8.count < 30)
    }
}
