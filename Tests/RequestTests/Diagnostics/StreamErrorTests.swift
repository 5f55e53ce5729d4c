import APIKitLite
import Foundation
import TestSupport
import Testing

/// The texts of the errors of streams.
@Suite(.limited) struct StreamErrorTests {
    private struct Item: Decodable { var id: Int }

    /// The error of a stream whose element cannot be decoded.
    private func undecoded(_ text: String, redaction: Redaction = .standard) throws
        -> APIRequestError
    {
        var lines = JSONLines([Item].self)
        let error = try #require(throws: DecodingError.self) {
            try lines.parse(Data(text.utf8)) + lines.finish()
        }
        return try load(error, redaction: redaction)
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

    @Test func namesThePathAndTheElement() throws {
        let error = try undecoded(#"[{"id":1},{"id":"x","token":"hunter2"}]"#)

        #expect(
            error.description == """
                GET https://h/v1 got an answer that could not be parsed (stage .parse).
                The server answered 200 (OK).
                At $[1].id: expected Int, found a string.
                Element: [{"id":1},{"id":"x","token":"REDACTED"}]
                curl 'https://h/v1'
                """)
        #expect(error.localizedDescription == "The server's answer could not be understood.")
        // The decoding error has the element, but does not show it.
        #expect(!"\(error.underlying)".contains("hunter2"))
        #expect(!String(reflecting: error.underlying).contains("hunter2"))
    }

    @Test(arguments: [
        (#"[{"id":1,"token":"hunter2"#, "The element is not JSON: ", "<25 bytes>"),
        ("Sorry", "The element is not JSON: ", "Sorry"),
        ("[1.5]", "At $[0]: expected an object, found a number.", "[1.5]"),
    ])
    func saysWhyAnElementIsNotJSON(_ text: String, _ reason: String, _ shown: String) throws {
        let description = try undecoded(text).description
        #expect(description.contains("\n\(reason)"))
        #expect(description.contains("\nElement: \(shown)\n"))
    }

    @Test func keepsTheErrorThatAnElementThrows() throws {
        struct Refusal: Error, Equatable {}
        struct Picky: Decodable {
            init(from decoder: any Decoder) throws { throw Refusal() }
        }

        var lines = JSONLines(Picky.self)
        #expect(throws: Refusal()) { try lines.parse(Data("1\n".utf8)) }
    }

    @Test func showsAnExcerptOfALongElement() throws {
        let long = String(repeating: "x", count: 100_000)

        #expect(try undecoded("[\"\(long)\"]").description.utf8.count < 600)
    }

    @Test func hidesTheSecretsOfTheRequest() throws {
        let redaction = Redaction.standard.adding("birthday")
        let element = try undecoded(
            #"[{"id":"x","birthday":"May 1"}]"#, redaction: redaction)
        let event = StreamError.event(
            ServerSentEvent(event: "error", data: #"{"birthday":{"day":"May 1"}}"#))

        #expect(!element.description.contains("May 1"))
        #expect("\(event)".contains("May 1"))
        #expect(try !load(event, redaction: redaction).description.contains("May 1"))
    }

    @Test func quotesTheEventOfAnError() throws {
        let data = #"{"message":"overloaded","api_key":"hunter2"}"#
        let error = StreamError.event(ServerSentEvent(event: "error", data: data))

        #expect(
            error.description == """
                The server sent an event of the type "error".
                Data: {"message":"overloaded","api_key":"REDACTED"}
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
                .unfinished(elementCount: 1),
                "The stream ended too early, after 1 element: the last one is missing. An event "
                    + "without an empty line after it is dropped.", tooEarly
            ),
            (
                .unfinished(elementCount: 0),
                "The stream ended too early, after 0 elements: the last one is missing. An event "
                    + "without an empty line after it is dropped.", tooEarly
            ),
            (
                .noEvents(connectionCount: 3),
                "The server ended 3 connections in a row without an event.", tooEarly
            ),
            (
                .lineTooLong(limit: 16_777_216),
                "A line of the stream, or the data of an event, is longer than 16,777,216 bytes, "
                    + "the `longestLine` of its parser.", "The server's answer is too long."
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
    private static let otherFormat = "The server's answer has an unexpected format."
}
