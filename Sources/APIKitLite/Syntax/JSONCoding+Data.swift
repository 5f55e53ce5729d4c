import Foundation

// On its own, `Data` is not encoded or decoded, because it is already JSON or the body itself.
// Inside another value, `Data` is encoded as Base64, which is Foundation's default.

extension JSONDecoder {
    /// Decodes a message's body, or one element of a stream. `Data` is returned as it is. If the
    /// type is optional, an empty body is decoded as nil.
    package func decode<T: Decodable>(_ type: T.Type, fromBody data: Data) throws -> T {
        if data.isEmptyBody, let type = type as? any AnyOptional.Type, let none = type.empty as? T {
            return none
        }
        return try data as? T ?? decode(type, from: data)
    }
}

/// Encodes a value as a body. `Data` is returned as it is. Without an encoder, keys are sorted, so
/// that a dictionary always produces the same bytes.
package func encodedBody(of value: some Encodable, _ encoder: JSONEncoder?) throws -> Data {
    let deterministic = JSONEncoder()
    deterministic.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try value as? Data ?? (encoder ?? deterministic).encode(value)
}

extension Collection<UInt8> {
    /// Whether a body is empty, apart from any byte order mark and white space. Some frameworks
    /// send such bodies.
    package var isEmptyBody: Bool { afterWhitespace.isEmpty }

    /// The bytes after any byte order mark and JSON white space (RFC 8259, section 2).
    var afterWhitespace: SubSequence {
        (starts(with: "\u{FEFF}".utf8) ? dropFirst(3) : self[...])
            .drop { " \t\r\n".utf8.contains($0) }
    }
}

/// An optional. A cast to this protocol shows whether a generic value or type is an optional.
protocol AnyOptional {
    static var empty: Any { get }
    var isNil: Bool { get }
}

extension Optional: AnyOptional {
    static var empty: Any { Self.none as Any }
    var isNil: Bool { self == nil }
}
