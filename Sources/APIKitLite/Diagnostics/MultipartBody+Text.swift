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

    fileprivate func text(redacting redaction: Redaction) -> String {
        if isHidden(by: redaction) { return Redaction.mark }
        return redaction.body(data, contentType: contentType, isPretty: true)
            ?? fieldText.map(redaction.text)
            ?? redaction.placeholder(for: data, contentType: contentType)
    }

    /// The text of a field; nil for a file and for bytes that are not text.
    package var fieldText: String? {
        // RFC 7578, section 4.4: a part without a type is plain text.
        let isText = mediaType(contentType)?.hasPrefix("text/") ?? true
        return fileName == nil && isText ? exactText(data) : nil
    }
}
