import APIKitLite
import Foundation

/// The syntax of a `multipart/form-data` body (RFC 7578).
enum MultipartBody {
    /// The reason why the parts of a body cannot be read.
    struct Failure: Error, Equatable, CustomStringConvertible {
        /// What is wrong, worded as the end of a sentence about the body.
        let description: String

        static let otherType = Failure(description: "which is not multipart/form-data")
        static let malformed = Failure(
            description: "which is malformed: a boundary, a header or a name is missing, or a line "
                + "does not end with CR LF")
    }

    /// Returns the parts of a body, in linear time.
    ///
    /// A preamble and an epilogue are ignored (RFC 2046, section 5.1.1).
    static func parts(of body: Data, contentType: String?) throws(Failure) -> [RecordedPart] {
        guard mediaType(contentType) == "multipart/form-data" else { throw .otherType }
        guard let boundary = mediaTypeParameter("boundary", of: contentType), !boundary.isEmpty
        else {
            throw .malformed
        }
        // The line break before a boundary is part of the delimiter. A body may begin with a
        // boundary, so `bytes` begins with a line break.
        let delimiter = Data("\r\n--\(boundary)".utf8)
        let bytes = Data("\r\n".utf8) + body
        var parts: [RecordedPart] = []
        var partStart: Int?
        for place in bytes.places(of: delimiter) {
            let searched = place + delimiter.count
            let isLast = bytes[searched...].starts(with: "--".utf8)
            // Only a whole line separates two parts. The line may end with blanks that a gateway
            // added.
            let end = bytes[searched...].drop { $0 == 0x20 || $0 == 0x09 }
            guard isLast || end.starts(with: "\r\n".utf8) else { continue }
            if let start = partStart {
                parts.append(try RecordedPart(bytes[start..<max(start, place)]))
            }
            if isLast { return parts }
            partStart = end.startIndex + 2
        }
        throw .malformed
    }
}

extension RecordedPart {
    /// Parses the headers and the data of a part.
    fileprivate init(_ content: Data) throws(MultipartBody.Failure) {
        // If the part has no data, the empty line after the headers may be missing.
        let end = content.range(of: Data("\r\n\r\n".utf8))
        let headEnd = end?.lowerBound ?? content.endIndex
        let head = String(decoding: content[..<headEnd], as: UTF8.self)
        var headers: [(name: String, value: String)] = []
        for line in head.components(separatedBy: "\r\n") where !line.isEmpty {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].utf8.isHTTPToken, !line.utf8.contains(0x0A) else {
                throw .malformed
            }
            headers.append((parts[0].lowercased(), parts[1].trimmingCharacters(in: .whitespaces)))
        }
        func value(_ name: String) -> String? { headers.first { $0.name == name }?.value }
        guard let disposition = value("content-disposition"),
            disposition.lowercased().hasPrefix("form-data"),
            let name = headerParameter("name", of: disposition)
        else { throw .malformed }
        self.init(
            name: unescaped(name),
            fileName: headerParameter("filename", of: disposition).map(unescaped),
            contentType: value("content-type"),
            data: end.map { Data(content[$0.upperBound...]) } ?? Data())
    }
}

/// Decodes the escapes that the WHATWG "multipart/form-data encoding algorithm" adds to the names
/// of fields and files.
private func unescaped(_ name: String) -> String {
    guard name.utf8.contains(UInt8(ascii: "%")) else { return name }
    return name.replacingOccurrences(of: "%22", with: "\"")
        .replacingOccurrences(of: "%0D", with: "\r").replacingOccurrences(of: "%0A", with: "\n")
}
