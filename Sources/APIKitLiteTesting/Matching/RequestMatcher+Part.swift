import APIKitLite
import Foundation

extension RequestMatcher {
    /// Requires a part of a `multipart/form-data` body. Other parts are allowed.
    ///
    /// If several parts have the name, at least one of those parts must match.
    ///
    /// - Parameters:
    ///   - name: The name of the form field.
    ///   - fileName: The name of the file; nil allows any name or no name.
    ///   - contentType: The media type of the part, such as `image/png`; nil allows any type or no
    ///     type. The case and parameters of the type are ignored.
    ///   - data: The content of the part; nil allows any content.
    public func part(
        _ name: String, fileName: String? = nil, contentType: String? = nil, data: Data? = nil
    ) -> RequestMatcher {
        let part = ExpectedPart(
            name: name, fileName: fileName, mediaType: mediaType(contentType), data: data,
            isRecorded: isRecorded)
        return adding(part.description, readsBody: true) { reading in
            guard case .success(let multipart) = reading.multipart else { return false }
            return multipart.parts.contains(where: part.matches)
        } or: { reading in
            switch reading.multipart {
            case nil: .has("no body")
            case .failure(let failure): .has("\(reading.bodyPlaceholder), \(failure.reason)")
            case .success(let multipart): part.difference(from: multipart.parts)
            }
        }
    }

    /// Requires a part with this text in a `multipart/form-data` body. Other parts are allowed.
    ///
    /// - Parameters:
    ///   - name: The name of the form field.
    ///   - text: The whole content of the part, in UTF-8. Spaces and line breaks matter.
    public func part(_ name: String, text: String) -> RequestMatcher {
        part(name, data: Data(text.utf8))
    }
}

/// The part that a criterion requires. A nil property matches every value.
private struct ExpectedPart: Sendable {
    let name: String
    let fileName: String?
    let mediaType: String?
    let data: Data?
    /// Whether marks in the data, such as `REDACTED-1`, match any nonempty text.
    let isRecorded: Bool

    func matches(_ part: RecordedPart) -> Bool {
        name.hasSameBytes(as: part.name)
            && (fileName.map { $0.hasSameBytes(as: part.fileName) } ?? true)
            && (mediaType == nil || APIKitLite.mediaType(part.contentType) == mediaType)
            && (data?.matches(part.data, marks: isRecorded) ?? true)
    }

    /// The criterion, as reports describe it.
    var description: String {
        let values = [fileName?.debugDescription, mediaType, shownData]
        return (["part \(name)"] + values.compactMap(\.self)).joined(separator: ", ")
    }

    /// The content of a text field, or the size of other content; nil if any content is allowed.
    private var shownData: String? {
        let text = fileName == nil && mediaType == nil ? data.flatMap(exactText) : nil
        return text.map { "\"\($0.excerpt(limit: 60))\"" } ?? data.map { byteCount($0.count) }
    }

    /// Describes up to five parts with the expected name. If no part of the request has that name,
    /// describes up to five other parts.
    func difference(from parts: [RecordedPart]) -> MatchReport.Difference {
        let candidates = parts.filter { name.hasSameBytes(as: $0.name) }
        let shown = candidates.isEmpty ? parts : candidates
        let more = shown.count > 5 ? ["and \(shown.count - 5) more"] : []
        let text =
            parts.isEmpty ? "no parts" : candidates.isEmpty ? "only:" : "another:"
        return .init(
            "the request has \(text)",
            details: shown.prefix(5).map { $0.summary(limit: 60) } + more)
    }
}
