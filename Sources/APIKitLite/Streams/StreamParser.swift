import Foundation

/// A parser of a body that arrives in pieces: bytes in, elements out.
///
/// A parser performs no input or output, so a test can call it with any pieces:
///
/// ```swift
/// var parser = ServerSentEvents()
/// var events = try parser.parse(Data("data: a\n\ndata".utf8))
/// events += try parser.parse(Data(": b\n\n".utf8))
/// ```
///
/// A stream's reader calls ``parse(_:into:)`` with each piece of a response, and ``finish(into:)``
/// once after the last piece. The reader stops as soon as ``isComplete`` is true or a call throws.
/// Elements appended before an error are delivered before the error is thrown.
public protocol StreamParser<Element> {
    /// A part of the body that is delivered as soon as it is complete.
    associatedtype Element

    /// Parses the next piece of the body.
    ///
    /// The elements must not depend on where the body is divided. A line or a character may begin
    /// in one piece and end in the next.
    ///
    /// - Parameters:
    ///   - bytes: The piece.
    ///   - elements: The array that receives the elements completed by this piece, in order.
    /// - Throws: Any error if the body cannot be parsed.
    mutating func parse(_ bytes: Data, into elements: inout [Element]) throws

    /// Parses what is left when the body ends.
    ///
    /// - Parameter elements: The array that receives the last elements, in order.
    /// - Throws: Any error if the body must not end here.
    mutating func finish(into elements: inout [Element]) throws

    /// Whether the last element has been parsed. By default, `false`.
    ///
    /// If the format has a terminator, the parser is complete before the body ends. The transfer
    /// then ends, and ``finish(into:)`` is not called.
    var isComplete: Bool { get }

    /// The media types that the parser accepts, such as `text/event-stream`. By default, the array
    /// is empty, and the parser accepts any type.
    ///
    /// The types are in lower case and have no parameters. A response with another `Content-Type`
    /// fails with a ``StreamError``. A response without a `Content-Type` is parsed.
    var mediaTypes: [String] { get }
}

extension StreamParser {
    /// `false`, because the elements end only with the body.
    public var isComplete: Bool { false }

    /// An empty array, so the parser accepts any media type.
    public var mediaTypes: [String] { [] }

    /// Calls ``parse(_:into:)``, and returns the new elements. Use this function in tests.
    ///
    /// - Throws: The parser's error. The elements parsed before the error are lost.
    public mutating func parse(_ bytes: Data) throws -> [Element] {
        var elements: [Element] = []
        try parse(bytes, into: &elements)
        return elements
    }

    /// Calls ``finish(into:)``, and returns the last elements. Use this function in tests.
    ///
    /// - Throws: The parser's error. The elements parsed before the error are lost.
    public mutating func finish() throws -> [Element] {
        var elements: [Element] = []
        try finish(into: &elements)
        return elements
    }

    /// Parses a piece of the body, or the body's end if `bytes` is nil.
    mutating func parseNext(_ bytes: Data?, into elements: inout [Element]) throws {
        if let bytes { try parse(bytes, into: &elements) } else { try finish(into: &elements) }
    }
}

/// The media type of an event stream (HTML Standard, section 9.2).
let eventStreamType = "text/event-stream"

/// The media types that servers use for JSON Lines. None is registered with IANA.
let jsonLinesTypes = [
    "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl",
    "application/jsonlines", "application/x-jsonlines", "application/json-lines",
    "application/stream+json", "application/x-json-stream",
]

/// The media types whose bodies are streams of elements, in lower case.
package let streamMediaTypes = Set([eventStreamType] + jsonLinesTypes)
