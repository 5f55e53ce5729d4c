import Foundation

/// The part of a body that a `Range` header asks for (RFC 9110, section 14.2).
enum ByteRange: Equatable {
    /// The whole body: there is no range, or the server ignores it, because it is malformed, has
    /// another unit, or lists several ranges.
    case whole
    /// These bytes of the body.
    case part(Range<Int>)
    /// A range outside the body, answered with 416.
    case unsatisfiable

    init(_ header: String?, of length: Int) {
        self = header.flatMap { Self.read($0, of: length) } ?? .whole
    }

    private static func read(_ header: String, of length: Int) -> ByteRange? {
        let parts = header.split(separator: "=", maxSplits: 1).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let bounds = parts[1].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = number(bounds[0]), let last = number(bounds[1]) else {
            return nil
        }
        switch (first, last) {
        case (nil, nil): return nil
        case (nil, let count?):
            return count > 0 && length > 0
                ? .part(max(0, length - count)..<length) : .unsatisfiable
        case (let first?, let last):
            if let last, last < first { return nil }
            guard first < length else { return .unsatisfiable }
            return .part(first..<min(last ?? length, length - 1) + 1)
        }
    }

    /// Returns the number, `.some(nil)` for an empty text, or nil for anything but digits.
    private static func number(_ text: Substring) -> Int?? {
        let text = text.trimmingCharacters(in: .whitespaces)
        if text.isEmpty { return .some(nil) }
        guard text.utf8.areDigits else { return nil }
        // A number that does not fit an `Int` is beyond the end of every body.
        return .some(Int(text) ?? .max)
    }
}

extension MockResponse {
    /// The same response, of which a request with a `Range` header gets only that part.
    ///
    /// Such a `GET` gets a `206` with `Content-Range`, or a `416` if the range is outside the body
    /// (RFC 9110, section 14). An `If-Range` header is compared with the `ETag` or the
    /// `Last-Modified` of the response (section 13.1.5). A request for several ranges gets the
    /// whole body, which the RFC allows. Only a response with the status 200 has parts. For a stream
    /// and a ``passthrough(to:)``, it is a configuration error.
    public var acceptingRanges: MockResponse {
        if let wrong = wrongIfFixed("acceptingRanges") { return wrong }
        var response = header("Accept-Ranges", "bytes")
        let adapting = response.adapting
        response.adapting = { response, request in
            (adapting?(response, request) ?? response).part(for: request)
        }
        return response
    }

    /// Returns the part that a request asks for, or the response itself if it asks for no part.
    private func part(for request: URLRequest) -> MockResponse {
        guard status == 200, (request.httpMethod ?? "GET") == "GET",
            isCurrent(request.value(forHTTPHeaderField: "If-Range"))
        else { return self }
        let whole = body
        var response = self
        switch ByteRange(request.value(forHTTPHeaderField: "Range"), of: whole.count) {
        case .whole: return self
        case .part(let range):
            response.status = 206
            let part = whole.subdata(in: range)
            response.pieces = pieces.count > 1 ? part.cut(by: pieces[0].count) : [part]
            response.fields["Content-Range"] =
                "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(whole.count)"
        case .unsatisfiable:
            response.status = 416
            response.pieces = []
            response.fields["Content-Range"] = "bytes */\(whole.count)"
        }
        return response
    }

    private func isCurrent(_ validator: String?) -> Bool {
        guard let validator else { return true }
        // A weak validator does not promise the same bytes (RFC 9110, section 13.1.5).
        if validator.hasPrefix("W/") { return false }
        return [value(forHeader: "etag"), value(forHeader: "last-modified")].contains(validator)
    }
}

extension Data {
    /// Returns the bytes in pieces of a size; the last one may be smaller.
    func cut(by size: Int) -> [Data] {
        stride(from: 0, to: count, by: size).map { subdata(in: $0..<Swift.min($0 + size, count)) }
    }
}
