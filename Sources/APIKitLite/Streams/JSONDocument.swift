import Foundation

/// The parser of a body that is one JSON value: its only element, returned when the body ends.
///
/// It is for an API that answers one request with JSON or with events: see ``AnyStreamParser``. It
/// keeps the whole body, whose length it does not limit.
public struct JSONDocument<Value: Decodable>: StreamParser, Sendable {
    private var elements: JSONElementDecoder<Value>
    private var body = Data()
    private var failure: (any Error)?

    /// Creates a parser that has parsed nothing yet.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder of the body.
    public init(_ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()) {
        elements = JSONElementDecoder(decoder)
    }

    /// Keeps the next piece of the body.
    ///
    /// - Parameter bytes: The piece.
    /// - Returns: No values.
    /// - Throws: ``StreamError`` if the body is compressed; or the error of ``finish()``.
    public mutating func parse(_ bytes: Data) throws -> [Value] {
        try keepingFailure { parser in
            parser.body.append(bytes)
            try parser.body.prefix(2).withUnsafeBytes { start in
                try StreamError.checkNotCompressed(start.bindMemory(to: UInt8.self))
            }
            return []
        }
    }

    /// Decodes the body.
    ///
    /// - Returns: The value of the body.
    /// - Throws: ``StreamElementError`` if the body cannot be decoded.
    public mutating func finish() throws -> [Value] {
        try keepingFailure { parser in
            defer { parser.body = Data() }
            return [try parser.elements.decode(parser.body)]
        }
    }

    /// Throws the error of an earlier call again.
    private mutating func keepingFailure(
        _ parse: (inout Self) throws -> [Value]
    ) throws -> [Value] {
        if let failure { throw failure }
        do {
            return try parse(&self)
        } catch {
            failure = error
            throw error
        }
    }
}
