import Foundation

extension URLRequest {
    /// Sets the body to a value's JSON, with sorted keys and plain slashes.
    ///
    /// - Parameters:
    ///   - value: What to encode.
    ///   - encoder: For other dates, keys or formats; its output is sent as it is.
    /// - Throws: What encoding throws, and ``RequestBuildingError/bodyNotAllowed(method:)``.
    public func jsonBody(
        _ value: some Encodable, encoder: JSONEncoder? = nil
    ) throws -> URLRequest {
        let encoder = encoder ?? .deterministic
        return try withBody(encoder.encode(value), defaultType: "application/json")
    }

    /// Sets the body to form fields, as a browser sends them: in order, a space as `+`.
    ///
    /// - Parameter fields: Nil leaves a field out, `""` gives `q=`, ``QueryFlag`` gives `q`.
    /// - Throws: ``RequestBuildingError`` for a list or a number that is not finite, and on GET
    ///   or HEAD.
    public func formBody(
        _ fields: KeyValuePairs<String, (any CustomStringConvertible)?>
    ) throws -> URLRequest {
        let text = try encodedItems(fields, as: .form)
        return try withBody(Data(text.utf8), defaultType: "application/x-www-form-urlencoded")
    }

    /// Sets the body to parts, as a browser sends a form with files.
    ///
    /// - Parameters:
    ///   - parts: The fields and files, in order.
    ///   - boundary: Up to 70 characters that occur in no part. Left out, it is derived from the
    ///     parts, so that the same parts give the same bytes.
    /// - Throws: ``RequestBuildingError`` for a line break or NUL in a name, file name or content
    ///   type, for a boundary that is too long or occurs in a part, and on GET or HEAD.
    public func multipartBody(
        _ parts: [MultipartPart], boundary: String? = nil
    ) throws -> URLRequest {
        let boundary =
            try boundary.map { try checked($0, for: parts) } ?? derivedBoundary(for: parts)
        var body = Data()
        for part in parts {
            body += Data("--\(boundary)\r\n".utf8) + (try part.encoded()) + Data("\r\n".utf8)
        }
        body += Data("--\(boundary)--\r\n".utf8)
        let parameter = boundary.utf8.isHTTPToken ? boundary : "\"\(boundary)\""
        return try self.body(body, contentType: "multipart/form-data; boundary=\(parameter)")
    }

    /// Sets the body to bytes, and the content type that they have.
    ///
    /// - Throws: ``RequestBuildingError/bodyNotAllowed(method:)`` on GET or HEAD, and
    ///   ``RequestBuildingError/unusableHeader(name:reason:)`` for a line break in the type.
    public func body(_ data: Data, contentType: String) throws -> URLRequest {
        let method = httpMethod?.uppercased() ?? "GET"
        guard method != "GET", method != "HEAD" else {
            throw RequestBuildingError.bodyNotAllowed(method: method)
        }
        var request = try header("Content-Type", contentType)
        request.httpBody = data
        return request
    }

    /// Keeps a content type that was given, unless it was that of a body now replaced.
    private func withBody(_ data: Data, defaultType: String) throws -> URLRequest {
        let given = httpBody == nil ? value(forHTTPHeaderField: "Content-Type") : nil
        return try body(data, contentType: given ?? defaultType)
    }
}

extension JSONEncoder {
    fileprivate static var deterministic: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
