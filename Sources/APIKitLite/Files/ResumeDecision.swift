import Foundation

/// What a download does with the body of a response: the one decision that keeps the bytes of two
/// versions of a file apart.
///
///     switch ResumeDecision(record: record, response: response) {
///     case .append(let offset, let count, let length): …
///     case .startOver: …
///     case .askAgain(let reason): …
///     case .refuse: …
///     }
public enum ResumeDecision: Hashable, Sendable {
    /// The body continues the part.
    ///
    /// `offset` is the position of its first byte in the file. `count` is the number of its bytes,
    /// and `length` that of the whole file.
    case append(offset: Int64, count: Int64, length: Int64)
    /// The body is the whole file, so the part is written from its beginning.
    case startOver
    /// The body does not fit the part. The download asks for the whole file instead.
    case askAgain(Mismatch)
    /// The body is no part of the file. The download fails with the status as its error.
    case refuse

    /// The reason why a response does not fit a part.
    public enum Mismatch: String, Hashable, Sendable, CaseIterable {
        /// A 416: the server has no byte at this position.
        case noSuchRange
        /// A 206 without a valid `Content-Range`, or with another unit than bytes.
        case noContentRange
        /// A 206 with several ranges, `multipart/byteranges`. One was asked for.
        case severalRanges
        /// A 206 whose body has a `Content-Encoding`.
        case contentEncoding
        /// A 206 that begins at another byte than the one that was asked for.
        case otherStart
        /// A 206 that has another length of the file than the record, or none.
        case otherLength
        /// A 206 whose `Content-Length` is not the length of its range.
        case otherCount
        /// A 206 with another validator than the record, or with a weak one.
        case otherValidator
        /// A 206 without the validator that the record has.
        case noValidator
    }

    /// Decides from the record of a part and the status and the headers of a response.
    ///
    /// | response | decision |
    /// |---|---|
    /// | 200 or 203 | ``startOver`` |
    /// | 206 that fits the record | ``append(offset:count:length:)`` |
    /// | 206 that does not fit the record | ``askAgain(_:)`` |
    /// | 416 | ``askAgain(_:)`` |
    /// | 206 or 416, and no range was asked for | ``refuse`` |
    /// | any other status | ``refuse`` |
    ///
    /// A 206 fits the record only if everything is as expected: its range begins at the first byte
    /// that is missing, the length of the file and the strong validator are those of the record,
    /// and the body is not encoded.
    ///
    /// - Parameters:
    ///   - record: The record whose fields the request had; `nil` if it asked for the whole file.
    ///   - response: The response.
    public init(record: ResumeRecord?, response: HTTPURLResponse) {
        switch (response.statusCode, record) {
        case (200, _), (203, _): self = .startOver
        case (206, let record?): self = Self.part(of: record, in: response)
        case (416, _?): self = .askAgain(.noSuchRange)
        default: self = .refuse
        }
    }

    /// Decides about a 206.
    private static func part(
        of record: ResumeRecord, in response: HTTPURLResponse
    ) -> ResumeDecision {
        if mediaType(response.field("Content-Type")) == "multipart/byteranges" {
            return .askAgain(.severalRanges)
        }
        guard let range = response.field("Content-Range").flatMap({ ContentRange($0) }) else {
            return .askAgain(.noContentRange)
        }
        guard !response.isEncoded else { return .askAgain(.contentEncoding) }
        guard record.asks(for: range) else { return .askAgain(.otherStart) }
        guard let length = range.length, length == record.length ?? length else {
            return .askAgain(.otherLength)
        }
        let count = range.bytes.upperBound - range.bytes.lowerBound
        if let announced = response.field("Content-Length"), byteNumber(announced) != count {
            return .askAgain(.otherCount)
        }
        // RFC 9110, section 15.3.7: a 206 has the entity tag that a 200 would have.
        let name = record.validator.hasPrefix("\"") ? "ETag" : "Last-Modified"
        guard let validator = response.field(name) else { return .askAgain(.noValidator) }
        guard validator == record.validator else { return .askAgain(.otherValidator) }
        return .append(offset: range.bytes.lowerBound, count: count, length: length)
    }
}
