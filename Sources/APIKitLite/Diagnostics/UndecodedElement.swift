import Foundation

/// A stream element that could not be decoded, stored as the `underlyingError` in the context of
/// the `DecodingError`.
///
/// The parser's error can then stay a `DecodingError`, as in a load, and carry the bytes.
private struct UndecodedElement: Error, OpaquelyReflected {
    let bytes: Data

    /// The size. The element itself may hold a secret.
    var description: String { "an element of \(byteCount(bytes.count))" }
}

extension DecodingError {
    /// The stream element that could not be decoded, or nil if the error is about a body.
    var element: Data? { (context?.underlyingError as? UndecodedElement)?.bytes }

    /// Returns this error with the bytes of the element that could not be decoded.
    func about(_ element: Data) -> DecodingError {
        guard let old = context else { return self }
        let context = Context(
            codingPath: old.codingPath, debugDescription: old.debugDescription,
            underlyingError: UndecodedElement(bytes: element))
        switch self {
        case .typeMismatch(let type, _): return .typeMismatch(type, context)
        case .valueNotFound(let type, _): return .valueNotFound(type, context)
        case .keyNotFound(let key, _): return .keyNotFound(key, context)
        case .dataCorrupted: return .dataCorrupted(context)
        @unknown default: return self
        }
    }

    var context: Context? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context), .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }
}
