import APIKitLite
import Foundation
import TestSupport
import Testing

/// The texts of the errors of streams.
@Suite(.limited) struct StreamErrorTests {
    private struct Item: Decodable { var id: Int }

    private func element(_ text: String) throws -> StreamError {
        let error = try #require(throws: DecodingError.self) {
            try JSONDecoder().decode([Item].self, from: Data(text.utf8))
        }
        return .unreadableElement(number: 3, text: text, underlying: error)
    }

    private func load(_ error: any Error, redaction: Redaction = .standard) throws
        -> APIRequestError
    {
        let request = try URLRequest("GET", URL(string: "https://h/v1")!)
        return APIRequestError(
            stage: .parse, request: request,
            response: HTTPURLResponse(
                url: request.url!, statusCode: 200, httpVersion: nil,
                headerFields: ["Content-Type": "text/event-stream"]),
            underlying: error, redaction: redaction)
    }

    @Test func namesTheElementThePathAndTheText() throws {
        let error = try element(#"[{"id":1},{"id":"x","token":"hunter2"}]"#)

        let text = """
            Element 3 of the stream could not be parsed.
            At $[1].id: expected Int, found a string.
            Element: [{"id":1},{"id":"x","token":"REDACTED"}]
            """
        #expect(error.description == text)
        #expect(
            try load(error).description == """
                GET https://h/v1 got an answer that could not be parsed (stage .parse).
                The server answered 200 (OK).
                \(text)
                curl 'https://h/v1'
                """)
        #expect(
            try load(error).localizedDescription
                == "A part of the server's answer could not be understood.")
    }

    @Test(arguments: [
        ("", "The element is empty, where JSON was expected.", ""),
        (#"[{"id":1,"token":"hunter2"#, "The element is not JSON: ", "<25 bytes>"),
        ("Sorry", "The element is not JSON: ", "Sorry"),
        ("[1.5]", "At $[0]: expected an object, found a number.", "[1.5]"),
    ])
    func saysWhyAnElementIsNotJSON(_ text: String, _ reason: String, _ shown: String) throws {
        let description = try element(text).description
        #expect(description.hasPrefix("Element 3 of the stream could not be parsed.\n\(reason)"))
        #expect(description.hasSuffix("\nElement: \(shown)"))
    }

    @Test func showsTheOriginalErrorOfAnyOtherParser() {
        struct Refusal: Error, CustomStringConvertible { let description = "wrong letter" }
        let error = StreamError.unreadableElement(number: 1, text: "a", underlying: Refusal())

        #expect(
            error.description == """
                Element 1 of the stream could not be parsed.
                wrong letter
                Element: a
                """)
    }

    @Test func showsAnExcerptOfALongElement() throws {
        let long = String(repeating: "x", count: 100_000)
        let error = try element("[\"\(long)\"]")

        guard case .unreadableElement(_, let text, _) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(text.utf8.count == 100_004)
        #expect(error.description.utf8.count < 400)
    }

    @Test func hidesTheSecretsOfTheRequest() throws {
        let error = try element(#"[{"id":"x","birthday":"May 1"}]"#)
        let event = StreamError.event(
            ServerSentEvent(event: "error", data: #"{"birthday":{"day":"May 1"}}"#))

        for error in [error, event] as [any Error] {
            #expect("\(error)".contains("May 1"))
            #expect(
                try !load(error, redaction: .standard.adding("birthday")).description
                    .contains("May 1"))
        }
    }

    @Test func quotesTheEventOfAnError() throws {
        let data = #"{"message":"overloaded","api_key":"hunter2"}"#
        let error = StreamError.event(ServerSentEvent(event: "error", data: data))

        #expect(
            error.description == """
                The server sent an event of the type "error".
                Data: {"api_key":"REDACTED","message":"overloaded"}
                """)
        #expect(try load(error).description.contains(error.description))
        #expect(
            try load(error).localizedDescription == "The server reported an error in its answer.")
        #expect(
            !String(reflecting: Mirror(reflecting: error).children.map(\.value)).contains("hunter2")
        )
    }

    @Test(
        arguments: [
            (
                .unfinished(terminator: "[DONE]", elementCount: 1),
                "The stream ended after 1 element, without its terminator \"[DONE]\".", tooEarly
            ),
            (
                .unfinished(terminator: "end", elementCount: 0),
                "The stream ended after 0 elements, without its terminator \"end\".", tooEarly
            ),
            (
                .unfinished(terminator: "[DONE]", elementCount: 2, droppedBytes: 93),
                "The stream ended after 2 elements, without its terminator \"[DONE]\".\n"
                    + "An unfinished event with 93 bytes of data was dropped: an event ends with an "
                    + "empty line.", tooEarly
            ),
            (
                .noEvents(connectionCount: 3),
                "The server ended 3 connections in a row without an event.", tooEarly
            ),
            (
                .lineTooLong(limit: 16_777_216),
                "A line of the stream is longer than 16,777,216 bytes, the `longestLine` of its "
                    + "parser.", tooLong
            ),
            (
                .eventTooLong(limit: 1),
                "The data of an event is longer than 1 byte, the `longestLine` of its parser.",
                tooLong
            ),
            (
                .unexpectedContentType(found: "text/html", expected: ["a/b", "c/d"]),
                "The answer is text/html; a/b or c/d was expected.", otherFormat
            ),
            (
                .compressed,
                "The body is compressed with gzip, and the session did not decompress it. Either "
                    + "the server compressed it without the header \"Content-Encoding: gzip\", or "
                    + "it sent a file that is compressed itself.", otherFormat
            ),
        ] as [(StreamError, String, String)])
    func readsAsSentences(_ error: StreamError, _ description: String, _ sentence: String) throws {
        #expect(error.description == description)
        #expect(try load(error).description.contains("\n\(description)\n"))
        #expect(error.localizedDescription == sentence)
        #expect(try load(error).localizedDescription == sentence)
    }

    private static let tooEarly = "The server's answer ended too early."
    private static let tooLong = "The server's answer is too long."
    private static let otherFormat = "The server's answer has an unexpected format."
}
