import Foundation

/// The media type of a form without files (WHATWG URL Standard, section 5.2).
package let formMediaType = "application/x-www-form-urlencoded"

/// Returns a content type in lower case, without its parameters; nil if it is nil or empty.
package func mediaType(_ contentType: String?) -> String? {
    let type = contentType?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
    return type.flatMap { $0.isEmpty ? nil : $0.lowercased() }
}
