import Foundation

/// The media type of a form without files (WHATWG URL Standard, section 5.2).
package let formMediaType = "application/x-www-form-urlencoded"

/// Returns the media type of a `Content-Type` field in lower case, without its parameters; nil if the
/// field is nil or empty.
package func mediaType(_ contentType: String?) -> String? { value(of: contentType)?.type }

/// Returns a parameter of a `Content-Type` field, such as `boundary`. The name is in lower case.
package func mediaTypeParameter(_ name: String, of contentType: String?) -> String? {
    value(of: contentType).flatMap { headerParameter(name, of: $0.text) }
}

/// Returns the value that counts in a field that was sent several times: the last one that is a media
/// type (Fetch, "extract a MIME type"), or else the last one.
private func value(of contentType: String?) -> (type: String, text: String)? {
    let values = splitHeader(contentType ?? "", at: UInt8(ascii: ",")).map { text in
        (text.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased(), text)
    }.filter { !$0.0.isEmpty }
    return values.last { type, _ in
        type != "*/*" && type.split("/").map(\.utf8.isHTTPToken) == [true, true]
    } ?? values.last
}
