import APIKitLite
import Foundation

extension MultipartBody.Part {
    /// Returns the name and the content on one line, such as `title=x`, with secrets redacted.
    ///
    /// A file is shown as its name, type and size.
    ///
    /// - Parameters:
    ///   - limit: The length of the content that is shown, in bytes.
    ///   - redaction: The secrets to hide.
    func summary(limit: Int, redacting redaction: Redaction) -> String {
        let content =
            excerpt(limit: limit, redacting: redaction) ?? placeholder(redacting: redaction)
        return "\(redaction.text(name))=\(content)"
    }

    /// Returns the beginning of the content on one line, with secrets redacted; nil for a file and
    /// for bytes that are not text.
    func excerpt(limit: Int, redacting redaction: Redaction) -> String? {
        if isHidden(by: redaction) { return Redaction.mark }
        guard fileName == nil else { return nil }
        let text = redaction.body(data, contentType: contentType) ?? fieldText.map(redaction.text)
        return text?.excerpt(limit: limit)
    }

    /// Returns the name of the file, the type and the size:
    /// `<file "a.png", image/png, 1,234 bytes>`.
    func placeholder(redacting redaction: Redaction) -> String {
        let placeholder = redaction.placeholder(for: data, contentType: contentType)
        guard let fileName else { return placeholder }
        return "<file \(redaction.text(fileName).debugDescription), \(placeholder.dropFirst())"
    }

    /// The text of a field without secrets; nil for any other part, and for a text that is longer
    /// than the limit, in bytes.
    func plainText(limit: Int, redacting redaction: Redaction) -> String? {
        guard data.count <= limit, let text = fieldText, !isHidden(by: redaction),
            redaction.text(text) == text
        else { return nil }
        return text
    }
}
