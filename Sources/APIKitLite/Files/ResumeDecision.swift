import Foundation

/// What a download does with a response's body. Only this decision keeps the bytes of two versions
/// of a file apart.
enum ResumeDecision: Equatable {
    /// The body is this range of the file. A range that begins at 0 is the whole file, and replaces
    /// the part. Any other range continues the part.
    case write(ContentRange)
    /// The body does not continue the part. The download requests the whole file instead.
    case askAgain
    /// The response has an unsuitable status, such as 206 although the whole file was requested.
    /// The download fails because of the status.
    case refuse
    /// The whole file was requested, but `Content-Range` shows that the body is not the whole file.
    case fail(DownloadError)

    /// Decides by a response's status and headers, and the record that the request was made from.
    /// The record is nil if the whole file was requested.
    init(record: ResumeRecord?, response: HTTPURLResponse) {
        switch (response.statusCode, record) {
        case (200, _), (203, _):
            let whole = ContentRange(wholeBodyOf: response)
            let error = response.missingPart(of: whole)
            if let record {
                self = error == nil && record.agrees(response, whole) ? .write(whole) : .askAgain
            } else {
                self = error.map { .fail($0) } ?? .write(whole)
            }
        case (206, let record?):
            self = Self.range(after: record, in: response).map { .write($0) } ?? .askAgain
        case (416, _?): self = .askAgain
        default: self = .refuse
        }
    }

    /// Returns the range of a 206 response if the range begins at the requested byte and gives the
    /// file's length. All known lengths must agree, the response must have the record's validator,
    /// and the body must not be encoded or in several parts.
    private static func range(
        after record: ResumeRecord, in response: HTTPURLResponse
    ) -> ContentRange? {
        guard mediaType(response.field("Content-Type")) != "multipart/byteranges",
            !response.isEncoded,
            let range = response.field("Content-Range").flatMap({ ContentRange($0) }),
            let end = range.end, range.start == record.start,
            let length = range.length, length == record.length ?? length
        else { return nil }
        if let announced = response.field("Content-Length"),
            byteNumber(announced[...]) != end - range.start
        {
            return nil
        }
        // RFC 9110, section 15.3.7: a 206 response has the entity tag that a 200 response would
        // have.
        return record.isOfSameFile(response) ? range : nil
    }
}

extension ResumeRecord {
    fileprivate func isOfSameFile(_ response: HTTPURLResponse) -> Bool {
        response.field(validator.hasPrefix("\"") ? "ETag" : "Last-Modified") == validator
    }

    /// Returns whether a response's body can be the whole file, either unchanged or in a new
    /// version. An unchanged file must keep its length. If the record has no length, any length
    /// announced for an unchanged file must be at least the part's size.
    fileprivate func agrees(_ response: HTTPURLResponse, _ whole: ContentRange) -> Bool {
        !isOfSameFile(response) || whole.length == length
            || length == nil && whole.length ?? offset >= offset
    }
}

extension HTTPURLResponse {
    /// Returns an error if the `Content-Range` of a 200 or 203 response describes only a range of
    /// the file, or does not match the body's length.
    fileprivate func missingPart(of whole: ContentRange) -> DownloadError? {
        guard let range = field("Content-Range").flatMap({ ContentRange($0) }), let end = range.end
        else { return nil }
        let (expected, received) = (range.length ?? end, whole.length ?? end - range.start)
        return range.start == 0 && end == expected && received == expected
            ? nil : .wrongLength(expected: expected, received: received)
    }
}

/// The range of a file that a response contains (RFC 9110, section 14.4).
struct ContentRange: Equatable {
    /// The position of the first byte.
    var start: Int64 = 0
    /// The position after the last byte, if the server announced it.
    let end: Int64?
    /// The length of the whole file, if the server announced it.
    let length: Int64?
}

extension ContentRange {
    init(wholeBodyOf response: HTTPURLResponse) {
        let announced = response.isEncoded ? nil : response.field("Content-Length")
        let length = announced.flatMap { byteNumber($0[...]) }
        self.init(end: length, length: length)
    }

    /// Parses a `Content-Range` field, such as `bytes 5-9/10` or `bytes 5-9/*`. Returns nil for any
    /// other form, such as that of a 416 response (`bytes */10`), and for impossible bounds.
    init?(_ field: String) {
        let words = field.split { " -/".contains($0) }
        guard words.count == 4, let first = byteNumber(words[1]), let last = byteNumber(words[2]),
            field.lowercased() == "bytes \(words[1])-\(words[2])/\(words[3])",
            first <= last, last < .max
        else { return nil }
        let length = byteNumber(words[3])
        guard words[3] == "*" || length.map({ last < $0 }) == true else { return nil }
        self.init(start: first, end: last + 1, length: length)
    }
}
