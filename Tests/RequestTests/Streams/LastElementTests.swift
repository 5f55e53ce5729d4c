import APIKitLite
import TestSupport

@Suite(.limited) struct LastElementTests {
    @Test(arguments: ModelStream.all)
    func endsAtTheLastElementOfAModelsStream(_ stream: ModelStream) throws {
        let whole = Data(stream.pieces.joined().utf8)

        for pieces in whole.allPieces {
            var parser = stream.makeParser(for: .status(200))
            let (words, error) = parser.deliver(pieces)
            #expect(words == stream.words)
            #expect(error == nil)
            // A line at the end of the body needs no line end.
            #expect(parser.isComplete)
        }
        #expect(try stream.parseResponse(data: whole + Data("data: x\n\n".utf8)) == stream.words)
    }

    @Test(arguments: ModelStream.all)
    func aModelsStreamWithoutItsLastElementIsCut(_ stream: ModelStream) {
        let cut = Data(stream.pieces.dropLast().joined().utf8)

        for pieces in cut.allPieces {
            var parser = stream.makeParser(for: .status(200))
            let (words, error) = parser.deliver(pieces)
            #expect(stream.words.starts(with: words) && words.count >= stream.words.count - 1)
            #expect(error as? StreamError == .unfinished(elementCount: stream.pieces.count - 1))
            #expect(!parser.isComplete)
        }
        for count in 1..<cut.count {
            var parser = stream.makeParser(for: .status(200))
            #expect(parser.deliver([cut.prefix(count)]).error != nil, "\(count) bytes")
        }
    }

    /// A parser of another module: each byte is an element, and `.` ends the body.
    private struct Letters: StreamParser {
        private(set) var isComplete = false

        mutating func parse(_ bytes: Data, into letters: inout [Character]) throws {
            for byte in bytes {
                let letter = Character(UnicodeScalar(byte))
                if letter == "?" { throw TestError(number: 1) }
                isComplete = letter == "."
                if isComplete { return }
                letters.append(letter)
            }
        }

        func finish(into letters: inout [Character]) { letters.append("$") }
    }

    @Test(
        arguments: [
            ("abz", "abz", nil), ("abzcd", "abz", nil),
            // What follows the last element is not parsed, even in the same piece.
            ("abz?", "abz", nil),
            // The end of the other parser is an end, too.
            ("ab.z", "ab", nil),
            ("ab?z", "ab", TestError(number: 1)), ("a!z", "a", TestError(number: 2)),
            ("ab", "ab$", StreamError.unfinished(elementCount: 3)),
            ("", "$", StreamError.unfinished(elementCount: 1)),
        ] as [(String, String, (any Error)?)])
    func endsAnyParser(_ body: String, _ letters: String, _ expected: (any Error)?) {
        let parser = Letters().until { letter in
            if letter == "!" { throw TestError(number: 2) }
            return letter == "z"
        }
        #expect(parser.delivers(Array(letters), then: expected, of: body))
    }

    @Test func theElementAtTheEndOfTheBodyMayBeTheLast() {
        var parser = Letters().until { $0 == "$" }

        #expect(parser.deliver([Data("ab".utf8)]).error == nil)
        #expect(parser.isComplete)
    }
}
