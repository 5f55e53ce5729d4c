import APIKitLite
import Foundation

/// One field or file of a `multipart/form-data` body that a mock received.
///
/// ```swift
/// let avatar = try #require(request.parts?.first { $0.name == "avatar" })
/// #expect(avatar.fileName == "a.png")
/// ```
public struct RecordedPart: Sendable {
    /// The name of the form field.
    public let name: String

    /// The name of the file; nil for a field that is not a file.
    public let fileName: String?

    /// The value of the `Content-Type` header; nil if the part has no such header and so is plain
    /// text (RFC 7578, section 4.4).
    public let contentType: String?

    /// The value of the field, or the bytes of the file.
    public let data: Data

    /// The content as text; nil if the content is not UTF-8.
    public var text: String? { exactText(data) }

    /// The text of a field; nil for a file, for a type other than text, and for bytes that are not
    /// UTF-8.
    var fieldText: String? { isField ? text : nil }

    private var isField: Bool {
        // A part without a type is plain text (RFC 7578, section 4.4).
        fileName == nil && mediaType(contentType)?.hasPrefix("text/") ?? true
    }

    /// Returns the name and the content on one line, such as `title=x`.
    ///
    /// A file is shown as its name, type and size: `<file "a.png", image/png, 1,234 bytes>`. Other
    /// content that is not text is shown as its type and size.
    func summary(limit: Int) -> String {
        let text = isField ? exactText(data.beginning(10_000)) : nil
        return "\(name)=\(text?.excerpt(limit: limit) ?? placeholder)"
    }

    private var placeholder: String {
        let placeholder = Redaction.none.placeholder(for: data, contentType: contentType)
        guard let fileName else { return placeholder }
        return "<file \(fileName.debugDescription), \(placeholder.dropFirst())"
    }
}

// A dump shows only the description. Otherwise, it would show a line for each byte of a body.
extension RecordedPart: CustomStringConvertible, CustomReflectable, OpaquelyReflected {
    /// The name and the content on one line. A file is shown as its name, type and size. Other
    /// content that is not text is shown as its type and size.
    ///
    /// For example: `avatar=<file "a.png", image/png, 1,234 bytes>`.
    public var description: String { summary(limit: 120) }
}
