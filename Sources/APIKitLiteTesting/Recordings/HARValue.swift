import APIKitLite
import Foundation

/// A value in an archive's file, and its place there.
///
/// Text or a number of the wrong type is treated as absent. A value that a replay needs is then
/// nil, never an empty string.
struct HARValue {
    let json: JSONValue?
    let file: String
    var place = ""

    /// The member of an object with this key.
    subscript(key: String) -> HARValue {
        get throws {
            switch json {
            case .object(let members):
                return member(members[key], "\(place.isEmpty ? "" : ".")\(key)")
            case nil, .null: return member(nil, ".\(key)")
            default: throw wrongType
            }
        }
    }

    /// The elements of an array; empty if the array is absent.
    var list: [HARValue] {
        get throws {
            switch json {
            case .array(let elements):
                try elements.enumerated().map { index, json in
                    let element = member(json, "[\(index)]")
                    if case .null = json { throw element.wrongType }
                    return element
                }
            case nil, .null: []
            default: throw wrongType
            }
        }
    }

    var text: String? { if case .string(let text) = json { text } else { nil } }

    /// The text, or a number as text.
    var scalar: String? { if case .number(let digits) = json { digits } else { text } }

    /// The number, which may be written as a string; nil if it is too large for a status or a time.
    var number: Double? {
        scalar.flatMap { Double($0) }.flatMap { abs($0) < 1e12 ? $0 : nil }
    }

    var wrongType: HTTPArchiveError { error("has another type than in HAR 1.2") }

    func error(_ text: String) -> HTTPArchiveError {
        HTTPArchiveError("\(file), \(place) \(text).")
    }

    private func member(_ json: JSONValue?, _ step: String) -> HARValue {
        HARValue(json: json, file: file, place: place + step)
    }
}

/// A header or a form field.
struct HARField {
    let name: String
    let value: String?
    /// The file's name, if the field is a file in a form.
    let fileName: String?
    let contentType: String?

    init(_ field: HARValue) throws {
        name = try field["name"].text ?? ""
        value = try field["value"].scalar
        fileName = try field["fileName"].text
        contentType = try field["contentType"].text
    }

    /// The values of a header. Browsers join the values of a repeated header with line feeds, and
    /// other programs join cookies with any line breaks.
    private var values: [String] {
        let isCookie = name.lowercased().hasSuffix("cookie")
        return (value ?? "").split { $0 == "\n" || isCookie && $0.isNewline }
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// Whether a header cannot be sent, other than the HTTP/2 pseudo-fields that browsers list.
    var isUnusable: Bool {
        if name.hasPrefix(":") { return false }
        return !name.utf8.isHTTPToken || value == nil || !values.allSatisfy(\.utf8.isHTTPFieldValue)
    }

    /// Returns the fields by name. The values of a repeated field are joined.
    static func byName(_ fields: [HARField]) -> [String: String] {
        // Browsers list the pseudo-fields of HTTP/2 (RFC 9113, section 8.3), such as `:path`.
        let sendable = fields.filter { $0.name.utf8.isHTTPToken }
        return Dictionary(grouping: sendable) { $0.name.lowercased() }.values.reduce(into: [:]) {
            $0[$1[0].name] = $1.flatMap(\.values).joined(separator: ", ")
        }
    }
}
