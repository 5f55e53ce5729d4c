import Foundation

/// One field or file of a `multipart/form-data` body (RFC 7578).
public struct MultipartPart: Equatable, Sendable {
    let name: String
    /// The field's value, or the file's bytes. Empty if `file` is set.
    let data: Data
    /// The file on disk to read when the request is sent, or nil if the content is `data`.
    var file: URL?
    let fileName: String?
    let contentType: String?

    /// Creates a part. Shorter ways to create one are `.text`, ``file(_:at:fileName:contentType:)``
    /// and ``file(_:fileName:contentType:data:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the form field.
    ///   - data: The field's value, or the file's bytes.
    ///   - fileName: The name of the file, or nil for a field that is not a file.
    ///   - contentType: The media type of `data`, or nil for plain text.
    public init(name: String, data: Data, fileName: String? = nil, contentType: String? = nil) {
        self.name = name
        self.data = data
        self.fileName = fileName
        self.contentType = contentType
    }

    /// Returns a field whose value is text, encoded as UTF-8.
    public static func text(_ name: String, _ value: String) -> MultipartPart {
        MultipartPart(name: name, data: Data(value.utf8))
    }

    /// Returns a file on disk, which is read when the request is sent.
    ///
    /// A file of any size takes little memory.
    ///
    /// - Parameters:
    ///   - name: The name of the form field.
    ///   - url: The URL of the file.
    ///   - fileName: The file name to send. If nil, the name on disk is sent.
    ///   - contentType: The media type of the file. If nil, it is derived from the extension, as
    ///     `URLRequest.fileBody` describes.
    public static func file(
        _ name: String, at url: URL, fileName: String? = nil, contentType: String? = nil
    ) -> MultipartPart {
        var part = MultipartPart(
            name: name, data: Data(), fileName: fileName ?? url.lastPathComponent,
            contentType: contentType ?? fileMediaType(url))
        part.file = url
        return part
    }

    /// Returns a file whose bytes are in memory.
    public static func file(
        _ name: String, fileName: String, contentType: String = "application/octet-stream",
        data: Data
    ) -> MultipartPart {
        MultipartPart(name: name, data: data, fileName: fileName, contentType: contentType)
    }

    /// Returns the part's headers with an empty line after them, and the part's data, which is not
    /// copied. The bytes of a file on disk are left out.
    func encoded() throws -> [Data] {
        for (noun, text) in [("name", name), ("file name", fileName), ("type", contentType)] {
            try checkField(text ?? "", "The multipart part", name, noun)
        }
        // The WHATWG "multipart/form-data encoding algorithm" replaces a quotation mark with `%22`.
        func quoted(_ text: String) -> String {
            "\"" + text.replacingOccurrences(of: "\"", with: "%22") + "\""
        }
        var head = "Content-Disposition: form-data; name=" + quoted(name)
        if let fileName { head += "; filename=" + quoted(fileName) }
        if let contentType { head += "\r\nContent-Type: " + contentType }
        return [Data((head + "\r\n\r\n").utf8), data]
    }
}

private let isBoundary = byteTable(alphanumerics + "'()+_,-./:=? ")

/// Returns the boundary if it is allowed and occurs in no part. Files on disk are not searched.
///
/// - Throws: ``RequestBuildingError`` if the boundary is not allowed or occurs in a part, or if a
///   part cannot be encoded.
func checked(_ boundary: String, for parts: [MultipartPart]) throws -> String {
    // RFC 2046, section 5.1.1, allows 1 to 70 "bchars", the last of which is not a space.
    guard 1...70 ~= boundary.utf8.count, boundary.utf8.allSatisfy({ isBoundary[Int($0)] }),
        boundary.utf8.last != UInt8(ascii: " ")
    else {
        throw RequestBuildingError(
            "The multipart boundary", boundary,
            "is not 1 to 70 letters, digits or hyphens. Shorten or replace it.")
    }
    let text = Data(boundary.utf8)
    for part in parts where try part.encoded().contains(where: { $0.range(of: text) != nil }) {
        throw RequestBuildingError(
            "The multipart boundary", boundary,
            "occurs in the part \"\(part.name)\". Leave it out or choose another.")
    }
    return boundary
}

/// Returns a boundary, which is random if a part is a file on disk. Otherwise, the boundary depends
/// only on the parts, and occurs in none of them.
func derivedBoundary(for parts: [MultipartPart]) throws -> String {
    let encoded = try parts.map { try $0.encoded() }
    if parts.contains(where: { $0.file != nil }) {
        // The files are not read here, and a file could contain a boundary that is known in
        // advance.
        return "part-" + UUID().uuidString.lowercased()
    }
    // Only the beginning of each part's data is hashed, because the data may be large. The data may
    // contain very many possible boundaries, so it is searched once for all of them.
    var number = fnv1a(encoded.map { $0[0] + $0[1].prefix(4_096) + [0] }.joined())
    let taken = Set(
        encoded.joined().flatMap { bytes in
            bytes.places(of: Data("part-".utf8)).map {
                String(decoding: bytes[($0 + 5)...].prefix(16), as: UTF8.self)
            }
        })
    while true {
        let end = String(format: "%016llx", number)
        if !taken.contains(end) { return "part-" + end }
        number &+= 1
    }
}
