import APIKitLite
import TestSupport

@Suite(.limited) struct LastElementTests {
    /// The response of a language model's API ends at its last piece, and is cut without it.
    private func expectEnd(
        of pieces: [String], words: [String] = ["Hel", "lo"], cut cutWords: [String]? = nil,
        _ parser: some StreamParser<String>, _ location: SourceLocation = #_sourceLocation
    ) {
        for rest in ["", "data: x\n\n"] {
            let isWhole = parser.delivers(words, of: pieces.joined() + rest)
            #expect(isWhole, sourceLocation: location)
        }
        let cut = pieces.dropLast().joined()
        let unfinished = StreamError.unfinished(elementCount: pieces.count - 1)
        let isCut = parser.delivers(cutWords ?? words, then: unfinished, of: cut)
        #expect(isCut, sourceLocation: location)
        for count in 1..<cut.utf8.count {
            var parser = parser
            let error = parser.deliver([Data(cut.utf8).prefix(count)]).error
            #expect(error != nil, "\(count) bytes", sourceLocation: location)
        }
    }

    private func event(_ json: String, type: String = "message") -> String {
        ServerSentEvent(event: type, data: json).text
    }

    @Test func anthropicsMessagesEndAtMessageStop() {
        struct Message: Decodable {
            struct Delta: Decodable { var text: String? }
            var delta: Delta?
        }
        expectEnd(
            of: [
                event(#"{"type":"message_start","message":{"content":[]}}"#, type: "message_start"),
                event(#"{"type": "ping"}"#, type: "ping"),
                event(#"{"index":0,"delta":{"text":"Hel"}}"#, type: "content_block_delta"),
                event(#"{"index":0,"delta":{"text":"lo"}}"#, type: "content_block_delta"),
                event(#"{"delta":{"stop_reason":"end_turn"}}"#, type: "message_delta"),
                event(#"{"type":"message_stop"  }"#, type: "message_stop"),
            ],
            ServerSentEvents().until { $0.event == "message_stop" }
                .json(Message.self).compactMap { $0.delta?.text })
    }

    @Test(arguments: ["completed", "incomplete", "failed"])
    func openAIsResponsesEndAtOneOfThreeEvents(_ end: String) {
        struct Event: Decodable { var delta: String? }
        let ends = ["response.completed", "response.incomplete", "response.failed"]
        expectEnd(
            of: [
                event(#"{"response":{"error":null}}"#, type: "response.created"),
                event(#"{"delta":"Hel"}"#, type: "response.output_text.delta"),
                event(#"{"delta":"lo"}"#, type: "response.output_text.delta"),
                event(#"{"text":"Hello"}"#, type: "response.output_text.done"),
                event(#"{"response":{"status":"\#(end)"}}"#, type: "response.\(end)"),
            ],
            ServerSentEvents().until { ends.contains($0.event) }
                .json(Event.self).compactMap(\.delta))
    }

    /// As many servers send them: `[DONE]` is no JSON.
    @Test func chatCompletionsEndAtDone() {
        struct Chunk: Decodable {
            struct Choice: Decodable { var delta: Delta }
            struct Delta: Decodable { var content: String }
            var choices: [Choice]
        }
        expectEnd(
            of: [
                event(#"{"choices":[{"delta":{"role":"assistant","content":"Hel"}}]}"#),
                event(#"{"choices":[{"delta":{"content":"lo"},"finish_reason":"stop"}]}"#),
                event("[DONE]"),
            ],
            ServerSentEvents().until(data: "[DONE]")
                .json(Chunk.self).compactMap { $0.choices.first?.delta.content })
    }

    /// The last element is the one with a `finishReason`, and has a text.
    @Test func geminisStreamEndsAtTheReason() {
        struct Generation: Decodable {
            struct Candidate: Decodable { var content: Content, finishReason: String? }
            struct Content: Decodable { var parts: [Part] }
            struct Part: Decodable { var text: String }
            var candidates: [Candidate]
        }
        expectEnd(
            of: [
                event(#"{"candidates":[{"content":{"parts":[{"text":"Hel"}]}}]}"#),
                event(
                    #"{"candidates":[{"content":{"parts":[{"text":"lo"}]},"finishReason":"STOP"}]}"#
                ),
            ], cut: ["Hel"],
            ServerSentEvents().json(Generation.self)
                .until { $0.candidates.first?.finishReason != nil }
                .compactMap { $0.candidates.first?.content.parts.first?.text })
    }

    /// As local models send them.
    @Test func linesEndWhereTheyAreDone() {
        struct Line: Decodable { var text: String, done: Bool }
        expectEnd(
            of: [
                #"{"text":"Hel","done":false}\#n"#, #"{"text":"lo","done":false}\#n"#,
                #"{"text":"","done":true}\#n"#,
            ], words: ["Hel", "lo", ""], cut: ["Hel", "lo"],
            JSONLines(Line.self).until(\.done).map(\.text))
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
