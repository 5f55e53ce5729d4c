import Foundation

/// The part of a file that a response contains (RFC 9110, section 14.4).
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
        let length = response.isEncoded ? nil : response.announcedLength
        self.init(end: length, length: length)
    }

    /// Parses a `Content-Range` field, such as `bytes 5-9/10`. Returns nil for another unit, for
    /// the form used by a 416 (`bytes */10`), and for impossible bounds.
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
