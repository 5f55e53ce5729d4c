import Foundation

/// What is known about the part of a file that an interrupted download left.
///
/// ``HTTPSession/download(_:to:progress:checking:identity:retrying:clock:)`` stores it as JSON beside
/// the part. The next download sends its fields with the request, and ``ResumeDecision`` compares
/// it with the response.
public struct ResumeRecord: Codable, Hashable, Sendable {
    /// The name of what is downloaded, which does not change if a signed URL expires.
    public var identity: String
    /// The strong validator of the file: an entity tag with its quotation marks, or the date of
    /// `Last-Modified`.
    public var validator: String
    /// The number of bytes that the part has for certain, also after a power failure.
    public var offset: Int64
    /// The length of the whole file in bytes, or `nil` if the server did not say it.
    public var length: Int64?

    /// Creates a record.
    ///
    /// - Parameters:
    ///   - identity: The name of what is downloaded.
    ///   - validator: The strong validator of the file, as a response contains it.
    ///   - offset: The number of bytes that the part has.
    ///   - length: The length of the whole file in bytes, if it is known.
    public init(identity: String, validator: String, offset: Int64, length: Int64? = nil) {
        self.identity = identity
        self.validator = validator
        self.offset = offset
        self.length = length
    }

    /// Creates the record of a file whose whole body follows, if its download can be resumed.
    ///
    /// The result is `nil` if two versions of the file could be confused, or if the position of a
    /// byte in the body is not its position in the file. This is the case
    /// - if the status is not 200,
    /// - without a strong validator (RFC 9110, section 8.8). A weak entity tag is none. A
    ///   `Last-Modified` counts only if there is no entity tag, and if the response's `Date` is at
    ///   least one second later,
    /// - if the response has a `Content-Encoding`, because Foundation decodes the body,
    /// - if `Accept-Ranges` is `none`.
    ///
    /// - Parameters:
    ///   - identity: The name of what is downloaded.
    ///   - response: The response.
    public init?(identity: String, of response: HTTPURLResponse) {
        guard response.statusCode == 200, !response.isEncoded,
            let validator = response.strongValidator,
            response.field("Accept-Ranges")?.lowercased() != "none"
        else { return nil }
        self.init(
            identity: identity, validator: validator, offset: 0,
            length: response.announcedLength)
    }

    /// The first byte to ask for.
    ///
    /// The last byte of a part that may be whole is asked for again. The answer is then a 206, which
    /// says that the file is still the same. A 416 would not say that.
    var start: Int64 {
        length == nil || length == offset ? offset - 1 : offset
    }

    /// Returns a request for the rest of the file.
    ///
    ///     Range: bytes=1048576-
    ///     If-Range: "5f3e-400"
    ///
    /// - Parameter request: The request for the whole file.
    /// - Returns: The request with the fields `Range` and `If-Range` (RFC 9110, sections 14.2 and
    ///   13.1.5). Without bytes to keep, it is the request itself.
    public func resuming(_ request: URLRequest) -> URLRequest {
        guard start > 0 else { return request }
        var request = request
        request.setValue("bytes=\(start)-", forHTTPHeaderField: "Range")
        request.setValue(validator, forHTTPHeaderField: "If-Range")
        return request
    }

    /// Whether a range is one that `resuming(_:)` asks for.
    func asks(for range: ContentRange) -> Bool {
        start > 0 && range.bytes.lowerBound == start
    }
}

extension HTTPURLResponse {
    /// The value of a field without spaces around it, or `nil` if it is missing or empty.
    func field(_ name: String) -> String? {
        let value = value(forHTTPHeaderField: name)?.trimmingCharacters(in: .whitespaces)
        return value?.isEmpty == false ? value : nil
    }

    /// The number of bytes that the body has before it is decoded, if the server says it.
    var announcedLength: Int64? { field("Content-Length").flatMap { byteNumber($0) } }

    /// Whether the body has a content coding, so that its bytes are not those of the file.
    var isEncoded: Bool {
        field("Content-Encoding").map { $0.lowercased() != "identity" } ?? false
    }

    /// The validator that says that two responses have the same bytes, or `nil` if there is none.
    var strongValidator: String? {
        if let tag = field("ETag") {
            // RFC 9110, section 13.1.5: a date is no substitute for an entity tag that is weak.
            return isEntityTag(tag) ? tag : nil
        }
        guard let modified = field("Last-Modified"),
            let modification = Date(httpDate: modified, now: Date()),
            let date = field("Date").flatMap({ Date(httpDate: $0, now: Date()) }),
            // RFC 9110, section 8.8.2.2: the file may have changed twice within that second.
            date >= modification.addingTimeInterval(1)
        else { return nil }
        return modified
    }
}

/// Whether a text is a strong entity tag (RFC 9110, section 8.8.3), in ASCII.
private func isEntityTag(_ text: String) -> Bool {
    let bytes = text.utf8
    guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"")
    else { return false }
    return bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || 0x23...0x7E ~= $0 }
}
