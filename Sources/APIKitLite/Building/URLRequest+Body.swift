import Foundation

extension URLRequest {
    /// Returns the request with a value, encoded as JSON, as its body.
    ///
    /// If the request has no `Content-Type`, the type becomes `application/json`.
    ///
    /// - Parameters:
    ///   - value: The value to encode. `Data` must already be JSON, and is sent unchanged. If the
    ///     value is nil, the request is unchanged.
    ///   - encoder: An encoder with your formats for dates, keys or output. If nil, keys are
    ///     sorted, and slashes are not escaped.
    /// - Throws: Any error thrown by the encoder. ``RequestBuildingError`` if the method is GET or
    ///   HEAD, or the request already has a body.
    public func jsonBody(
        _ value: (some Encodable)?, encoder: JSONEncoder? = nil
    ) throws -> URLRequest {
        guard let value else { return self }
        let type = givenContentType ?? "application/json"
        return try body(encodedBody(of: value, encoder), contentType: type)
    }

    /// Returns the request with form fields as its body.
    ///
    /// The fields are encoded as in a browser: in order, with `+` for a space. If the request has
    /// no `Content-Type`, the type becomes `application/x-www-form-urlencoded`.
    ///
    /// - Parameter fields: Names and values, as ``RequestItems`` describes them. A nil value leaves
    ///   out its field, `""` sends `name=`, and an array repeats the name.
    /// - Throws: ``RequestBuildingError`` if a value cannot be sent, the method is GET or HEAD, or
    ///   the request already has a body.
    public func formBody(_ fields: RequestItems) throws -> URLRequest {
        let text = try fields.encoded(as: .form)
        return try body(Data(text.utf8), contentType: givenContentType ?? formMediaType)
    }

    /// Returns the request with parts as its `multipart/form-data` body (RFC 7578).
    ///
    /// A browser sends a form with files in the same way. If a part is a file on disk
    /// (``MultipartPart/file(_:at:fileName:contentType:)``), the body is read when the request is
    /// sent, as for ``fileBody(_:contentType:)``. For each attempt over a `URLSession`, the library
    /// writes such a form to a temporary file, and removes that file after the attempt.
    ///
    /// - Parameters:
    ///   - parts: The fields and files, in order. A nil part is left out.
    ///   - boundary: A string of 1 to 70 characters that RFC 2046 (section 5.1.1) allows. It must
    ///     occur in no part, but files on disk are not searched for it. If nil, the library chooses
    ///     a boundary: random if a part is a file on disk, and otherwise derived from the parts, so
    ///     that the same parts produce the same bytes.
    /// - Throws: ``RequestBuildingError`` if a name, file name or content type has a control
    ///   character other than a tab, or if the boundary is not allowed or occurs in a part. The
    ///   same error if the method is GET or HEAD, or the request already has a body.
    ///   ``FileBodyError`` if a file is missing, unreadable or not a regular file.
    public func multipartBody(
        _ parts: [MultipartPart?], boundary: String? = nil
    ) throws -> URLRequest {
        let parts = parts.compactMap(\.self)
        let boundary =
            try boundary.map { try checked($0, for: parts) } ?? derivedBoundary(for: parts)
        var segments: [RepeatableBody.Segment] = []
        var bytes = Data()
        // Without reserved capacity, the bytes would be copied many times.
        bytes.reserveCapacity(parts.reduce(0) { $0 + $1.data.count + 500 })
        for part in parts {
            bytes.append(Data("--\(boundary)\r\n".utf8))
            for piece in try part.encoded() { bytes.append(piece) }
            if let file = part.file {
                segments += [.bytes(bytes), .file(try RepeatableBody.File(file))]
                bytes = Data()
            }
            bytes.append(Data("\r\n".utf8))
        }
        bytes.append(Data("--\(boundary)--\r\n".utf8))
        let parameter = boundary.utf8.isHTTPToken ? boundary : "\"\(boundary)\""
        let type = "multipart/form-data; boundary=\(parameter)"
        if segments.isEmpty { return try body(bytes, contentType: type) }
        return try body(RepeatableBody(segments: segments + [.bytes(bytes)]), contentType: type)
    }

    /// Returns the request with a file as its body, which is read when the request is sent.
    ///
    /// A file of any size takes little memory. Its size is sent as the `Content-Length`, unless the
    /// request has a `Transfer-Encoding`. The file is opened again for each attempt, such as a
    /// retry, a redirect with status 307 or 308, or a request repeated with a new credential.
    ///
    /// The file must not change until the request is sent. If the file is missing or unreadable by
    /// then, or its size has changed, sending the request throws ``FileBodyError``. On Linux, the
    /// server never receives a complete body in that case. On Apple platforms, the server may
    /// receive a body that changed while it was sent. If the file is overwritten but keeps its
    /// size, the change is not detected.
    ///
    /// Send the request with a function of this library, such as
    /// ``HTTPSession/data(for:progress:)``. On Apple platforms, Foundation's own functions, such as
    /// `data(for:)`, cannot read the body and may crash.
    ///
    /// - Parameters:
    ///   - file: The URL of the file.
    ///   - contentType: The media type of the file. If nil, the request's `Content-Type` is kept.
    ///     If the request has no `Content-Type`, the type is derived from a common extension such
    ///     as `json`, `jpg`, `mp4` or `zip`. For any other file, the type is
    ///     `application/octet-stream`.
    /// - Throws: ``FileBodyError`` if the file is missing, unreadable or not a regular file.
    ///   ``RequestBuildingError`` if the method is GET or HEAD, the request already has a body, or
    ///   the type has a control character other than a tab.
    public func fileBody(_ file: URL, contentType: String? = nil) throws -> URLRequest {
        let body = RepeatableBody(segments: [.file(try RepeatableBody.File(file))])
        return try self.body(
            body, contentType: contentType ?? givenContentType ?? fileMediaType(file))
    }

    /// Returns the request with bytes as its body.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - contentType: The media type, for the `Content-Type` header.
    /// - Throws: ``RequestBuildingError`` if the method is GET or HEAD, the request already has a
    ///   body, or the type has a control character other than a tab.
    public func body(_ data: Data, contentType: String) throws -> URLRequest {
        var request = try withoutBody(contentType)
        request.httpBody = data
        return request
    }

    private func body(_ body: RepeatableBody, contentType: String) throws -> URLRequest {
        var request = try withoutBody(contentType)
        request.httpBodyStream = RepeatableBodyStream(body)
        return request
    }

    /// Returns the request with the content type of a body, which the caller then adds.
    private func withoutBody(_ contentType: String) throws -> URLRequest {
        let method = httpMethod?.uppercased() ?? "GET"
        guard method != "GET", method != "HEAD" else {
            throw RequestBuildingError(
                "A \(method) request has no body. Use another method, such as POST, or a query.")
        }
        guard httpBody == nil, httpBodyStream == nil else {
            throw RequestBuildingError(
                "The request already has a body, but another was given. "
                    + "Remove one, or set `httpBody` to nil first.")
        }
        return try header("Content-Type", contentType)
    }

    private var givenContentType: String? { value(forHTTPHeaderField: "Content-Type") }
}
