import Foundation

/// The parser of a stream of bytes, such as audio: its elements are the pieces as they arrive.
///
/// ```swift
/// func makeParser(for response: HTTPURLResponse) -> BodyPieces {
///     BodyPieces(mediaTypes: ["audio/mpeg"])
/// }
/// ```
///
/// The boundaries of the pieces have no meaning.
public struct BodyPieces: StreamParser, Sendable {
    /// The media types that the parser accepts. Empty for any type.
    public let mediaTypes: [String]

    /// Creates a parser.
    ///
    /// - Parameter mediaTypes: The media types to accept, in lower case. Empty for any type.
    public init(mediaTypes: [String] = []) {
        self.mediaTypes = mediaTypes
    }

    /// Appends the piece, unless it is empty.
    public func parse(_ bytes: Data, into pieces: inout [Data]) {
        if !bytes.isEmpty { pieces.append(bytes) }
    }

    /// Appends nothing: each piece has been appended when it arrived.
    public func finish(into pieces: inout [Data]) {}
}
