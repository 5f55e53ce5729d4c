import Foundation

extension URLRequest {
    /// Returns the request with a value, encoded as JSON, as its body.
    ///
    /// A `Content-Type` that the request has is kept. Otherwise it becomes `application/json`.
    ///
    /// - Parameters:
    ///   - value: The value to encode.
    ///   - encoder: An encoder for other dates, keys or formats. If it is nil, keys are sorted and
    ///     slashes are not escaped.
    /// - Throws: The error of the encoder, and ``RequestBuildingError`` on GET or HEAD, and if the
    ///   request has a body.
    public func jsonBody(
        _ value: some Encodable, encoder: JSONEncoder? = nil
    ) throws -> URLRequest {
        let encoder = encoder ?? .deterministic
        return try withBody(encoder.encode(value), defaultType: "application/json")
    }

    /// Returns the request with form fields as its body.
    ///
    /// The fields are encoded as a browser encodes them: in order, with `+` for a space. A
    /// `Content-Type` that the request has is kept. Otherwise it becomes
    /// `application/x-www-form-urlencoded`.
    ///
    /// - Parameter fields: Names and values, as ``RequestItems`` describes them. Nil leaves a field
    ///   out, `""` gives `q=`, ``QueryFlag`` gives `q`, an array repeats the name.
    /// - Throws: ``RequestBuildingError`` for a value that cannot be sent, on GET or HEAD, and if
    ///   the request has a body.
    public func formBody(_ fields: RequestItems) throws -> URLRequest {
        let text = try fields.encoded(as: .form)
        return try withBody(Data(text.utf8), defaultType: "application/x-www-form-urlencoded")
    }

    /// Returns the request with parts as its `multipart/form-data` body (RFC 7578).
    ///
    /// A browser sends a form with files in the same way.
    ///
    /// - Parameters:
    ///   - parts: The fields and files, in order.
    ///   - boundary: Up to 70 characters that occur in no part. If it is nil, the boundary is
    ///     derived from the parts, so that the same parts give the same bytes.
    /// - Throws: ``RequestBuildingError`` for a line break or NUL in a name, file name or content
    ///   type, for a boundary that is too long or occurs in a part, on GET or HEAD, and if the
    ///   request has a body.
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

    /// Returns the request with bytes as its body.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - contentType: Their media type, for the `Content-Type` header.
    /// - Throws: ``RequestBuildingError/bodyNotAllowed(method:)`` on GET or HEAD,
    ///   ``RequestBuildingError/secondBody(first:second:)`` if the request has a body, and
    ///   ``RequestBuildingError/unusableHeader(name:reason:)`` for a line break or NUL in the type.
    public func body(_ data: Data, contentType: String) throws -> URLRequest {
        let method = httpMethod?.uppercased() ?? "GET"
        guard method != "GET", method != "HEAD" else {
            throw RequestBuildingError.bodyNotAllowed(method: method)
        }
        if let first = bodySummary {
            throw RequestBuildingError.secondBody(
                first: first, second: summary(byteCount(data.count), type: contentType))
        }
        var request = try header("Content-Type", contentType)
        request.httpBody = data
        return request
    }

    private func withBody(_ data: Data, defaultType: String) throws -> URLRequest {
        // The type of an earlier body does not describe this one, which the error names.
        let given = bodySummary == nil ? value(forHTTPHeaderField: "Content-Type") : nil
        return try body(data, contentType: given ?? defaultType)
    }

    /// The size and type of the body, if the request has one.
    private var bodySummary: String? {
        let stream = httpBodyStream == nil ? nil : "a stream"
        guard let size = httpBody.map({ byteCount($0.count) }) ?? stream else { return nil }
        return summary(size, type: value(forHTTPHeaderField: "Content-Type"))
    }
}

/// Returns a size and a media type, such as `12 bytes of application/json`.
private func summary(_ size: String, type: String?) -> String {
    size + (type.flatMap(mediaType).map { " of \($0)" } ?? "")
}

extension JSONEncoder {
    /// An encoder that always gives the same bytes for the same value.
    fileprivate static var deterministic: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
