import APIKitLite
import Foundation

extension MultipartBody.Part {
    /// The text of a field; nil for a file and for bytes that are not text.
    var fieldText: String? {
        // RFC 7578, section 4.4: a part without a type is plain text.
        let isText = mediaType(contentType)?.hasPrefix("text/") ?? true
        return fileName == nil && isText ? exactText(data) : nil
    }
}
