import APIKitLite
import Foundation

/// An archive's file, read together with the files that it names, up to a limit.
final class HARFile {
    let url: URL
    private let limit: Int
    private var size = 0

    init(_ url: URL, limit: Int = .max) {
        (self.url, self.limit) = (url, limit)
    }

    /// Returns the text and the entries of the file.
    func read() throws -> (text: Data, entries: [HARValue]) {
        var text = try bytes(of: url)
        let mark = Data([0xEF, 0xBB, 0xBF])
        if text.starts(with: mark) { text = Data(text.dropFirst(mark.count)) }
        let file: HARValue
        do {
            // At the start of a string, Foundation drops a byte order mark that is not escaped.
            let json =
                text.range(of: mark) == nil
                ? text
                : Data(
                    String(decoding: text, as: UTF8.self)
                        .replacing("\u{FEFF}", with: #"\uFEFF"#).utf8)
            file = HARValue(json: try JSONValue(json), file: url.path)
        } catch {
            throw HTTPArchiveError("\(url.path) is no HTTP archive: \(JSONText.reason(error))")
        }
        guard let log = try? file["log"], case .object = log.json else {
            throw HTTPArchiveError("\(url.path) is no HTTP archive: it has no object \"log\".")
        }
        return (text, try log["entries"].list)
    }

    /// Returns the bytes of this file, or of a file that it names.
    private func bytes(of file: URL) throws -> Data {
        do {
            // A URL caches its first answer about the size, so ask the file manager.
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

    /// Returns an entry's exchange, and the reason if the entry cannot be replayed.
    func exchange(
        _ entry: HARValue, number: Int
    ) throws -> (exchange: HTTPArchive.Exchange?, gap: String?) {
        let (sent, received) = try (entry["request"], entry["response"])
        guard let text = try sent["url"].text, !text.isEmpty else {
            return (nil, "it has no URL")
        }
        guard let url = URL(reference: text) else { throw try sent["url"].error("is not a URL") }
        let post = try HARMessage(sent, body: "postData")
        let answer = try HARMessage(received, body: "content")
        var request = URLRequest(url: url)
        request.httpMethod = try sent["method"].text
        request.allHTTPHeaderFields = post.headers
        if case .object = post.content.json {
            let type = request.value(forHTTPHeaderField: "Content-Type") ?? post.mediaType
            request.setValue(type, forHTTPHeaderField: "Content-Type")
            if let parts = post.parts(type) {
                do {
                    request = try request.multipartBody(parts)
                } catch {
                    throw try post.content["params"].error("cannot be sent: \(error)")
                }
            } else {
                let body = try bytes(of: post)
                if !body.isEmpty { request.httpBody = body }
            }
        }
        let exchange = try HTTPArchive.Exchange(
            entry, request, answer, bytes(of: answer),
            Recording.Place(file: self.url.lastPathComponent, number: number))
        return (exchange, try exchange.skipReason ?? entry.gap(post, answer))
    }

    private func bytes(of message: HARMessage) throws -> Data {
        guard let name = try message.fileName() else { return try message.data() }
        return try bytes(of: url.deletingLastPathComponent().appendingPathComponent(name))
    }
}

extension HARValue {
    /// Returns why the entry is incomplete, or nil if the entry is complete.
    fileprivate func gap(_ request: HARMessage, _ answer: HARMessage) throws -> String? {
        guard let method = try self["request"]["method"].text, method.utf8.isHTTPToken else {
            return "it has no method"
        }
        let response = try self["response"]
        if let gap = request.headerGap("request") ?? answer.headerGap("answer") { return gap }
        let status: Int
        switch try response.status {
        case nil: return "its answer has no status"
        case let known? where (-1...0).contains(known) || (200..<1_000).contains(known):
            status = known
        case let other?: return "its answer has the status \(other)"
        }
        let sendsBody = !["GET", "HEAD"].contains(method)
        let hasBody =
            method != "HEAD" && ![204, 205].contains(status) && !(300..<400).contains(status)
        // An interrupted response may have no body.
        let isWhole =
            try response["_error"].text == nil && response["_ending"].text == nil && status > 0
        return try request.bodyGap("the body of its request", isNeeded: sendsBody)
            ?? answer.bodyGap("its body", isNeeded: hasBody && isWhole)
    }

    /// The status of a response; 0 if there is none.
    fileprivate var status: Int? {
        get throws {
            guard case .object = json else { return 0 }
            return try self["status"].number.flatMap { Int(exactly: $0) }
        }
    }

    /// When a piece was sent, counted from the start of the request, and its size in bytes.
    fileprivate var piece: (time: Duration, count: Int) {
        get throws {
            let numbers = try list.compactMap(\.number)
            guard numbers.count == 2, numbers[1] >= 0 else {
                throw error("is not a time in milliseconds and a number of bytes")
            }
            return (.milliseconds(numbers[0]), Int(numbers[1]))
        }
    }
}

extension HTTPArchive.Exchange {
    fileprivate init(
        _ entry: HARValue, _ request: URLRequest, _ answer: HARMessage, _ body: Data,
        _ place: Recording.Place
    ) throws {
        let message = try entry["response"]
        let status = try message.status ?? 0
        var fields = answer.headers
        func add(_ name: String, _ value: String?) {
            let isThere = fields.keys.contains { $0.lowercased() == name.lowercased() }
            if let value, !isThere { fields[name] = value }
        }
        if !body.isEmpty { add("Content-Type", answer.mediaType) }
        if (300..<400).contains(status), let url = try message["redirectURL"].text, !url.isEmpty {
            add("Location", url)
        }
        let url = try message["_url"].text.flatMap { URL(string: $0) } ?? request.url!
        let response =
            status > 0
            ? HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields) : nil
        let wasCancelled = try message["_ending"].text == "left"
        // An entry without a response failed, whether or not the file says how.
        let hasFailed = response == nil && !wasCancelled
        let error = try message["_error"].text ?? (hasFailed ? "" : nil)
        var pieces = try message["_pieces"].list.map { try $0.piece }
        if pieces.isEmpty {
            pieces = [(.milliseconds(max(0, try entry["time"].number ?? 0)), body.count)]
        }
        self.init(
            request: request, response: response, pieces: Self.pieces(of: body, pieces),
            error: error.map { URLError(URLError.code(named: $0)) }, wasCancelled: wasCancelled,
            startDate: Date(har: try entry["startedDateTime"].text ?? "") ?? .distantPast,
            place: place)
    }

    /// Returns the pieces of a body. If its text was edited, the last piece absorbs the difference.
    private static func pieces(
        of body: Data, _ list: [(time: Duration, count: Int)]
    ) -> [SentPiece] {
        var rest = body
        let pieces = list.enumerated().map { index, piece in
            let data = index + 1 == list.count ? rest : rest.prefix(piece.count)
            rest = rest.dropFirst(data.count)
            return SentPiece(data: Data(data), time: piece.time)
        }
        return pieces.filter { !$0.data.isEmpty }
    }

    /// The reason why an entry is not an HTTP exchange that can be replayed; nil for an entry that
    /// can.
    fileprivate var skipReason: String? {
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
    /// Returns the code with this name. An unknown name, such as one written by a browser, counts
    /// as a lost connection.
    fileprivate static func code(named name: String) -> Code {
        named.first { $0.name == name }?.code ?? Int(name).flatMap { Code(rawValue: $0) }
            ?? .networkConnectionLost
    }
}

extension Date {
    /// Parses a date with or without fractional seconds, which need different strategies.
    fileprivate init?(har text: String) {
        let withFractions = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let date =
            (try? Date(text, strategy: withFractions))
            ?? (try? Date(text, strategy: .iso8601))
        guard let date else { return nil }
        self = date
    }
}
