import Foundation

/// What a `Range` header asks of a body (RFC 9110, section 14).
enum ByteRange: Equatable {
    /// There is no range, or one that a server ignores: unreadable, in other units, or several.
    case whole
    case part(Range<Int>)
    /// Outside the body: 416.
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

    /// Nil where there is something else than digits; nothing is a missing number.
    private static func number(_ text: Substring) -> Int?? {
        let text = text.trimmingCharacters(in: .whitespaces)
        if text.isEmpty { return .some(nil) }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        // More digits than a number has lie beyond every body.
        return .some(Int(text) ?? .max)
    }
}

extension MockResponse {
    /// The same response, which a request with a `Range` header gets a part of: `206` with
    /// `Content-Range`, or `416` where the body is shorter (RFC 9110, section 14).
    ///
    /// `If-Range` is compared with the response's `ETag` or `Last-Modified`. Several ranges at once
    /// get the whole body, as the standard allows.
    public var acceptingRanges: MockResponse {
        var response = header("Accept-Ranges", "bytes")
        response.acceptsRanges = true
        return response
    }

    /// The part that a request asks for.
    func part(for request: URLRequest) -> MockResponse {
        guard acceptsRanges, status == 200, (request.httpMethod ?? "GET") == "GET",
            isCurrent(request.value(forHTTPHeaderField: "If-Range"))
        else { return self }
        let body = Answer.join(chunks)
        var response = self
        switch ByteRange(request.value(forHTTPHeaderField: "Range"), of: body.count) {
        case .whole: return self
        case .part(let range):
            response.status = 206
            response.chunks = [body.subdata(in: range)]
            if let piece = chunks.first, chunks.count > 1 {
                response = response.chunked(by: piece.count, every: interval)
            }
            return response.header(
                "Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(body.count)")
        case .unsatisfiable:
            response.status = 416
            response.chunks = []
            return response.header("Content-Range", "bytes */\(body.count)")
        }
    }

    private func isCurrent(_ validator: String?) -> Bool {
        guard let validator else { return true }
        // Two representations with one weak validator may differ byte by byte (RFC 9110, 13.1.5).
        if validator.hasPrefix("W/") { return false }
        let names = ["etag", "last-modified"]
        return headers.contains { names.contains($0.key.lowercased()) && $0.value == validator }
    }
}
