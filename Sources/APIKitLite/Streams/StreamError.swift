import Foundation

/// An error of the format of a stream, or of one of its elements.
public enum StreamError: LocalizedError, RedactingError, Equatable {
    /// The server sent an error as an event of the type `error`. The texts of this error hide
    /// secrets in its data; the event itself is complete.
    case event(ServerSentEvent)
    /// The stream ended without its last element, which ``StreamParser/until(_:)`` describes. The
    /// count is the number of elements before the end.
    case unfinished(elementCount: Int)
    /// A line, or the data of an event in all its lines, is longer than this number of bytes, which
    /// is what the parser keeps in memory.
    case lineTooLong(limit: Int)
    /// The parser cannot parse the media type of the response, such as an HTML page. The types are
    /// in lower case and without parameters. If the body shows that it is no event stream, although
    /// the headers do not say so, what was found is `JSON`, for example.
    case unexpectedContentType(found: String, expected: [String])
    /// The body is compressed with gzip although a parser of text got it.
    case compressed
    /// The server ended this number of connections in a row without an event.
    case noEvents(connectionCount: Int)

    /// The text for a developer, with the beginning of the data of an event.
    public var description: String { text(redacting: .standard) }

    /// The text for a user.
    public var errorDescription: String? {
        switch self {
        case .event: "The server reported an error in its answer."
        case .unfinished, .noEvents: "The server's answer ended too early."
        case .lineTooLong: "The server's answer is too long."
        case .unexpectedContentType, .compressed: "The server's answer has an unexpected format."
        }
    }

    func text(redacting redaction: Redaction) -> String {
        switch self {
        case .event(let event):
            """
            The server sent an event of the type \(event.event.debugDescription).
            Data: \(redaction.excerpt(ofElement: Data(event.data.utf8)))
            """
        case .unfinished(let count):
            """
            The stream ended too early, after \(count == 1 ? "1 element" : "\(count) elements"): the \
            last one is missing. An event without an empty line after it is dropped.
            """
        case .lineTooLong(let limit):
            """
            A line of the stream, or the data of an event, is longer than \(byteCount(limit)), the \
            `longestLine` of its parser.
            """
        case .unexpectedContentType(let found, let expected):
            "The answer is \(found); \(expected.joined(separator: " or ")) was expected."
        case .compressed:
            """
            The body is compressed with gzip, and the session did not decompress it. Either the \
            server compressed it without the header "Content-Encoding: gzip", or it sent a file that \
            is compressed itself.
            """
        case .noEvents(let count):
            "The server ended \(count) connections in a row without an event."
        }
    }

    var needsBody: Bool {
        if case .event = self { false } else { true }
    }
}
