import APIKitLite
import Foundation

/// Edits a text of an archive before it is written.
typealias TextEdit = (TextPlace, inout EditedText) -> Void

extension HTTPArchive {
    /// Returns the archive as the text of a HAR 1.2 file. Equal archives have equal texts.
    ///
    /// Every field that 1.2 requires is there: Firefox and Charles refuse a file without `pages` or
    /// `response`.
    func text(editing edit: @escaping TextEdit = { _, _ in }) -> String {
        let entries = map { HARText(edit).entry($0) }
        let log = object(
            [
                "version": "\"1.2\"",
                "creator": #"{ "name": "APIKitLite", "version": "1" }"#,
                "pages": "[]",
                "entries": list(entries, level: 2),
            ], level: 1)
        return object(["log": log], level: 0) + "\n"
    }
}

/// The writer of an entry, which edits each text of it.
private struct HARText {
    private let edit: TextEdit

    init(_ edit: @escaping TextEdit) {
        self.edit = edit
    }

    func entry(_ exchange: HTTPArchive.Exchange) -> String {
        let duration = (exchange.pieces.last?.time ?? .zero).wholeMilliseconds
        let date = exchange.startDate
        let message = exchange.error?.userInfo[NSLocalizedDescriptionKey] as? String
        return object(
            [
                "startedDateTime": quoted(date == .distantPast ? "" : date.har),
                "time": "\(duration)",
                "request": request(exchange.request),
                "response": answer(exchange, duration),
                "cache": "{}",
                "timings": #"{ "send": 0, "wait": \#(duration), "receive": 0 }"#,
                "comment": message.map(quoted),
            ], level: 3)
    }

    private func request(_ request: URLRequest) -> String {
        let url = edited(request.url)
        let type = request.value(forHTTPHeaderField: "Content-Type")
        let fields = edited(request.allHTTPHeaderFields ?? [:])
        let body = edited(request.httpBody ?? Data(), .body(contentType: type)).bytes
        let query = NamedItem.list(URLParts(url).query ?? "")
        // HAR 1.2 has no place for the encoding of a request.
        let (text, encoding) = content(body)
        return object(
            [
                "method": quoted(request.httpMethod ?? "GET"),
                "url": quoted(url),
                "httpVersion": quoted("HTTP/1.1"),
                "cookies": "[]",
                "headers": headerList(fields),
                "queryString": list(query.map { pair($0.name, $0.value ?? "") }, level: 5),
                "postData": body.isEmpty
                    ? nil
                    : object(
                        [
                            "mimeType": quoted(fields.value(of: "Content-Type") ?? ""),
                            "text": text, "_encoding": encoding,
                        ], level: 5),
                "headersSize": "-1",
                "bodySize": "\(body.count)",
            ], level: 4)
    }

    private func answer(_ exchange: HTTPArchive.Exchange, _ duration: Int) -> String {
        let response = exchange.response
        let type = response?.value(forHTTPHeaderField: "Content-Type")
        var fields = edited(response?.headerFields ?? [:])
        var size = 0
        let ends = exchange.pieces.map { piece in
            size += piece.data.count
            return size
        }
        let body = edited(exchange.body, .body(contentType: type), ends: ends)
        if let name = fields.name("Content-Length"), fields[name] == "\(size)" {
            fields[name] = "\(body.bytes.count)"
        }
        let sizes = zip(body.ends, [0] + body.ends).map { $0 - $1 }
        let pieces = zip(exchange.pieces, sizes).filter { $1 > 0 }
            .map { "[ \($0.time.wholeMilliseconds), \($1) ]" }
        let isWhole = pieces.count < 2 && duration == 0
        let (text, encoding) = content(body.bytes)
        let status = response?.statusCode ?? 0
        let ending =
            exchange.wasCancelled
            ? "left" : exchange.error != nil && response != nil ? "failed" : nil
        let isSameURL = response?.url == nil || response?.url == exchange.request.url
        return object(
            [
                "status": "\(status)",
                "statusText": quoted(HTTPStatus.reasonPhrase(status)),
                "httpVersion": quoted("HTTP/1.1"),
                "cookies": "[]",
                "headers": headerList(fields),
                "content": object(
                    [
                        "size": "\(body.bytes.count)",
                        "mimeType": quoted(fields.value(of: "Content-Type") ?? "x-unknown"),
                        "text": text, "encoding": encoding,
                    ], level: 5),
                "redirectURL": quoted(fields.value(of: "Location") ?? ""),
                "headersSize": "-1",
                "bodySize": "\(body.bytes.count)",
                "_pieces": isWhole ? nil : "[ \(pieces.joined(separator: ", ")) ]",
                "_ending": ending.map(quoted),
                "_error": exchange.error.map { quoted($0.harName) },
                "_url": isSameURL ? nil : quoted(edited(response?.url)),
            ], level: 4)
    }

    private func edited(
        _ bytes: some Sequence<UInt8>, _ place: TextPlace, ends: [Int] = []
    ) -> EditedText {
        var text = EditedText(bytes: Array(bytes), ends: ends)
        edit(place, &text)
        return text
    }

    private func edited(_ url: URL?) -> String {
        String(decoding: edited((url?.absoluteString ?? "").utf8, .plain).bytes, as: UTF8.self)
    }

    private func edited(_ fields: [String: String]) -> [String: String] {
        let pairs = fields.sorted { $0.key < $1.key }.map { name, value in
            (name, String(decoding: edited(value.utf8, .named(name)).bytes, as: UTF8.self))
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// Returns a body as JSON, and its encoding.
    private func content(_ body: [UInt8]) -> (text: String, encoding: String?) {
        let text = exactText(body)
        return (
            quoted(text ?? Data(body).base64EncodedString()), text == nil ? quoted("base64") : nil
        )
    }
}

extension [String: String] {
    /// Returns the name of a header as it is written.
    fileprivate func name(_ name: String) -> String? {
        keys.first { $0.lowercased() == name.lowercased() }
    }

    fileprivate func value(of name: String) -> String? { self.name(name).flatMap { self[$0] } }
}

private func headerList(_ fields: [String: String]) -> String {
    let pairs = fields.sorted { $0.key < $1.key }.flatMap { name, value in
        let values =
            name.lowercased() == "set-cookie" ? splitCookies(value).map { String($0) } : [value]
        return values.map { pair(name, $0) }
    }
    return list(pairs, level: 5)
}

private func pair(_ name: String, _ value: String) -> String {
    #"{ "name": \#(quoted(name)), "value": \#(quoted(value)) }"#
}

private func quoted(_ text: String) -> String { JSONText.quoted(text) }

/// Returns a JSON object, in the order of its members, without those that are nil.
///
/// - Parameters:
///   - members: The keys, and the values as JSON.
///   - level: The number of objects and arrays that contain this one.
private func object(_ members: KeyValuePairs<String, String?>, level: Int) -> String {
    lines(members.compactMap { key, value in value.map { "\"\(key)\": \($0)" } }, "{}", level)
}

private func list(_ elements: [String], level: Int) -> String { lines(elements, "[]", level) }

private func lines(_ items: [String], _ brackets: String, _ level: Int) -> String {
    if items.isEmpty { return brackets }
    let start = "\n" + String(repeating: "  ", count: level)
    let rows = items.map { start + "  " + $0 }.joined(separator: ",")
    return "\(brackets.prefix(1))\(rows)\(start)\(brackets.suffix(1))"
}

extension URLError {
    /// The name or the number of the code, as an archive has it.
    fileprivate var harName: String {
        Self.named.first { $0.code == code }?.name ?? "\(code.rawValue)"
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int { Int((self / .milliseconds(1)).rounded()) }
}

extension Date {
    /// The date with milliseconds: `2026-11-22T10:00:00.123Z`.
    fileprivate var har: String {
        // The format does not round: it would write 0.1229999 as 0.122.
        let milliseconds = (timeIntervalSince1970 * 1_000).rounded() + 0.1
        return Date(timeIntervalSince1970: milliseconds / 1_000)
            .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
