import Foundation

/// What is recorded about a download's part, so that another request can continue the part.
///
/// The record is stored as JSON next to the part, before the first byte is written. A request for
/// the rest of the file contains the record's validator, and `ResumeDecision` compares the record
/// with the response.
struct ResumeRecord: Codable, Equatable {
    let urlHash: UInt64
    /// The strong validator of the file: an entity tag with its quotation marks, or the date of
    /// `Last-Modified`.
    let validator: String
    /// The file number (inode) of the part. If another file has the part's name, the record is
    /// ignored.
    var inode: UInt64 = 0
    /// The part's size in bytes. It is not stored, because a later download measures the part.
    var offset: Int64 = 0
    /// The length of the whole file in bytes, or nil if the server did not announce it.
    var length: Int64?

    private enum CodingKeys: CodingKey {
        case urlHash, validator, inode, length
    }

    /// Returns the FNV-1a hash of a URL without its user info and fragment.
    ///
    /// The record contains the hash instead of the URL, because a query may contain a credential.
    static func hash(of url: URL?) -> UInt64 {
        var parts = url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }
        parts?.user = nil
        parts?.password = nil
        parts?.fragment = nil
        return fnv1a((parts?.string ?? "").utf8)
    }

    /// The first byte to request.
    ///
    /// If the part may be complete, its last byte is requested again. A 206 response to this
    /// request confirms that the file is unchanged. If no byte were requested again, the response
    /// for a complete part would be a 416, which confirms nothing.
    var start: Int64 {
        length == nil || length == offset ? offset - 1 : offset
    }

    /// Returns a request for the rest of the file.
    ///
    ///     Range: bytes=1048576-
    ///     If-Range: "5f3e-400"
    ///
    /// See RFC 9110, sections 14.2 and 13.1.5.
    func resuming(_ request: URLRequest) -> URLRequest {
        var request = request
        request.setValue("bytes=\(start)-", forHTTPHeaderField: "Range")
        request.setValue(validator, forHTTPHeaderField: "If-Range")
        return request
    }
}

extension ResumeRecord {
    /// Creates the record of a file that a response contains in full, if the download can be
    /// resumed.
    ///
    /// Returns nil if two versions of the file could be confused, if positions in the body and in
    /// the file differ, or if the server accepts no ranges. These are the cases:
    /// - The status is not 200.
    /// - There is no strong validator (RFC 9110, section 8.8). A weak entity tag is not a strong
    ///   validator. A `Last-Modified` is a strong validator only if there is no entity tag, and if
    ///   `Date` is at least a second later.
    /// - The response has a `Content-Encoding` (except `identity`), so Foundation decodes the body.
    /// - `Accept-Ranges` is `none`.
    init?(urlHash: UInt64, of response: HTTPURLResponse) {
        guard response.statusCode == 200, !response.isEncoded,
            let validator = response.strongValidator,
            response.field("Accept-Ranges")?.lowercased() != "none"
        else { return nil }
        self.init(urlHash: urlHash, validator: validator)
    }
}

extension HTTPURLResponse {
    /// Whether the body has a content coding, so that its bytes differ from the file's bytes.
    var isEncoded: Bool {
        field("Content-Encoding").map { $0.lowercased() != "identity" } ?? false
    }

    /// The validator that identifies the exact bytes of a response, or nil if the response has
    /// none.
    fileprivate var strongValidator: String? {
        if let tag = field("ETag") {
            // RFC 9110, section 13.1.5: a date does not replace a weak entity tag. A strong entity
            // tag begins and ends with a quotation mark (section 8.8.3). Only ASCII tags are used.
            let characters = tag.dropFirst().dropLast()
            let isStrong = tag.count >= 2 && tag == "\"\(characters)\""
            return isStrong && characters.utf8.allSatisfy { $0 == 0x21 || 0x23...0x7E ~= $0 }
                ? tag : nil
        }
        guard let modified = field("Last-Modified"),
            let modification = Date(httpDate: modified, now: Date()),
            let date = field("Date").flatMap({ Date(httpDate: $0, now: Date()) }),
            // RFC 9110, section 8.8.2.2: the file may have changed twice within one second.
            date >= modification.addingTimeInterval(1)
        else { return nil }
        return modified
    }
}
