import APIKitLite
import Foundation

/// The parts of a `multipart/form-data` body (RFC 7578).
struct MultipartBody: Sendable {
    struct Part: Sendable {
        let name: String
        /// The name of the file; nil for a field.
        let fileName: String?
        /// The headers, in order, as they were sent.
        let headers: [(name: String, value: String)]
        let data: Data

        /// Returns the first value of a header, whose name is in lower case.
        func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name }?.value
        }

        var contentType: String? { header("content-type") }
    }

    /// The reason why a body has no parts that can be read.
    struct Failure: Error, Equatable {
        /// What is wrong, as the end of a sentence about the body.
        let reason: String

        static let otherType = Failure(reason: "which is not multipart/form-data")
        static let boundary = Failure(
            reason: "whose Content-Type has no boundary of 1 to 70 characters")
        static let noDelimiter = Failure(
            reason: "in which no line begins with the boundary")
        static let lineFeeds = Failure(
            reason: "whose lines end with LF instead of CR LF")
        static let noEnd = Failure(reason: "whose final boundary is missing")

        /// Parts are counted from 1.
        static func headers(part: Int) -> Failure {
            Failure(reason: "whose part \(part) has malformed headers")
        }

        static func noName(part: Int) -> Failure {
            Failure(reason: "whose part \(part) has no Content-Disposition: form-data with a name")
        }
    }

    let parts: [Part]

    /// Reads a body in time that grows linearly with its length.
    ///
    /// A preamble and an epilogue are ignored (RFC 2046, section 5.1.1).
    init(_ body: Data, contentType: String?) throws(Failure) {
        guard let contentType, mediaType(contentType) == "multipart/form-data" else {
            throw .otherType
        }
        guard let boundary = headerParameter("boundary", of: contentType),
            1...70 ~= boundary.utf8.count
        else { throw .boundary }

        var scanner = DelimiterScanner(Array(body), boundary)
        var parts: [Part] = []
        guard var delimiter = scanner.next() else {
            throw scanner.hasLineFeeds ? .lineFeeds : .noDelimiter
        }
        while !delimiter.isFinal {
            guard let next = scanner.next() else {
                throw scanner.hasLineFeeds ? .lineFeeds : .noEnd
            }
            let content = scanner.bytes[delimiter.end..<max(delimiter.end, next.start)]
            parts.append(try Part(content, number: parts.count + 1))
            delimiter = next
        }
        self.parts = parts
    }
}

extension MultipartBody.Part {
    fileprivate init(
        _ content: ArraySlice<UInt8>, number: Int
    ) throws(MultipartBody.Failure) {
        var rest = content
        var headers: [(name: String, value: String)] = []
        // The empty line may be missing if nothing follows it (RFC 2046, section 5.1.1).
        while !rest.isEmpty {
            guard let end = rest.firstLineBreak else { throw .headers(part: number) }
            let line = rest[..<end]
            rest = rest[(end + 2)...]
            if line.isEmpty { break }
            if line.contains(UInt8(ascii: "\n")) { throw .lineFeeds }
            let name = line.prefix { $0 != UInt8(ascii: ":") }
            guard name.isHTTPToken, name.endIndex < line.endIndex else {
                throw .headers(part: number)
            }
            headers.append(
                (String(decoding: name, as: UTF8.self), trimmed(line[name.endIndex...].dropFirst()))
            )
        }
        let disposition = headers.first { $0.name.lowercased() == "content-disposition" }?.value
        guard let disposition, mediaType(disposition) == "form-data",
            let name = headerParameter("name", of: disposition)
        else { throw .noName(part: number) }
        self.name = unescaped(name)
        fileName = headerParameter("filename", of: disposition).map(unescaped)
        self.headers = headers
        data = Data(rest)
    }
}

/// Returns a name without the escapes of the WHATWG "multipart/form-data encoding algorithm".
private func unescaped(_ name: String) -> String {
    guard name.utf8.contains(UInt8(ascii: "%")) else { return name }
    return name.replacingOccurrences(of: "%22", with: "\"")
        .replacingOccurrences(of: "%0D", with: "\r").replacingOccurrences(of: "%0A", with: "\n")
}

private func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespaces)
}

/// Finds the lines that separate the parts of a multipart body.
private struct DelimiterScanner {
    /// A line with the boundary.
    struct Delimiter {
        /// The index of the line break before the line, which belongs to the delimiter.
        let start: Int
        /// The index after the line.
        let end: Int
        let isFinal: Bool
    }

    let bytes: [UInt8]
    /// Whether a line with the boundary ends with LF alone.
    private(set) var hasLineFeeds = false
    private let dashBoundary: [UInt8]
    /// The index of the next line; nil after the last one.
    private var line: Int? = 0

    init(_ bytes: [UInt8], _ boundary: String) {
        self.bytes = bytes
        dashBoundary = Array("--\(boundary)".utf8)
    }

    mutating func next() -> Delimiter? {
        while let start = line {
            line = bytes[start...].firstLineBreak.map { $0 + 2 }
            if let found = delimiter(at: start) { return found }
        }
        return nil
    }

    private mutating func delimiter(at start: Int) -> Delimiter? {
        guard bytes[start...].starts(with: dashBoundary) else { return nil }
        var rest = bytes[start...].dropFirst(dashBoundary.count)
        let isFinal = rest.starts(with: "--".utf8)
        if isFinal { rest = rest.dropFirst(2) }
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
        if rest.first == UInt8(ascii: "\n") { hasLineFeeds = true }
        let isWholeLine = rest.starts(with: "\r\n".utf8) || isFinal && rest.isEmpty
        guard isWholeLine else { return nil }
        return Delimiter(start: start - 2, end: line ?? bytes.count, isFinal: isFinal)
    }
}

extension ArraySlice<UInt8> {
    /// The index of the first CR LF.
    fileprivate var firstLineBreak: Int? {
        withUnsafeBufferPointer { buffer in
            var start = 0
            // `memchr` finds a byte faster than a loop, which matters for large files.
            while start < buffer.count,
                let found = memchr(buffer.baseAddress! + start, 0x0D, buffer.count - start)
            {
                let index = found - UnsafeMutableRawPointer(mutating: buffer.baseAddress!)
                if index + 1 < buffer.count, buffer[index + 1] == 0x0A { return startIndex + index }
                start = index + 1
            }
            return nil
        }
    }
}
