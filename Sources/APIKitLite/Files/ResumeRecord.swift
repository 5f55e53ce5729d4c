import Foundation

/// What is known about the part of a file that an interrupted download left.
///
/// It is stored as JSON beside the part, before the first byte. The next download sends its
/// validator with the request, and `ResumeDecision` compares it with the response.
struct ResumeRecord: Codable, Equatable {
    let urlHash: UInt64
    /// The strong validator of the file: an entity tag with its quotation marks, or the date of
    /// `Last-Modified`.
    let validator: String
    /// The file number (inode) of the part. The record of any other file with the name of the part
    /// does not count.
    var inode: UInt64 = 0
    /// The number of bytes that the part has. It is not stored: the size of the part says it.
    var offset: Int64 = 0
    /// The length of the whole file in bytes, or nil if the server did not say it.
    var length: Int64?

    private enum CodingKeys: CodingKey {
        case urlHash, validator, inode, length
    }

    /// Returns a hash of a URL without its user info and fragment, by FNV-1a.
    ///
    /// The record has the hash and not the URL, because a query may contain a credential.
    static func hash(of url: URL?) -> UInt64 {
        var parts = url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }
        parts?.user = nil
        parts?.password = nil
        parts?.fragment = nil
        return fnv1a((parts?.string ?? "").utf8)
    }

    /// The first byte to ask for.
    ///
    /// The last byte of a part that may be whole is asked for again. The answer is then a 206,
    /// which says that the file is still the same. A 416 would not say that.
    var start: Int64 {
        length == nil || length == offset ? offset - 1 : offset
    }

    /// Returns a request for the rest of the file.
    ///
    ///     Range: bytes=1048576-
    ///     If-Range: "5f3e-400"
    ///
    /// The fields are those of RFC 9110, sections 14.2 and 13.1.5. Without bytes to keep, there are
    /// none.
    func resuming(_ request: URLRequest) -> URLRequest {
        guard start > 0 else { return request }
        var request = request
        request.setValue("bytes=\(start)-", forHTTPHeaderField: "Range")
        request.setValue(validator, forHTTPHeaderField: "If-Range")
        return request
    }
}

extension ResumeRecord {
    /// Creates the record of a file whose whole body follows, if its download can be resumed.
    ///
    /// The result is nil if two versions of the file could be confused, or if the position of a
    /// byte in the body is not its position in the file. This is the case
    /// - if the status is not 200,
    /// - without a strong validator (RFC 9110, section 8.8). A weak entity tag does not count. A
    ///   `Last-Modified` counts only without an entity tag, and if the response's `Date` is at
    ///   least one second later,
    /// - if the response has a `Content-Encoding`, because Foundation decodes the body,
    /// - if `Accept-Ranges` is `none`.
    init?(urlHash: UInt64, of response: HTTPURLResponse) {
        guard response.statusCode == 200, !response.isEncoded,
            let validator = response.strongValidator,
            response.field("Accept-Ranges")?.lowercased() != "none"
        else { return nil }
        self.init(urlHash: urlHash, validator: validator)
    }
}

extension HTTPURLResponse {
    /// The value of a field without spaces around it, or nil if it is missing or empty.
    func field(_ name: String) -> String? {
        let value = value(forHTTPHeaderField: name)?.trimmingCharacters(in: .whitespaces)
        return value?.isEmpty == false ? value : nil
    }

    /// The number of bytes that the body has before it is decoded, if the server says it.
    var announcedLength: Int64? { field("Content-Length").flatMap { byteNumber($0) } }

    /// Whether the body has a content coding, so its bytes differ from the bytes of the file.
    var isEncoded: Bool {
        field("Content-Encoding").map { $0.lowercased() != "identity" } ?? false
    }

    /// The validator that says that two responses have the same bytes, or nil if there is none.
    fileprivate var strongValidator: String? {
        if let tag = field("ETag") {
            // RFC 9110, section 13.1.5: a date does not replace a weak entity tag. A strong one is
            // ASCII between quotation marks (section 8.8.3).
            let characters = tag.dropFirst().dropLast()
            let isStrong = tag.count >= 2 && tag == "\"\(characters)\""
            return isStrong && characters.utf8.allSatisfy { $0 == 0x21 || 0x23...0x7E ~= $0 }
                ? tag : nil
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
