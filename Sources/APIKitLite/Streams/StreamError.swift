import Foundation

/// An error of the format of a stream, or of one of its elements.
public enum StreamError: LocalizedError, RedactingError {
    /// An element cannot be parsed. Its number counts from 1, and the underlying error is the
    /// original one, such as a `DecodingError`. The texts of this error show an excerpt of the
    /// element without secrets; the text itself is complete.
    case unreadableElement(number: Int, text: String, underlying: any Error)
    /// The server sent an error as an event of the type `error`. The texts of this error hide
    /// secrets in its data; the event itself is complete.
    case event(ServerSentEvent)
    /// The stream ended without the event that ends a whole stream, such as `[DONE]`, so elements
    /// may be missing. If the stream ended within an event, `droppedBytes` is the size of its data.
    case unfinished(terminator: String, elementCount: Int, droppedBytes: Int = 0)
    /// A line is longer than this number of bytes, which is what the parser keeps in memory.
    case lineTooLong(limit: Int)
    /// The data of an event, in all its lines, is longer than this number of bytes.
    case eventTooLong(limit: Int)
    /// The parser cannot parse the media type of the response, such as an HTML page. The types are
    /// in lower case and without parameters.
    case unexpectedContentType(found: String, expected: [String])
    /// The body is compressed with gzip although a parser of text got it.
    case compressed
    /// The server ended this number of connections in a row without an event.
    case noEvents(connectionCount: Int)

    /// The text for a developer, with the beginning of the element or of the data of an event.
    public var description: String { redactedDescription }

    /// The text for a user.
    public var errorDescription: String? {
        switch self {
        case .unreadableElement: "A part of the server's answer could not be understood."
        case .event: "The server reported an error in its answer."
        case .unfinished, .noEvents: "The server's answer ended too early."
        case .lineTooLong, .eventTooLong: "The server's answer is too long."
        case .unexpectedContentType, .compressed: "The server's answer has an unexpected format."
        }
    }

    package func sentences(redacting redaction: Redaction) -> [String] {
        switch self {
        case .unreadableElement(let number, let text, let error):
            return ["Element \(number) of the stream could not be parsed."]
                + reason(of: text, error, redaction)
        case .event(let event):
            return [
                "The server sent an event of the type \(event.event.debugDescription).",
                "Data: \(redaction.element(event.data).excerpt())",
            ]
        case .unfinished(let terminator, let count, let droppedBytes):
            let elements = count == 1 ? "1 element" : "\(count) elements"
            let ended =
                "The stream ended after \(elements), without its terminator "
                + "\(terminator.debugDescription)."
            guard droppedBytes > 0 else { return [ended] }
            return [
                ended,
                "An unfinished event with \(byteCount(droppedBytes)) of data was dropped: an event "
                    + "ends with an empty line.",
            ]
        case .lineTooLong(let limit): return [tooLong("A line of the stream", limit)]
        case .eventTooLong(let limit): return [tooLong("The data of an event", limit)]
        case .unexpectedContentType(let found, let expected):
            return ["The answer is \(found); \(expected.joined(separator: " or ")) was expected."]
        case .compressed:
            return [
                "The body is compressed with gzip, and the session did not decompress it. Either "
                    + "the server compressed it without the header \"Content-Encoding: gzip\", or "
                    + "it sent a file that is compressed itself."
            ]
        case .noEvents(let count):
            return ["The server ended \(count) connections in a row without an event."]
        }
    }

    package var needsBody: Bool { quotation == nil }

    private var quotation: String? {
        switch self {
        case .unreadableElement(_, let text, _): text
        case .event(let event): event.text
        default: nil
        }
    }

    private func reason(of text: String, _ error: any Error, _ redaction: Redaction) -> [String] {
        let start = redaction.element(text).excerpt()
        guard let error = error as? DecodingError else {
            let error = APIRequestError(stage: .parse, underlying: error, redaction: redaction)
            return error.reason + ["Element: " + start]
        }
        let element = UndecodedText(
            subject: "The element", data: Data(text.utf8), redaction: redaction)
        let (sentence, excerpt) = element.reason(error)
        return [sentence, "Element: " + (excerpt ?? start)]
    }

    private func tooLong(_ subject: String, _ limit: Int) -> String {
        "\(subject) is longer than \(byteCount(limit)), the `longestLine` of its parser."
    }
}

extension StreamError: Equatable {
    /// Whether two errors have the same description, and are about the same text of the server.
    ///
    /// An underlying error need not be `Equatable`.
    public static func == (left: StreamError, right: StreamError) -> Bool {
        left.description == right.description && left.quotation == right.quotation
    }
}
