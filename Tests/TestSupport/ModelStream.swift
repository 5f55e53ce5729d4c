import APIKitLite
import Foundation

/// The response of a language model's API, in the form of one provider, and its words.
package struct ModelStream: StreamedAPIRequest, CustomStringConvertible {
    package let description: String
    /// The texts of the events or lines. The last one ends the stream.
    package let pieces: [String]
    package let words: [String]
    package let contentType: String
    private let parser: @Sendable () -> any StreamParser<String>

    private init(
        _ description: String, _ pieces: [String], words: [String] = ["Hel", "lo"],
        contentType: String = "text/event-stream",
        _ parser: @escaping @Sendable () -> any StreamParser<String>
    ) {
        self.description = description
        self.pieces = pieces
        self.words = words
        self.contentType = contentType
        self.parser = parser
    }

    package func makeRequest(from: Void) throws -> URLRequest {
        try URLRequest("POST", URL(string: "https://api.example.com")!, path: "/messages")
    }

    package func makeParser(for response: HTTPURLResponse) -> AnyParser {
        AnyParser(base: parser())
    }

    package struct AnyParser: StreamParser {
        var base: any StreamParser<String>

        package var isComplete: Bool { base.isComplete }
        package var mediaTypes: [String] { base.mediaTypes }

        package mutating func parse(_ bytes: Data, into elements: inout [String]) throws {
            try base.parse(bytes, into: &elements)
        }

        package mutating func finish(into elements: inout [String]) throws {
            try base.finish(into: &elements)
        }
    }
}

private func event(_ json: String, type: String = "message") -> String {
    ServerSentEvent(event: type, data: json).text
}

extension ModelStream {
    package static let all = [messages, chat, gemini, lines] + responses

    /// Anthropic's Messages: the event `message_stop` is the last.
    private static let messages = ModelStream(
        "Messages",
        [
            event(#"{"type":"message_start","message":{"content":[]}}"#, type: "message_start"),
            event(#"{"type": "ping"}"#, type: "ping"),
            event(#"{"index":0,"delta":{"text":"Hel"}}"#, type: "content_block_delta"),
            event(#"{"index":0,"delta":{"text":"lo"}}"#, type: "content_block_delta"),
            event(#"{"delta":{"stop_reason":"end_turn"}}"#, type: "message_delta"),
            event(#"{"type":"message_stop"  }"#, type: "message_stop"),
        ]
    ) {
        struct Message: Decodable {
            struct Delta: Decodable { var text: String? }
            var delta: Delta?
        }
        return ServerSentEvents().until { $0.event == "message_stop" }
            .json(Message.self).compactMap { $0.delta?.text }
    }

    /// OpenAI's Responses: one of three events is the last.
    private static let responses = ["completed", "incomplete", "failed"].map { end in
        ModelStream(
            "Responses, \(end)",
            [
                event(#"{"response":{"error":null}}"#, type: "response.created"),
                event(#"{"delta":"Hel"}"#, type: "response.output_text.delta"),
                event(#"{"delta":"lo"}"#, type: "response.output_text.delta"),
                event(#"{"text":"Hello"}"#, type: "response.output_text.done"),
                event(#"{"response":{"status":"\#(end)"}}"#, type: "response.\(end)"),
            ]
        ) {
            struct Event: Decodable { var delta: String? }
            let ends = ["response.completed", "response.incomplete", "response.failed"]
            return ServerSentEvents().until { ends.contains($0.event) }
                .json(Event.self).compactMap(\.delta)
        }
    }

    /// Chat completions, as many servers send them: `[DONE]` is no JSON.
    private static let chat = ModelStream(
        "Chat completions",
        [
            event(#"{"choices":[{"delta":{"role":"assistant","content":"Hel"}}]}"#),
            event(#"{"choices":[{"delta":{"content":"lo"},"finish_reason":"stop"}]}"#),
            event("[DONE]"),
        ]
    ) {
        struct Chunk: Decodable {
            struct Choice: Decodable { var delta: Delta }
            struct Delta: Decodable { var content: String }
            var choices: [Choice]
        }
        return ServerSentEvents().until(data: "[DONE]")
            .json(Chunk.self).compactMap { $0.choices.first?.delta.content }
    }

    /// Gemini: the last element is the one with a `finishReason`, and has a text.
    private static let gemini = ModelStream(
        "Gemini",
        [
            event(#"{"candidates":[{"content":{"parts":[{"text":"Hel"}]}}]}"#),
            event(#"{"candidates":[{"content":{"parts":[{"text":"lo"}]},"finishReason":"STOP"}]}"#),
        ]
    ) {
        struct Generation: Decodable {
            struct Candidate: Decodable {
                var content: Content
                var finishReason: String?
            }
            struct Content: Decodable { var parts: [Part] }
            struct Part: Decodable { var text: String }
            var candidates: [Candidate]
        }
        return ServerSentEvents().json(Generation.self)
            .until { $0.candidates.first?.finishReason != nil }
            .compactMap { $0.candidates.first?.content.parts.first?.text }
    }

    /// JSON Lines, as local models send them.
    private static let lines = ModelStream(
        "JSON Lines",
        [
            #"{"text":"Hel","done":false}"#, #"{"text":"lo","done":false}"#,
            #"{"text":"","done":true}"#,
        ]
        .map { $0 + "\n" },
        words: ["Hel", "lo", ""], contentType: "application/x-ndjson"
    ) {
        struct Line: Decodable {
            var text: String
            var done: Bool
        }
        return JSONLines(Line.self).until(\.done).map(\.text)
    }
}
