import Foundation

/// What a download does with the body of a response: the one decision that keeps the bytes of
/// two versions of a file apart.
enum ResumeDecision: Equatable {
    /// The body is this part of the file. If it begins at 0, it is the whole file, and the part
    /// is written from its beginning; otherwise it continues the part.
    case write(ContentRange)
    /// The body does not fit the part. The download asks for the whole file instead.
    case askAgain
    /// The body is no part of the file. The download fails with the status as its error.
    case refuse

    /// Decides from the status and the headers of a response, and the record whose fields the request
    /// had; nil if it asked for the whole file.
    init(record: ResumeRecord?, response: HTTPURLResponse) {
        switch (response.statusCode, record) {
        case (200, _), (203, _): self = .write(ContentRange(wholeBodyOf: response))
        case (206, let record?):
            self = Self.range(after: record, in: response).map { .write($0) } ?? .askAgain
        case (416, _?): self = .askAgain
        default: self = .refuse
        }
    }

    /// Returns the range of a 206 if everything is as expected: it begins at the first byte
    /// that is missing, the length of the file and the strong validator equal those of the
    /// record, and the body is not encoded.
    private static func range(
        after record: ResumeRecord, in response: HTTPURLResponse
    ) -> ContentRange? {
        guard mediaType(response.field("Content-Type")) != "multipart/byteranges",
            !response.isEncoded,
            let range = response.field("Content-Range").flatMap({ ContentRange($0) }),
            let end = range.end, record.start > 0, range.start == record.start,
            let length = range.length, length == record.length ?? length
        else { return nil }
        if let announced = response.field("Content-Length"),
            byteNumber(announced) != end - range.start
        {
            return nil
        }
        // RFC 9110, section 15.3.7: a 206 has the entity tag that a 200 would have.
        let name = record.validator.hasPrefix("\"") ? "ETag" : "Last-Modified"
        return response.field(name) == record.validator ? range : nil
    }
}
