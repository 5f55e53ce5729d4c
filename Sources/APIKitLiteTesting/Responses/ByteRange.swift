import Foundation

extension MockResponse {
    /// The same response, except that a `GET` with a `Range` header receives only that range.
    ///
    /// A request for `bytes=500-` or `bytes=500-999` receives a `206` with `Content-Range`, or a
    /// `416` if the body has no byte 500 (RFC 9110, section 14). An `If-Range` header is compared
    /// with the response's `ETag` or `Last-Modified` (section 13.1.5). A request for any other
    /// range receives the whole body, as the RFC allows. Only a response with status 200 is ever
    /// sent in part. Using `acceptingRanges` with a stream, a ``passthrough(to:)``, an error or
    /// ``hanging`` is a configuration error.
    public var acceptingRanges: MockResponse {
        if let wrong = wrongIfFixed("acceptingRanges", needsHead: true) { return wrong }
        return header("Accept-Ranges", "bytes").with(\.acceptsRanges, true)
    }

    /// Returns the part that a request asks for, a `416`, or the whole response, as
    /// ``acceptingRanges`` describes.
    func part(for request: URLRequest) -> MockResponse {
        let validator = request.value(forHTTPHeaderField: "If-Range")
        let isCurrent =
            validator.map { text in
                // A weak validator does not guarantee that the bytes are the same.
                !text.hasPrefix("W/")
                    && [fields["etag"]?.value, fields["last-modified"]?.value].contains(text)
            } ?? true
        guard acceptsRanges, status == 200, request.httpMethod ?? "GET" == "GET", isCurrent,
            let header = request.value(forHTTPHeaderField: "Range"),
            let match = header.wholeMatch(of: #/bytes=(\d+)-(\d*)/#), let first = Int(match.1)
        else { return self }
        let whole = body
        var response = withoutLength
        guard first < whole.count else {
            response.status = 416
            response.pieces = []
            response.fields["content-range"] = ("Content-Range", "bytes */\(whole.count)")
            return response
        }
        let last = min(Int(match.2) ?? .max, whole.count - 1)
        guard first <= last else { return self }
        let part = whole.subdata(in: first..<last + 1)
        response.status = 206
        response.pieces = pieces.count > 1 ? part.cut(by: pieces[0].count) : [part]
        let range = "bytes \(first)-\(last)/\(whole.count)"
        response.fields["content-range"] = ("Content-Range", range)
        return response
    }
}

extension Data {
    /// Returns the bytes in pieces of this size. The last piece may be smaller.
    func cut(by size: Int) -> [Data] {
        stride(from: 0, to: count, by: size).map { subdata(in: $0..<Swift.min($0 + size, count)) }
    }
}
