import Foundation

extension MultipartBody {
    /// Returns the body as a text, with its secrets redacted and without preamble and epilogue.
    func text(redacting redaction: Redaction) -> String {
        let delimiter = "--" + redaction.text(boundary)
        let lines = parts.flatMap { part in
            let headers = part.headers.map { name, value in
                "\(name): \(redaction.value(value, named: name))"
            }
            return [delimiter] + headers + ["", part.text(redacting: redaction)]
        }
        return (lines + [delimiter + "--"]).joined(separator: "\n")
    }
}

extension MultipartBody.Part {
    /// Whether the content is a secret because of the name, as for a form field.
    package func isHidden(by redaction: Redaction) -> Bool {
        redaction.hides(name, String(decoding: data, as: UTF8.self))
    }

    /// Returns the content as a text may show it: redacted, or as its type and size.
    fileprivate func text(redacting redaction: Redaction) -> String {
        if isHidden(by: redaction) { return Redaction.mark }
        return redaction.body(data, contentType: contentType, isPretty: true)
            ?? fieldText.map(redaction.text)
            ?? redaction.placeholder(for: data, contentType: contentType)
    }

    /// Returns the name and the content on one line, such as `title=x`, with secrets redacted.
    ///
    /// A file is shown as its name, type and size.
    ///
    /// - Parameters:
    ///   - limit: The length of the content that is shown, in bytes.
    ///   - redaction: The secrets to hide.
    package func summary(limit: Int, redacting redaction: Redaction) -> String {
        let content =
            excerpt(limit: limit, redacting: redaction) ?? placeholder(redacting: redaction)
        return "\(redaction.text(name))=\(content)"
    }

    /// Returns the beginning of the content on one line, with secrets redacted; nil for a file and
    /// for bytes that are not text.
    package func excerpt(limit: Int, redacting redaction: Redaction) -> String? {
        if isHidden(by: redaction) { return Redaction.mark }
        guard fileName == nil else { return nil }
        let text = redaction.body(data, contentType: contentType) ?? fieldText.map(redaction.text)
        return text?.excerpt(limit: limit)
    }

    /// Returns the name of the file, the type and the size:
    /// `<file "a.png", image/png, 1,234 bytes>`.
    package func placeholder(redacting redaction: Redaction) -> String {
        let placeholder = redaction.placeholder(for: data, contentType: contentType)
        guard let fileName else { return placeholder }
        return "<file \(redaction.text(fileName).debugDescription), \(placeholder.dropFirst())"
    }

    /// The text of a field without secrets; nil for any other part, and for a text that is longer
    /// than the limit, in bytes.
    package func plainText(limit: Int, redacting redaction: Redaction) -> String? {
        guard data.count <= limit, let text = fieldText, !isHidden(by: redaction),
            redaction.text(text) == text
        else { return nil }
        return text
    }

    /// The text of a field; nil for a file and for bytes that are not text.
    private var fieldText: String? {
        // RFC 7578, section 4.4: a part without a type is plain text.
        let isText = mediaType(contentType)?.hasPrefix("text/") ?? true
        return fileName == nil && isText ? exactText(data) : nil
    }
}
