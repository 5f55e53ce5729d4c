import APIKitLite
import Foundation

/// The file of an archive, and how much may still be read of it and of the files that it names.
final class HARFile {
    let url: URL
    private let limit: Int
    private var size = 0

    init(_ url: URL, limit: Int = .max) {
        (self.url, self.limit) = (url, limit)
    }

    /// Returns the text of the file, and its entries.
    func read() throws -> (text: Data, entries: [HAR.Entry]) {
        var text = try bytes(of: url)
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = Data(text.dropFirst(3)) }
        do {
            return (text, try JSONDecoder().decode(HAR.self, from: text).log.entries)
        } catch DecodingError.dataCorrupted {
            throw HTTPArchiveError("\(url.path) is no HTTP archive: \(Self.whyNoJSON(text))")
        } catch DecodingError.typeMismatch(_, let context) where !context.codingPath.isEmpty,
            DecodingError.valueNotFound(_, let context) where !context.codingPath.isEmpty
        {
            let place = describe(context.codingPath).dropFirst(2)
            throw HTTPArchiveError("\(url.path), \(place) has another type than in HAR 1.2.")
        } catch {
            throw HTTPArchiveError("\(url.path) is no HTTP archive: it has no object \"log\".")
        }
    }

    /// Returns a reason. A `DecodingError` has none on Linux.
    private static func whyNoJSON(_ text: Data) -> String {
        do {
            _ = try JSONText.read(text)
            return "its JSON cannot be decoded."
        } catch {
            return JSONText.reason(error)
        }
    }

    /// Returns the bytes of the file, or of one that it names.
    private func bytes(of file: URL) throws -> Data {
        do {
            // A URL keeps the size that it was asked for first, so the file manager is asked.
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            size += attributes[.size] as? Int ?? 0
            if size <= limit { return try Data(contentsOf: file) }
        } catch {
            throw HTTPArchiveError("\(file.path) cannot be read: \(error.localizedDescription)")
        }
        let others = file == url ? "" : " with the files that it names"
        throw HTTPArchiveError(
            "\(url.path) has \(byteCount(size))\(others); at most \(byteCount(limit)) are read.")
    }

    /// Returns the exchange of an entry.
    func exchange(_ entry: HAR.Entry, at index: Int) throws -> HTTPArchive.Exchange {
        func wrong(_ place: String, _ what: String) -> HTTPArchiveError {
            HTTPArchiveError("\(url.path), log.entries[\(index)].\(place) \(what).")
        }
        func bytes(of body: HAR.Body, _ place: String) throws -> Data {
            if body.text == nil, let name = body.file {
                // Without a slash, the name cannot lead out of the folder.
                guard !name.contains("/") else {
                    throw wrong("\(place)._file", "is not a file beside the archive")
                }
                let folder = self.url.deletingLastPathComponent()
                return try self.bytes(of: folder.appendingPathComponent(name))
            }
            guard let data = body.data else { throw wrong("\(place).text", "is not base64") }
            return data
        }
        guard let url = URL(reference: entry.request.url) else {
            throw wrong("request.url", "is not a URL")
        }
        var request = URLRequest(url: url)
        request.httpMethod = entry.request.method
        request.allHTTPHeaderFields = entry.request.headers.byName
        if let post = entry.request.postData {
            let type = request.value(forHTTPHeaderField: "Content-Type") ?? post.mediaType
            request.setValue(type, forHTTPHeaderField: "Content-Type")
            if post.isForm, mediaType(type) == "multipart/form-data" {
                do {
                    request = try request.multipartBody(post.parts)
                } catch {
                    throw wrong("request.postData.params", "cannot be sent: \(error)")
                }
            } else {
                let body = try bytes(of: post, "request.postData")
                if !body.isEmpty { request.httpBody = body }
            }
        }
        let answer = entry.response
        let body = try bytes(of: answer.content, "response.content")
        if let index = answer.pieces?.firstIndex(where: { !$0.isPiece }) {
            throw wrong(
                "response._pieces[\(index)]", "is not a time in milliseconds and a number of bytes")
        }
        return HTTPArchive.Exchange(
            entry, request, body,
            Recording.Place(file: self.url.lastPathComponent, number: index + 1))
    }
}

extension [HAR.Field] {
    /// The fields of a header. The values of a repeated field are joined.
    fileprivate var byName: [String: String] {
        var names: [String: String] = [:]
        var values: [String: [String]] = [:]
        // Browsers list the pseudo-fields of HTTP/2 (RFC 9113, section 8.3), such as `:path`.
        for field in self where field.name.utf8.isHTTPToken {
            let name = names[field.name.lowercased(), default: field.name]
            names[field.name.lowercased()] = name
            values[name, default: []] += field.values
        }
        return values.mapValues { $0.joined(separator: ", ") }
    }
}

extension HAR.Field {
    /// The values of a header. A browser joins those of a repeated one with line feeds, and other
    /// programs join cookies with any line breaks.
    fileprivate var values: [String] {
        let isCookie = name.lowercased().hasSuffix("cookie")
        return (value ?? "").split { $0 == "\n" || isCookie && $0.isNewline }
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// Whether a header cannot be sent. Browsers list the pseudo-fields of HTTP/2.
    fileprivate var isUnusable: Bool {
        if name.hasPrefix(":") { return false }
        return !name.utf8.isHTTPToken || value == nil || !values.allSatisfy(\.utf8.isHTTPFieldValue)
    }
}

extension HAR.Entry {
    /// Why the entry does not say all of its exchange; nil if it does.
    var gap: String? {
        guard let method = request.method, method.utf8.isHTTPToken else {
            return "it has no method"
        }
        for (noun, headers) in [("request", request.headers), ("answer", response.headers)] {
            guard let name = headers.first(where: \.isUnusable)?.name else { continue }
            return "the header \(name.debugDescription) of its \(noun) has no value, or one that "
                + "cannot be sent"
        }
        guard let status = response.status else { return "its answer has no status" }
        guard (-1...0).contains(status) || (200..<1_000).contains(status) else {
            return "its answer has the status \(status)"
        }
        if let gap = request.postData?.gap { return "the body of its request \(gap)" }
        if !["GET", "HEAD"].contains(method),
            (request.postData ?? HAR.Body()).isMissing(request.bodySize, request.headers)
        {
            return "the body of its request is not in the file"
        }
        if let gap = response.content.gap { return "its body \(gap)" }
        let hasBody =
            method != "HEAD" && ![204, 205].contains(status) && !(300..<400).contains(status)
        // An answer that broke off may have no body.
        let isWhole = response.error == nil && response.ending == nil && status > 0
        return hasBody && isWhole && response.content.isMissing(response.bodySize, response.headers)
            ? "its body is not in the file" : nil
    }
}

extension HAR.Body {
    /// Why the body cannot be read; nil if it can be.
    fileprivate var gap: String? {
        if isOdd { return "is not text" }
        let coding = text.map { $0.isEmpty ? "" : encoding ?? "" } ?? ""
        if !["", "base64", "utf8", "utf-8"].contains(coding.lowercased()) {
            return "has the encoding \(coding.debugDescription)"
        }
        let isMultipart = mimeType.lowercased().hasPrefix("multipart/")
        let isWrong =
            isForm
            && params!.contains { field in
                field.name.isEmpty || field.value == nil && (isMultipart || field.fileName != nil)
            }
        return isWrong ? "has a field without a name or a value" : nil
    }

    /// Whether the file says only that there is a body.
    fileprivate func isMissing(_ bodySize: Int, _ headers: [HAR.Field]) -> Bool {
        let length = headers.first { $0.name.lowercased() == "content-length" }?.value
        let size = [size, bodySize, length.flatMap { Int($0) }].compactMap(\.self).first { $0 >= 0 }
        return text?.isEmpty ?? true && !isForm && file == nil && size ?? 0 > 0
    }

    /// Whether the body is in `params`.
    fileprivate var isForm: Bool { text?.isEmpty ?? true && params?.isEmpty == false }

    fileprivate var parts: [MultipartPart] {
        (params ?? []).map { field in
            MultipartPart(
                name: field.name, data: Data((field.value ?? "").utf8), fileName: field.fileName,
                contentType: field.contentType)
        }
    }

    /// The type, for a body without a `Content-Type`; nil if the file has none.
    fileprivate var mediaType: String? {
        let isKnown = mimeType.contains("/") && !mimeType.contains("x-unknown")
        return isKnown && mimeType.utf8.isHTTPFieldValue ? mimeType : nil
    }
}

extension [Double] {
    fileprivate var isPiece: Bool {
        count == 2 && allSatisfy { abs($0) < 1e12 } && self[1] >= 0
    }
}

extension HAR.Body {
    /// The bytes of the text or of the form; nil if the text is not Base64 as it should be.
    fileprivate var data: Data? {
        if isForm {
            let fields = (params ?? []).map { field in
                [field.name, field.value].compactMap { $0.map { PercentEncoding.form.encode($0) } }
                    .joined(separator: "=")
            }
            return Data(fields.joined(separator: "&").utf8)
        }
        guard let text else { return Data() }
        guard encoding?.lowercased() == "base64" else { return Data(text.utf8) }
        // A line break is rare, and a search for it takes longer than the decoding.
        return Data(base64Encoded: text) ?? Data(base64Encoded: text.filter { !$0.isWhitespace })
    }
}

extension HTTPArchive.Exchange {
    fileprivate init(
        _ entry: HAR.Entry, _ request: URLRequest, _ body: Data, _ place: Recording.Place
    ) {
        let answer = entry.response
        let url = answer.url.flatMap { URL(string: $0) } ?? request.url!
        let status = answer.status ?? 0
        var fields = answer.headers.byName
        func add(_ name: String, _ value: String?) {
            let isThere = fields.keys.contains { $0.lowercased() == name.lowercased() }
            if let value, !isThere { fields[name] = value }
        }
        if !body.isEmpty { add("Content-Type", answer.content.mediaType) }
        if (300..<400).contains(status), !answer.redirectURL.isEmpty {
            add("Location", answer.redirectURL)
        }
        let response =
            status > 0
            ? HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields) : nil
        let wasCancelled = answer.ending == "left"
        // An entry without an answer failed, whether or not the file says how.
        let hasFailed = response == nil && !wasCancelled
        let error = answer.error ?? (hasFailed ? "" : nil)
        self.init(
            request: request, response: response,
            pieces: Self.pieces(of: body, answer.pieces ?? [[entry.time, 0]]),
            error: error.map { URLError(URLError.code(named: $0)) }, wasCancelled: wasCancelled,
            startDate: Date(har: entry.startedDateTime) ?? .distantPast, place: place)
    }

    /// Returns the pieces of a body. If its text was edited, the last piece takes the difference.
    private static func pieces(of body: Data, _ list: [[Double]]) -> [SentPiece] {
        var rest = body
        let pieces = list.enumerated().map { index, piece in
            let data = index + 1 == list.count ? rest : rest.prefix(Int(piece[1]))
            rest = rest.dropFirst(data.count)
            return SentPiece(data: Data(data), time: .milliseconds(piece[0]))
        }
        return pieces.filter { !$0.data.isEmpty }
    }

    /// Why an entry is not an HTTP exchange that can be replayed; nil if it is one.
    var skipReason: String? {
        guard let scheme = request.url?.scheme?.lowercased() else {
            return "its URL has no scheme"
        }
        guard ["http", "https"].contains(scheme) else {
            return "its URL has the scheme \(scheme)"
        }
        if request.url?.host()?.isEmpty ?? true { return "its URL has no host" }
        if response?.statusCode == 101 { return "its answer is 101 (a WebSocket or an upgrade)" }
        let coding = response?.value(forHTTPHeaderField: "Content-Encoding")?.lowercased() ?? ""
        let isGzip = body.starts(with: [0x1F, 0x8B])
        return coding.contains("gzip") && isGzip ? "its body is still compressed" : nil
    }
}

extension URLError {
    /// Returns the code of a name. Any other name, such as that of a browser, counts as a lost
    /// connection.
    fileprivate static func code(named name: String) -> Code {
        named.first { $0.name == name }?.code ?? Int(name).flatMap { Code(rawValue: $0) }
            ?? .networkConnectionLost
    }
}

extension Date {
    /// Reads a date with or without fractions of a second, which need different strategies.
    fileprivate init?(har text: String) {
        let withFractions = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let date =
            (try? Date(text, strategy: withFractions))
            ?? (try? Date(text, strategy: .iso8601))
        guard let date else { return nil }
        self = date
    }
}
