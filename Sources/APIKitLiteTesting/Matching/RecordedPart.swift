import APIKitLite
import Foundation

/// One field or file of a `multipart/form-data` body that a mock received.
///
/// ```swift
/// let avatar = try #require(request.parts?.first { $0.name == "avatar" })
/// #expect(avatar.fileName == "a.png")
/// ```
public struct RecordedPart: Sendable {
    private let part: MultipartBody.Part

    init(_ part: MultipartBody.Part) {
        self.part = part
    }

    /// The name of the form field.
    public var name: String { part.name }

    /// The name of the file; nil for a field that is not a file.
    public var fileName: String? { part.fileName }

    /// The value of the `Content-Type` header; nil if the part has none, which means plain text
    /// (RFC 7578, section 4.4).
    public var contentType: String? { part.contentType }

    /// The value of the field, or the bytes of the file.
    public var data: Data { part.data }

    /// The content as text in UTF-8; nil if it is not UTF-8.
    public var text: String? { exactText(part.data) }

    /// Returns the first value of a header, or nil if the part does not have it.
    func header(_ name: String) -> String? { part.header(name.lowercased()) }
}

// Opaque, because a dump of a body is a line for each byte.
extension RecordedPart: CustomStringConvertible, CustomReflectable, OpaquelyReflected {
    /// The name and the content on one line. A file is shown as its name, type and size.
    ///
    /// For example: `avatar=<file "a.png", image/png, 1,234 bytes>`.
    public var description: String { part.summary(limit: 120) }
}
