import APIKitLite
import Foundation

/// A named value in a text, such as a header or a query item.
struct NamedValue {
    /// The kind of the name, such as `JSON key`.
    let kind: String
    var name: String
    /// The value, decoded.
    let value: String
    /// Where the value is written, with its quotation marks if it is a JSON string.
    let range: Range<Int>
    /// The encoding of the value in the text.
    let encoding: Encoding
    /// Whether other named values may be in the value.
    var mayContainOthers = false
    /// Whether a JSON object or array around the value has a secret name.
    var isInSecret = false

    /// How a value is written.
    enum Encoding {
        case plain, percent, json, jsonNumber
    }

    var isJSON: Bool { encoding == .json || encoding == .jsonNumber }

    /// The password of a Basic `Authorization` (RFC 7617), or of the user info of a URL.
    var password: String? {
        let decoded = Data(base64Encoded: value).map { String(decoding: $0, as: UTF8.self) }
        let pair = decoded ?? value
        return pair.firstIndex(of: ":").map { String(pair[$0...].dropFirst()) }
    }

    /// Returns another value as it is written in place of this one.
    func written(_ new: String) -> String {
        switch encoding {
        case .plain: new
        case .percent: PercentEncoding.pathValue.encode(new)
        case .json, .jsonNumber: JSONText.quoted(new)
        }
    }
}

/// A place at which a text may contain named values.
enum TextPlace {
    /// A URL, or a text without a name.
    case plain
    /// The value of a header or of a field.
    case named(String)
    case body(contentType: String?)
}
