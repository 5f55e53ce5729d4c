import APIKitLite
import APIKitLiteTesting
import TestSupport

/// Words as the data of events, which `[DONE]` ends.
struct WordsRequest: StreamedAPIRequest {
    struct Word: Codable, Equatable, Sendable { var text: String }

    var baseURL = URL.api

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
    func makeRequest(from: Void) throws -> URLRequest { .test("events") }
    func makeParser(for response: HTTPURLResponse) -> ServerSentEvents { ServerSentEvents() }
}

extension AsyncSequence {
    /// Returns the elements up to the limit, the end or an error, and the error.
    func outcome(
        limit: Int = .max, isolation: isolated (any Actor)? = #isolation,
        onElement: (Element) -> Void = { _ in }
    ) async -> (elements: [Element], error: APIRequestError?) {
        var elements: [Element] = []
        do {
            for try await element in self {
                elements.append(element)
                onElement(element)
                if elements.count == limit { break }
            }
            return (elements, nil)
        } catch { return (elements, error as? APIRequestError) }
    }
}

/// The response of a server of events, in these pieces.
func events(
    _ pieces: String..., status: Int = 200, every interval: Duration = .zero
) -> MockResponse {
    .chunks(pieces, every: interval, contentType: "text/event-stream", status: status)
}
