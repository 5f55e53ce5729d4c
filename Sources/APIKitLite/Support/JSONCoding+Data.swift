import Foundation

// Wherever a value is encoded or decoded, `Data` is the bytes: it is JSON already, or the body itself.
// Inside another value it is Base64, as Foundation decides.

extension JSONDecoder {
    /// Decodes the body of a message, or an element of one. `Data` is the bytes themselves. If the
    /// type is optional, an empty body is nil.
    package func decode<T: Decodable>(_ type: T.Type, fromBody data: Data) throws -> T {
        if data.isEmptyBody, let type = type as? any AnyOptional.Type, let none = type.empty as? T {
            return none
        }
        return try data as? T ?? decode(type, from: data)
    }
}

extension JSONEncoder {
    /// An encoder that always gives the same bytes for the same value.
    package static var deterministic: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// Returns a value as a body. `Data` is that body.
    package func body(of value: some Encodable) throws -> Data {
        try value as? Data ?? encode(value)
    }
}

extension Collection<UInt8> {
    /// Whether a body counts as empty: it has nothing but white space, as some frameworks send it, or
    /// a byte order mark.
    package var isEmptyBody: Bool { afterWhitespace.isEmpty }

    /// The bytes after a byte order mark and the white space of JSON (RFC 8259, section 2).
    var afterWhitespace: SubSequence {
        (starts(with: "\u{FEFF}".utf8) ? dropFirst(3) : self[...])
            .drop { " \t\r\n".utf8.contains($0) }
    }
}

/// An optional. A cast to this finds out whether a generic value or type is one.
protocol AnyOptional {
    static var empty: Any { get }
    var isNil: Bool { get }
}

extension Optional: AnyOptional {
    static var empty: Any { Self.none as Any }
    var isNil: Bool { self == nil }
}
