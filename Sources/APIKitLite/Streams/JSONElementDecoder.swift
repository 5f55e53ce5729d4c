import Foundation

/// A decoder of the elements of one stream, which counts them.
struct JSONElementDecoder<Value: Decodable>: Sendable {
    let decoder: JSONDecoder
    /// The number of elements that were decoded.
    private(set) var count = 0

    init(_ decoder: JSONDecoder) {
        self.decoder = decoder
    }

    /// Decodes the next element.
    ///
    /// - Throws: ``StreamElementError`` if the text cannot be decoded.
    mutating func decode(_ text: Data) throws(StreamElementError) -> Value {
        do {
            let value = try decoder.decode(Value.self, from: text)
            count += 1
            return value
        } catch {
            throw StreamElementError(
                number: count + 1, text: String(decoding: text, as: UTF8.self), underlying: error)
        }
    }
}
