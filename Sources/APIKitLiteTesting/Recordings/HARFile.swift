import APIKitLite
import Foundation

/// An archive's file and the files that it names, with a limit on their total size.
struct HARFile {
    let url: URL
    let limit: Int
    /// The total size of the files read so far.
    var size = 0

    /// Returns the entries of the file.
    mutating func entries() throws -> [HAR.Part<HAR.Entry>] {
        let json = try bytes(of: url)
        do {
            return try JSONDecoder().decode(HAR.self, from: json).log.entries
        } catch {
            throw HTTPArchiveError("\(url.path) is no HTTP archive: \(HARFault(error)).")
        }
    }

    /// Returns the bytes of this file, or of a file that it names.
    private mutating func bytes(of file: URL) throws -> Data {
        do {
            // A `URL` caches the file's size, so use the file manager.
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            size += attributes[.size] as? Int ?? 0
            if size <= limit { return try Data(contentsOf: file) }
        } catch {
            throw HTTPArchiveError("\(file.path) cannot be read: \(error.localizedDescription)")
        }
        let others = file == url ? "" : " with the files that it names"
        throw HTTPArchiveError(
            "\(url.path) has \(byteCount(size))\(others); at most \(byteCount(limit)) are read. "
                + "To read more, pass a higher limit: HTTPArchive(contentsOf: file, limit: \(size))."
        )
    }

    /// Returns an entry's exchange.
    ///
    /// - Throws: `HTTPArchiveError` if the limit is exceeded, or if a file that the entry names
    ///   cannot be read; another error if the entry cannot be replayed.
    mutating func exchange(_ entry: HAR.Entry, number: Int) throws -> HTTPArchive.Exchange {
        let (sent, received) = (entry.request, entry.response)
        guard let url = URL(reference: sent.url), url.host()?.isEmpty == false,
            ["http", "https"].contains(url.scheme?.lowercased())
        else { throw HARFault("request.url is not an HTTP URL") }
        let status = received?.status ?? 0
        // A status below 200, such as the 101 that begins a WebSocket, cannot be replayed.
        if status > 0, !(200..<1_000).contains(status) {
            throw HARFault("response.status is \(status)")
        }
        var request = URLRequest(url: url)
        request.httpMethod = sent.method
        request.allHTTPHeaderFields = sent.fields
        let type = mediaType(request.value(forHTTPHeaderField: "Content-Type"))
        if type == "multipart/form-data", let form = sent.body?.form {
            request = try request.multipartBody(
                form.map { field in
                    MultipartPart(
                        name: field.name, data: Data((field.value ?? "").utf8),
                        fileName: field.fileName, contentType: field.contentType)
                })
        } else if sent.body?.isThere == true {
            request.httpBody = try bytes(of: sent, "request.postData")
        }
        let response = received.flatMap { received in
            let finalURL = received._url.flatMap { URL(string: $0) } ?? url
            return status > 0 ? HTTPURLResponse.http(finalURL, status, received.fields) : nil
        }
        let body = try received.map { try bytes(of: $0, "response.content") } ?? Data()
        let wasCancelled = received?._ending == "left"
        // Unless the client left, a request without a response failed, even if the entry names no
        // error.
        let hasFailed = response == nil && !wasCancelled
        let error = (try? received?._error?.value.get()) ?? (hasFailed ? "" : nil)
        let time = Int(min(max(0, entry.time ?? 0), 1e9).rounded())
        let exchange = HTTPArchive.Exchange(
            request: request, response: response,
            pieces: body.pieces(received?._pieces ?? [[time, body.count]]),
            error: error.map { URLError(URLError.code(named: $0)) }, wasCancelled: wasCancelled,
            startDate: Date.har(entry.startedDateTime ?? ""),
            place: Recording.Place(file: self.url.lastPathComponent, number: number))
        try entry.check(exchange)
        return exchange
    }

    /// Returns the bytes of a body, which may be in a file beside the archive.
    private mutating func bytes(of message: some HARMessage, _ place: String) throws -> Data {
        guard let name = message.body?._file, message.body?.text == nil else {
            return try message.body?.data(place) ?? Data()
        }
        // A name without a slash cannot point to a file outside the archive's folder.
        if name.contains("/") { throw HARFault("\(place)._file is not beside the archive") }
        return try bytes(of: url.deletingLastPathComponent().appendingPathComponent(name))
    }
}

/// Why a file or an entry cannot be read, and which field is wrong.
struct HARFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// Describes an error thrown while a file or an entry was decoded.
    init(_ error: any Error) {
        switch error as? DecodingError {
        case .keyNotFound(let key, let context):
            self.init("\(Self.place(context.codingPath + [key])) is missing")
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            let place = Self.place(context.codingPath)
            let syntax = place.isEmpty ? context.underlyingError.map(JSONText.reason) : nil
            let reason = syntax ?? context.debugDescription
            let sentence = reason.hasSuffix(".") ? reason.dropLast() : reason[...]
            self.init((place.isEmpty ? "" : "\(place): ") + sentence)
        default: self.init("\(error)")
        }
    }

    /// Returns a coding path as text, such as `response.status`, relative to its entry or, outside
    /// an entry, to the file.
    private static func place(_ path: [any CodingKey]) -> Substring {
        // The first three keys lead to the entry, as in `log.entries[0]`.
        (path.count > 3 ? path[3...] : path[...]).map { key in
            key.intValue.map { "[\($0)]" } ?? JSONText.step(key.stringValue)
        }.joined().dropFirst()
    }
}

extension HAR.Entry {
    /// Throws an error if the exchange is incomplete or cannot be replayed.
    fileprivate func check(_ exchange: HTTPArchive.Exchange) throws {
        let status = response?.status ?? 0
        let coding = exchange.response?.value(forHTTPHeaderField: "Content-Encoding")
        if coding?.lowercased().contains("gzip") == true, exchange.body.starts(with: [0x1F, 0x8B]) {
            throw HARFault("response.content.text is still compressed")
        }
        // An interrupted response may have no body.
        let isWhole = status > 0 && response?._error == nil && response?._ending == nil
        let hasBody = ![204, 205].contains(status) && !(300..<400).contains(status)
        let isHead = request.method == "HEAD"
        if request.method != "GET", !isHead, request.lacksBody {
            throw HARFault("request.postData does not contain the body")
        }
        if isWhole, hasBody, !isHead, response?.lacksBody == true {
            throw HARFault("response.content does not contain the body")
        }
    }
}

extension HARMessage {
    /// The headers by name. The values of a repeated header are joined.
    fileprivate var fields: [String: String] {
        // Browsers list the pseudo-fields of HTTP/2 (RFC 9113, section 8.3), such as `:path`.
        let sendable = (headers ?? []).filter { $0.name.utf8.isHTTPToken }
        var groups = Dictionary(grouping: sendable) { $0.name.lowercased() }
        if let type = body?.mediaType, groups["content-type"] == nil {
            groups["content-type"] = [HAR.Field(name: "Content-Type", value: type)]
        }
        return groups.values.reduce(into: [:]) { fields, group in
            // Browsers join the values of a repeated header with line feeds.
            let values = group.flatMap { ($0.value ?? "").split(whereSeparator: \.isNewline) }
            let trimmed = values.map { $0.trimmingCharacters(in: .whitespaces) }
            fields[group[0].name] = trimmed.joined(separator: ", ")
        }
    }

    /// Whether the body is missing although the file states a nonzero size.
    fileprivate var lacksBody: Bool {
        let length = headers?.first { $0.name.lowercased() == "content-length" }?.value
        let sizes = [body?.size, bodySize, length.flatMap { Int($0) }].compactMap(\.self)
        return body?.isThere != true && sizes.first { $0 >= 0 } ?? 0 > 0
    }
}

extension HAR.Body {
    private var hasText: Bool { text?.isEmpty == false }

    fileprivate var isThere: Bool { hasText || form != nil || _file != nil }

    /// The fields of a form whose text is missing; nil for any other body.
    fileprivate var form: [HAR.Field]? { hasText || params?.isEmpty != false ? nil : params }

    /// The media type to use if there is no `Content-Type`; nil if the body is missing or its type
    /// is unknown.
    fileprivate var mediaType: String? {
        // For an unknown type, Firefox writes `application/x-unknown-content-type`.
        let isKnown = mimeType?.contains("/") == true && mimeType?.contains("x-unknown") == false
        return isThere && isKnown ? mimeType : nil
    }

    /// Returns the bytes of the text or the form.
    fileprivate func data(_ place: String) throws -> Data {
        if let form {
            let fields = form.map { field in
                [field.name, field.value].compactMap { $0?.formEncoded }
            }
            return Data(fields.map { $0.joined(separator: "=") }.joined(separator: "&").utf8)
        }
        guard let text else { return Data() }
        let encoding = (encoding ?? _encoding ?? "").lowercased()
        let data = encoding == "base64" ? Data(base64Encoded: text) : Data(text.utf8)
        guard let data, ["", "base64", "utf-8", "utf8"].contains(encoding) else {
            throw HARFault("\(place).text is not text, nor bytes in Base64")
        }
        return data
    }
}

extension Data {
    /// Returns the pieces of a body. If the body's text was edited, the last piece becomes longer,
    /// or the last pieces become shorter or disappear.
    fileprivate func pieces(_ list: [[Int]]) -> [SentPiece] {
        var rest = self
        let pieces = list.enumerated().map { index, piece in
            let isLast = index + 1 == list.count
            let data = isLast ? rest : rest.prefix(Swift.max(0, piece.last ?? 0))
            rest = rest.dropFirst(data.count)
            return SentPiece(data: Data(data), time: .milliseconds(piece.first ?? 0))
        }
        return pieces.filter { !$0.data.isEmpty }
    }
}

extension URLError {
    /// Returns the code with this name or number. An unknown name, such as a browser's name for an
    /// error, counts as a lost connection.
    fileprivate static func code(named name: String) -> Code {
        named.first { $0.name == name }?.code ?? Int(name).flatMap { Code(rawValue: $0) }
            ?? .networkConnectionLost
    }
}

extension Date {
    /// Parses a date. Text that is not a date becomes `distantPast`. Dates with and without
    /// fractional seconds need different strategies.
    fileprivate static func har(_ text: String) -> Date {
        let withFractions = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return (try? Date(text, strategy: withFractions)) ?? (try? Date(text, strategy: .iso8601))
            ?? .distantPast
    }
}
