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
        let type = mediaType(contentType)
        return adding(Self.shownPart(name, fileName, type, data), readsBody: true) {
            [isRecorded] reading in
            guard case .success(let parts) = reading.multipart else { return false }
            return parts.contains { part in
                name.hasSameBytes(as: part.name)
                    && (fileName?.hasSameBytes(as: part.fileName) ?? true)
                    && (type == nil || mediaType(part.contentType) == type)
                    && (data?.matches(part.data, marks: isRecorded) ?? true)
            }
        } or: { reading in
            switch reading.multipart {
            case nil: .has("no body")
            case .failure(let failure): .has("\(reading.bodyPlaceholder), \(failure)")
            case .success(let parts): parts.difference(from: name)
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

    /// Describes the part that a criterion requires: the content of a text field, or the size of
    /// other content.
    private static func shownPart(
        _ name: String, _ fileName: String?, _ mediaType: String?, _ data: Data?
    ) -> String {
        let text = fileName == nil && mediaType == nil ? data.flatMap(exactText) : nil
        let content =
            text.map { "\"\($0.excerpt(limit: 60))\"" } ?? data.map { byteCount($0.count) }
        let values = [fileName?.debugDescription, mediaType, content]
        return (["part \(name)"] + values.compactMap(\.self)).joined(separator: ", ")
    }
}

extension [RecordedPart] {
    /// Describes up to five parts with the expected name. If no part of the request has that name,
    /// describes up to five other parts.
    fileprivate func difference(from name: String) -> MatchReport.Difference {
        let candidates = filter { name.hasSameBytes(as: $0.name) }
        let shown = candidates.isEmpty ? self : candidates
        let more = shown.count > 5 ? ["and \(shown.count - 5) more"] : []
        let text = isEmpty ? "no parts" : candidates.isEmpty ? "only:" : "another:"
        return .init(
            "the request has \(text)",
            details: shown.prefix(5).map { $0.summary(limit: 60) } + more)
    }
}
