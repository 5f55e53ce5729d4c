import APIKitLite
import Foundation

extension MultipartBody.Part {
    /// Whether the content is a secret because of the name, as for a form field.
    func isHidden(by redaction: Redaction) -> Bool {
        redaction.hides(name, String(decoding: data, as: UTF8.self))
    }

    /// The text of a field; nil for a file and for bytes that are not text.
    var fieldText: String? {
        // RFC 7578, section 4.4: a part without a type is plain text.
        let isText = mediaType(contentType)?.hasPrefix("text/") ?? true
        return fileName == nil && isText ? exactText(data) : nil
    }
}
