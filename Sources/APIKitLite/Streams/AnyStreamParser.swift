import Foundation

/// A parser of any type, for a request that chooses the type by the response.
///
/// ```swift
/// func makeParser(for response: HTTPURLResponse) -> AnyStreamParser<Message> {
///     response.mimeType == "application/json"
///         ? AnyStreamParser(JSONDocument()) : AnyStreamParser(ServerSentEvents.json())
/// }
/// ```
public struct AnyStreamParser<Element>: StreamParser {
    private var parser: any StreamParser<Element>

    /// Creates a parser that does the same as another one.
    ///
    /// - Parameter parser: The other parser.
    public init(_ parser: some StreamParser<Element>) {
        self.parser = parser
    }

    /// Whether the other parser is complete.
    public var isComplete: Bool { parser.isComplete }

    /// The media types of the other parser.
    public var mediaTypes: [String] { parser.mediaTypes }

    /// Parses the next piece of the body.
    ///
    /// - Parameter bytes: The piece.
    /// - Returns: The elements that are complete with this piece, in order.
    /// - Throws: The error of the other parser.
    public mutating func parse(_ bytes: Data) throws -> [Element] { try parser.parse(bytes) }

    /// Parses what is left when the body has ended.
    ///
    /// - Returns: The elements that are complete with the end of the body, in order.
    /// - Throws: The error of the other parser.
    public mutating func finish() throws -> [Element] { try parser.finish() }
}
