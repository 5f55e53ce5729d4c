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

    @Test func hidesTheElementAndTheEventFromReflection() throws {
        let undecoded = try undecoded(#"[{"id":"x","token":"hunter2"}]"#).underlying
        let event = StreamError.event(
            ServerSentEvent(event: "error", data: #"{"api_key":"hunter2"}"#))

        for text in [
            "\(undecoded)", String(reflecting: undecoded),
            String(reflecting: Mirror(reflecting: event).children.map(\.value)),
        ] {
            #expect(!text.contains("hunter2"))
        }
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
}
