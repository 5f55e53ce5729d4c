import Foundation

/// A parser of a body that arrives in pieces: bytes in, elements out.
///
/// A parser does no input or output, so a test calls it with any pieces:
///
/// ```swift
/// var parser = ServerSentEvents()
/// var events = try parser.parse(Data("data: a\n\ndata".utf8))
/// events += try parser.parse(Data(": b\n\n".utf8))
/// ```
///
/// The code that reads a stream calls the parser of a response as follows. It calls
/// ``parse(_:)`` with each piece, and ``finish()`` once after the last one. After each of these
/// calls that returns elements, it delivers them and then calls `parse(Data())`. It stops as soon
/// as ``isComplete`` is true or a call throws.
///
/// A parser that finds an error after some elements of a piece returns these elements. It throws
/// the error at the next call, which may have no bytes. So no element before an error is lost.
/// After an error, a parser throws the same error at every call.
public protocol StreamParser<Element> {
    /// A part of the body that is delivered as soon as it is complete.
    associatedtype Element

    /// Parses the next piece of the body.
    ///
    /// The elements do not depend on where the body is cut: a line or a character may begin in one
    /// piece and end in the next. A piece may be empty.
    ///
    /// - Parameter bytes: The piece.
    /// - Returns: The elements that are complete with this piece, in order.
    /// - Throws: Any error if the body cannot be parsed.
    mutating func parse(_ bytes: Data) throws -> [Element]

    /// Parses what is left when the body has ended.
    ///
    /// - Returns: The elements that are complete with the end of the body, in order.
    /// - Throws: Any error if the body must not end here.
    mutating func finish() throws -> [Element]

    /// Whether the last element has been parsed. By default, `false`.
    ///
    /// A format with a terminator is complete before its body ends. The transfer is then ended,
    /// and ``finish()`` is not called.
    var isComplete: Bool { get }

    /// The media types that the parser can parse, such as `text/event-stream`. By default, empty:
    /// any type.
    ///
    /// They are in lower case and have no parameters. A response with another `Content-Type` is not
    /// parsed, but fails with an ``StreamError``. A response without a
    /// `Content-Type` is parsed.
    var mediaTypes: [String] { get }
}

extension StreamParser {
    /// `false`: only the end of the body ends the elements.
    public var isComplete: Bool { false }

    /// Empty: the parser accepts any media type.
    public var mediaTypes: [String] { [] }

    package func checkContentType(of response: HTTPURLResponse) throws(StreamError) {
        let expected = mediaTypes
        guard let found = mediaType(response.value(forHTTPHeaderField: "Content-Type")),
            !expected.isEmpty, !expected.contains(found)
        else { return }
        throw StreamError.unexpectedContentType(found: found, expected: expected)
    }

    /// Parses a whole body.
    ///
    /// - Throws: The error of the parser, whatever elements precede it.
    package mutating func parseWhole(_ body: Data) throws -> [Element] {
        var elements = try parse(body)
        if isComplete { return elements }
        // Throws the error that follows the elements of the body, if there is one.
        elements += try parse(Data())
        elements += try finish()
        elements += try parse(Data())
        return elements
    }
}

/// The media types whose bodies are streams of elements, in lower case.
package enum StreamMediaTypes {
    /// The type of an event stream (HTML Standard, section 9.2).
    static let events = "text/event-stream"

    /// The types of JSON Lines under all their names. None of them is registered.
    static let jsonLines = [
        "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl",
        "application/jsonlines", "application/x-jsonlines", "application/json-lines",
        "application/stream+json", "application/x-json-stream",
    ]

    package static let all = Set([events] + jsonLines)
}
