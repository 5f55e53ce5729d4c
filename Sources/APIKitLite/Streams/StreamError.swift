import Foundation

/// An error in the format of a stream, or an error that the server sent as an event.
public enum StreamError: LocalizedError, RedactingError, Equatable {
    /// The server sent an error as an event of the type `error`. The messages of this error hide
    /// the secrets in the event's data. The event itself is unchanged.
    case event(ServerSentEvent)
    /// The stream ended without the last element that ``StreamParser/until(_:)`` requires. The
    /// count is the number of elements before the end.
    case unfinished(elementCount: Int)
    /// A line, or the data of one event, is longer than `limit` bytes, which is the parser's
    /// `longestLine`.
    case lineTooLong(limit: Int)
    /// The parser does not accept the media type of the response, such as `text/html`. The types
    /// are in lower case and without parameters. If only the body shows that it is not an event
    /// stream, `found` is a description of the body, such as `JSON`.
    case unexpectedContentType(found: String, expected: [String])
    /// The body that a text parser received is compressed with gzip.
    case compressed
    /// An event stream contains JSON that is not part of an event, such as `{"error": …}` after the
    /// last event, or in place of all events. The JSON text may be incomplete. To decode the text,
    /// use ``APIRequestError/decodeBody(_:using:)``. The messages of this error hide the secrets in
    /// the text.
    case unexpectedJSON(String)

    /// A message for a developer. It can quote the beginning of the event's data or of the JSON.
    public var description: String { text(redacting: .standard) }

    /// A message for a user.
    public var errorDescription: String? {
        switch self {
        case .event: "The server reported an error in its response."
        case .unfinished: "The server's response ended too early."
        case .lineTooLong: "The server's response is too long."
        case .unexpectedContentType, .compressed, .unexpectedJSON:
            "The server's response has an unexpected format."
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
            last one is missing. An event is complete only when an empty line follows it.
            """
        case .lineTooLong(let limit):
            """
            A line of the stream, or the data of an event, is longer than \(byteCount(limit)), the \
            `longestLine` of its parser.
            """
        case .unexpectedContentType(let found, let expected):
            "The response is \(found); \(expected.joined(separator: " or ")) was expected."
        case .compressed:
            """
            The body is compressed with gzip, and the session did not decompress it. Either the \
            server compressed it without the header "Content-Encoding: gzip", or it sent a file that \
            is compressed itself.
            """
        case .unexpectedJSON(let json):
            """
            The event stream contains JSON that is not part of an event. To read it, write \
            error.decodeBody(…).
            JSON: \(redaction.excerpt(ofElement: Data(json.utf8)))
            """
        }
    }

    var needsBody: Bool {
        switch self {
        case .event, .unexpectedJSON: false
        default: true
        }
    }
}
