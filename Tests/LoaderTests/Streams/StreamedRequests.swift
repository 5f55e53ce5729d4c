import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport

/// Words as the data of events, which `[DONE]` ends.
struct WordsRequest: StreamedAPIRequest {
    struct Word: Codable, Equatable, Sendable {
        var text: String
    }

    var baseURL = URL(string: "https://api.example.com")!

    func makeRequest(from path: String) throws -> URLRequest {
        try URLRequest("GET", baseURL, path: path)
    }

    func makeParser(for response: HTTPURLResponse) -> some StreamParser<Word> {
        ServerSentEvents().until(data: "[DONE]").json(Word.self)
    }
}

extension MockResponse {
    /// Events with a word each, and the terminator.
    static func words(_ words: String..., every interval: Duration = .zero) -> MockResponse {
        .chunks(
            words.map { event($0) } + ["data: [DONE]\n\n"], every: interval,
            contentType: "text/event-stream")
    }

    static func event(_ word: String) -> String { "data: {\"text\":\"\(word)\"}\n\n" }
}

/// Events as they are, which may end anywhere.
struct EventsRequest: StreamedAPIRequest {
    var longestLine = 16 * 1_048_576

    func makeRequest(from: Void) throws -> URLRequest { .test("events") }

    func makeParser(for response: HTTPURLResponse) -> ServerSentEvents {
        ServerSentEvents(longestLine: longestLine)
    }
}

/// A session that gives the same body to every stream.
struct BodySession: HTTPSession {
    var status = 200
    var headers = ["Content-Type": "text/event-stream"]
    let body: @Sendable () -> HTTPBody

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        let response = HTTPURLResponse(
            url: request.url!, statusCode: status, httpVersion: nil, headerFields: headers)!
        return (body(), response)
    }
}

extension AsyncSequence {
    /// Returns the elements up to the end or an error, and the error.
    func outcome(isolation: isolated (any Actor)? = #isolation) async -> (
        elements: [Element], error: APIRequestError?
    ) {
        var elements: [Element] = []
        do {
            for try await element in self { elements.append(element) }
            return (elements, nil)
        } catch {
            return (elements, error as? APIRequestError)
        }
    }
}
