import APIKitLite
import Foundation

// Accepts the deviations of other programs from HAR 1.2:
// http://www.softwareishard.com/blog/har-12-spec/
extension HTTPArchive {
    /// Reads an HTTP archive (HAR 1.1 or 1.2), such as that of a browser or a proxy.
    ///
    /// An entry that is not an HTTP exchange, such as a WebSocket, is skipped. The `description` of
    /// the archive lists it.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - limit: How much is read, in bytes: the file, and the files that it names with `_file`.
    /// - Throws: ``HTTPArchiveError`` if there is more to read, or if the file cannot be read or is
    ///   not an archive.
    public init(contentsOf file: URL, limit: Int = 64_000_000) throws {
        self.init()
        let root = try HARNode(contentsOf: HARFile(file, limit: limit))
        for (index, entry) in try root["log"]["entries"].list().enumerated() {
            if let reason = try entry.skipReason {
                skipped.append("entry \(index + 1): \(reason)")
                continue
            }
            var exchange = try Exchange(entry)
            exchange.place = Recording.Place(file: file.lastPathComponent, number: index + 1)
            append(exchange)
        }
    }
}

/// The file of an archive, and how much may still be read of it and of the files that it names.
final class HARFile {
    let url: URL
    private let limit: Int
    private var size = 0

    init(_ url: URL, limit: Int = .max) {
        (self.url, self.limit) = (url, limit)
    }

    /// Returns the bytes of the file, or of another one that it names.
    func read(_ other: URL? = nil) throws -> Data {
        let file = other ?? url
        // A URL keeps the size that it was asked for first, so the file manager is asked.
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        size += attributes[.size] as? Int ?? 0
        guard size <= limit else {
            let others = other == nil ? "" : " with the files that it names"
            throw HTTPArchiveError(
                "\(url.path) has \(byteCount(size))\(others); at most \(byteCount(limit)) are read."
            )
        }
        return try Data(contentsOf: file)
    }
}

/// A value in an archive, with its place for error texts.
struct HARNode {
    let value: JSONValue?
    /// The place in the file, such as `log.entries[3].request`; empty for the file itself.
    let path: String
    private let file: HARFile

    /// Reads a file.
    init(contentsOf file: HARFile) throws {
        do {
            try self.init(file.read(), of: file)
        } catch let error as CocoaError {
            throw HTTPArchiveError(
                "\(file.url.path) cannot be read: \(error.localizedDescription)")
        }
        guard case .object = self["log"].value else {
            throw HTTPArchiveError("\(file.url.path) is no HTTP archive: it has no object \"log\".")
        }
    }

    init(_ text: Data, of file: HARFile) throws {
        var text = text
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        do {
            self.init(value: try JSONValue(Data(text)), path: "", file: file)
        } catch {
            let reason = JSONText.reason(error)
            // Foundation names the position on Linux, and the line on Apple platforms.
            let digits = reason.split { !$0.isNumber }.last.flatMap { Int($0) }
            let lines = text.prefix(digits ?? 0).count { $0 == UInt8(ascii: "\n") }
            let line = reason.contains(" line ") || digits == nil ? "" : "line \(lines + 1): "
            throw HTTPArchiveError("\(file.url.path) is no HTTP archive: \(line)\(reason)")
        }
    }

    private init(value: JSONValue?, path: String, file: HARFile) {
        (self.value, self.path, self.file) = (value, path, file)
    }

    subscript(key: String) -> HARNode {
        var member: JSONValue?
        if case .object(let members) = value { member = members[key] }
        return HARNode(value: member, path: path.isEmpty ? key : "\(path).\(key)", file: file)
    }

    /// The text of a string; nil for another value.
    var text: String? { if case .string(let text) = value { text } else { nil } }

    /// The value of a number, also of one in a string; nil if no status, size or time can be so large.
    var number: Double? {
        let digits = if case .number(let digits) = value { digits } else { text }
        return digits.flatMap { Double($0) }.flatMap { abs($0) < 1e12 ? $0 : nil }
    }

    /// Returns the elements of an array; none if there is no value.
    func list() throws -> [HARNode] {
        switch value {
        case nil, .null: return []
        case .array(let elements):
            return elements.enumerated().map {
                HARNode(value: $1, path: "\(path)[\($0)]", file: file)
            }
        default: throw wrong("is not an array")
        }
    }

    func wrong(_ what: String) -> HTTPArchiveError {
        HTTPArchiveError("\(file.url.path), \(path) \(what).")
    }
}

extension HARNode {
    /// Why an entry is not an HTTP exchange that can be read; nil if it is one.
    fileprivate var skipReason: String? {
        get throws {
            let url = self["request"]["url"].text ?? ""
            let scheme = URLParts(url).scheme
            if url.isEmpty { return "it has no URL" }
            guard ["http", "https"].contains(scheme) else {
                return "its URL has the scheme \(scheme)"
            }
            if self["response"]["status"].number == 101 { return "it changes the protocol" }
            return try self["response"].isStillCompressed ? "its body is still compressed" : nil
        }
    }

    /// Whether the object is an answer whose body is not decoded, although its headers say how.
    var isStillCompressed: Bool {
        get throws {
            try contentCoding.contains("gzip") && self["content"].body.starts(with: Self.gzip)
        }
    }

    /// Whether the object is a request or an answer with a body in which no text can be found.
    var hasUnsearchableBody: Bool {
        get throws {
            let (body, coding) = (
                try self["postData"].body + self["content"].body, try contentCoding
            )
            return Self.compressed.contains { body.starts(with: $0) }
                || !["", "identity"].contains(coding) && exactText(body) == nil
        }
    }

    private var contentCoding: String {
        get throws {
            try fields.first { $0.key.lowercased() == "content-encoding" }?.value.lowercased() ?? ""
        }
    }

    private static let gzip: [UInt8] = [0x1F, 0x8B]
    /// The first bytes of gzip, zip, Zstandard, xz and bzip2.
    private static let compressed = [
        gzip, [0x50, 0x4B, 3, 4], [0x28, 0xB5, 0x2F, 0xFD], [0xFD, 0x37, 0x7A], [0x42, 0x5A, 0x68],
    ]

    /// The fields of a header. The values of a repeated field are joined.
    fileprivate var fields: [String: String] {
        get throws {
            var fields: [String: String] = [:]
            for field in try self["headers"].list() {
                // Browsers list the pseudo-fields of HTTP/2 (RFC 9113, section 8.3), such as `:path`.
                guard let name = field["name"].text, name.utf8.isHTTPToken else { continue }
                let key = fields.keys.first { $0.lowercased() == name.lowercased() } ?? name
                // Several `Set-Cookie` fields may be one value with line breaks.
                let values = (field["value"].text ?? "").split(separator: "\n")
                    .map { $0.trimmingCharacters(in: .whitespaces) }
                fields[key] = ([fields[key]].compactMap(\.self) + values).joined(separator: ", ")
            }
            return fields
        }
    }

    /// The bytes of a `postData` or a `content`.
    var body: Data {
        get throws {
            if let text = self["text"].text {
                let encoding = self["encoding"].text ?? self["_encoding"].text
                guard encoding?.lowercased() == "base64" else { return Data(text.utf8) }
                // A line break is rare, and a search for it takes longer than the decoding.
                let data =
                    Data(base64Encoded: text)
                    ?? Data(base64Encoded: text.filter { !$0.isWhitespace })
                guard let data else { throw self["text"].wrong("is not base64") }
                return data
            }
            if let name = self["_file"].text { return try bytes(ofFile: name) }
            let fields = try self["params"].list().map { field in
                [field["name"], field["value"]].map {
                    PercentEncoding.form.encode($0.value?.scalar ?? "")
                }.joined(separator: "=")
            }
            return Data(fields.joined(separator: "&").utf8)
        }
    }

    private func bytes(ofFile name: String) throws -> Data {
        let folder = file.url.deletingLastPathComponent().standardizedFileURL
            .resolvingSymlinksInPath()
        let body = folder.appendingPathComponent(name).standardizedFileURL
            .resolvingSymlinksInPath()
        guard body.path.hasPrefix(folder.path + "/") else {
            throw self["_file"].wrong("is outside the folder of the archive")
        }
        do {
            return try file.read(body)
        } catch let error where !(error is HTTPArchiveError) {
            throw self["_file"].wrong("names \(name), which cannot be read")
        }
    }

    fileprivate var date: Date? {
        guard let text else { return nil }
        // A strategy reads dates either with or without fractions of a second. To make a formatter
        // for each date would take most of the time of reading.
        let withFractions = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return (try? Date(text, strategy: withFractions)) ?? (try? Date(text, strategy: .iso8601))
    }
}

extension HTTPArchive.Exchange {
    fileprivate init(_ entry: HARNode) throws {
        let request = try URLRequest(entry["request"])
        let answer = entry["response"]
        let status = Int(answer["status"].number ?? 0)
        let failure = answer["_error"].text ?? entry["_error"].text
        let body = try answer["content"].body
        var response: HTTPURLResponse?
        if status > 0 {
            let url = answer["_url"].text.flatMap { URL(string: $0) } ?? request.url!
            response = HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1",
                headerFields: try answer.fields)
        }
        let wasCancelled = answer["_ending"].text == "left"
        // An entry without an answer failed, whether or not the file says how.
        let error = status > 0 || wasCancelled ? failure : failure ?? ""
        self.init(
            request: request, response: response,
            pieces: try answer["_pieces"].pieces(
                of: body, default: max(0, entry["time"].number ?? 0)
            ).filter { !$0.data.isEmpty },
            error: error.map { URLError(URLError.code(named: $0)) },
            wasCancelled: wasCancelled,
            startDate: entry["startedDateTime"].date ?? .distantPast)
    }
}

extension HARNode {
    /// Returns the pieces of a body. If its text was edited, the last piece takes the difference.
    fileprivate func pieces(of body: Data, default time: Double) throws -> [SentPiece] {
        let list = try list()
        guard !list.isEmpty else { return [SentPiece(data: body, time: .milliseconds(time))] }
        var rest = body
        return try list.enumerated().map { index, piece in
            let pair = try piece.list().map(\.number)
            guard pair.count == 2, let time = pair[0], let size = pair[1], size >= 0 else {
                throw piece.wrong("is not a time in milliseconds and a number of bytes")
            }
            let data = index + 1 == list.count ? rest : rest.prefix(Int(size))
            rest = rest.dropFirst(data.count)
            return SentPiece(data: Data(data), time: .milliseconds(time))
        }
    }
}

extension URLRequest {
    fileprivate init(_ node: HARNode) throws {
        guard let url = node["url"].text.flatMap({ URL(reference: $0) }) else {
            throw node["url"].wrong("is not a URL")
        }
        self.init(url: url)
        httpMethod = node["method"].text ?? "GET"
        allHTTPHeaderFields = try node.fields
        let post = node["postData"]
        if let type = post["mimeType"].text, !type.isEmpty,
            value(forHTTPHeaderField: "Content-Type") == nil
        {
            setValue(type, forHTTPHeaderField: "Content-Type")
        }
        let body = try post.body
        if !body.isEmpty { httpBody = body }
    }
}

extension URLError {
    /// Returns the code of a name as ``name(of:)`` writes it, without `URLError`. Any other name,
    /// such as that of a browser, counts as a lost connection.
    fileprivate static func code(named name: String) -> Code {
        named.first { $0.name == name }?.code ?? Int(name).flatMap { Code(rawValue: $0) }
            ?? .networkConnectionLost
    }
}
