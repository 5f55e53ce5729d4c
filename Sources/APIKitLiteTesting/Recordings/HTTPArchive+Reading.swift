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
    ///   - limit: The size of the largest file that is read, in bytes.
    /// - Throws: ``HTTPArchiveError`` if the file is larger, cannot be read or is not an archive.
    public init(contentsOf file: URL, limit: Int = 64_000_000) throws {
        let text: Data
        do {
            // Not of the URL itself, whose value may be an old one.
            let size =
                try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
            guard size <= limit else {
                throw HTTPArchiveError(
                    "\(file.path) has \(byteCount(size)); at most \(byteCount(limit)) are read.")
            }
            text = try Data(contentsOf: file)
        } catch let error as CocoaError {
            throw HTTPArchiveError("\(file.path) cannot be read: \(error.localizedDescription)")
        }
        let log = try HARNode(text, of: file)["log"]
        guard case .object = log.value else {
            throw HTTPArchiveError("\(file.path) is no HTTP archive: it has no object \"log\".")
        }
        var archive = HTTPArchive()
        for (index, entry) in try log["entries"].list().enumerated() {
            let number = "entry \(index + 1)"
            if let reason = try entry.skipReason {
                archive.skipped.append("\(number): \(reason)")
            } else {
                var exchange = try Exchange(entry)
                exchange.place = "\(file.lastPathComponent), \(number)"
                archive.append(exchange)
            }
        }
        self = archive
    }
}

/// A value in an archive, with its place for error texts.
private struct HARNode {
    let value: JSONValue?
    /// The file and the place in it, such as `users.har, entries[3].request`.
    let place: String
    let file: URL

    init(_ text: Data, of file: URL) throws {
        var text = text
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        do {
            self.init(value: try JSONValue(Data(text)), place: "\(file.path),", file: file)
        } catch {
            throw HTTPArchiveError(
                "\(file.path) is no HTTP archive: \(JSONText.reason(error))")
        }
    }

    private init(value: JSONValue?, place: String, file: URL) {
        (self.value, self.place, self.file) = (value, place, file)
    }

    subscript(key: String) -> HARNode {
        var member: JSONValue?
        if case .object(let members) = value { member = members[key] }
        let separator = place.hasSuffix(",") ? " " : "."
        return HARNode(value: member, place: place + separator + key, file: file)
    }

    /// The text of a string; nil for another value.
    var text: String? { if case .string(let text) = value { text } else { nil } }

    /// The value of a number, also of one in a string; nil if no status, size or time can be so large.
    var number: Double? {
        value?.scalar.flatMap(Double.init).flatMap { abs($0) < 1e12 ? $0 : nil }
    }

    /// Returns the elements of an array; none if there is no value.
    func list() throws -> [HARNode] {
        switch value {
        case nil, .null: return []
        case .array(let elements):
            return elements.enumerated().map {
                HARNode(value: $1, place: "\(place)[\($0)]", file: file)
            }
        default: throw wrong("is not an array")
        }
    }

    func wrong(_ what: String) -> HTTPArchiveError { HTTPArchiveError("\(place) \(what).") }
}

extension HARNode {
    /// Why an entry is not an HTTP exchange; nil if it is one.
    fileprivate var skipReason: String? {
        get throws {
            let url = self["request"]["url"].text ?? ""
            let scheme = URLParts(url).scheme
            if url.isEmpty { return "it has no URL" }
            guard ["http", "https"].contains(scheme) else {
                return "its URL has the scheme \(scheme)"
            }
            if self["response"]["status"].number == 101 { return "it changes the protocol" }
            let isCompressed = try self["response"].headers().contains {
                $0.name.lowercased() == "content-encoding"
                    && $0.value.lowercased().contains("gzip")
            }
            let body = try self["response"]["content"].body
            return isCompressed && body.starts(with: [0x1F, 0x8B])
                ? "its body is still compressed" : nil
        }
    }

    /// Returns the fields of a header, in order.
    fileprivate func headers() throws -> [(name: String, value: String)] {
        try self["headers"].list().flatMap { field -> [(name: String, value: String)] in
            // Browsers list the pseudo-fields of HTTP/2 (RFC 9113, section 8.3), such as `:path`.
            guard let name = field["name"].text, name.utf8.isHTTPToken else { return [] }
            // Several `Set-Cookie` fields may be one value with line breaks.
            return (field["value"].text ?? "").split(separator: "\n")
                .map { (name, $0.trimmingCharacters(in: .whitespaces)) }
        }
    }

    /// The bytes of a `postData` or a `content`.
    fileprivate var body: Data {
        get throws {
            if let text = self["text"].text {
                let encoding = self["encoding"].text ?? self["_encoding"].text
                guard encoding?.lowercased() == "base64" else { return Data(text.utf8) }
                guard let data = Data(base64Encoded: text.filter { !$0.isWhitespace }) else {
                    throw self["text"].wrong("is not base64")
                }
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
        let folder = file.deletingLastPathComponent().standardizedFileURL.resolvingSymlinksInPath()
        let body = folder.appendingPathComponent(name).standardizedFileURL
            .resolvingSymlinksInPath()
        guard body.path.hasPrefix(folder.path + "/") else {
            throw self["_file"].wrong("is outside the folder of the archive")
        }
        do {
            return try Data(contentsOf: body)
        } catch {
            throw self["_file"].wrong("names \(name), which cannot be read")
        }
    }

    fileprivate var date: Date? {
        guard let text else { return nil }
        // With and without fractions of a second. A formatter would take most of the time of reading.
        return [true, false].lazy.compactMap { hasFractions in
            try? Date(
                text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: hasFractions))
        }.first
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
            var fields: [String: String] = [:]
            for (name, value) in try answer.headers() {
                let key = fields.keys.first { $0.lowercased() == name.lowercased() } ?? name
                fields[key] = fields[key].map { "\($0), \(value)" } ?? value
            }
            response = HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        }
        let wasCancelled = answer["_ending"].text == "left"
        // An entry without an answer failed, whether or not the file says how.
        let error = status > 0 || wasCancelled ? failure : failure ?? ""
        self.init(
            request: request, response: response,
            pieces: try answer["_pieces"].pieces(
                of: body, default: max(0, entry["time"].number ?? 0)),
            error: error.map { URLError(URLError.code(named: $0)) },
            wasCancelled: wasCancelled,
            startDate: entry["startedDateTime"].date ?? .distantPast)
    }
}

extension HARNode {
    /// Returns the pieces of a body. If its text was edited, the last piece takes the difference.
    fileprivate func pieces(of body: Data, default time: Double) throws -> [SentPiece] {
        var pieces: [SentPiece] = []
        var rest = body
        for piece in try list() {
            let pair = try piece.list().map(\.number)
            guard pair.count == 2, let time = pair[0], let size = pair[1], size >= 0 else {
                throw piece.wrong("is not a time in milliseconds and a number of bytes")
            }
            let data = rest.prefix(Int(size))
            rest = rest.dropFirst(data.count)
            pieces.append(SentPiece(data: Data(data), time: .milliseconds(time)))
        }
        if !rest.isEmpty {
            let last = pieces.popLast()
            pieces.append(
                SentPiece(
                    data: (last?.data ?? Data()) + rest, time: last?.time ?? .milliseconds(time)))
        }
        return pieces.filter { !$0.data.isEmpty }
    }
}

extension URLRequest {
    fileprivate init(_ node: HARNode) throws {
        guard let url = node["url"].text.flatMap({ URL(reference: $0) }) else {
            throw node["url"].wrong("is not a URL")
        }
        self.init(url: url)
        httpMethod = node["method"].text ?? "GET"
        for (name, value) in try node.headers() { addValue(value, forHTTPHeaderField: name) }
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
