import APIKitLite
import Foundation

extension HTTPArchive {
    /// The archive as the text of a HAR 1.2 file. Equal archives have equal texts.
    ///
    /// Every field that 1.2 requires is there: Firefox and Charles refuse a file without `pages` or
    /// `response`.
    var text: String {
        let log = object(
            [
                "version": "\"1.2\"",
                "creator": #"{ "name": "APIKitLite", "version": "1" }"#,
                "pages": "[]",
                "entries": list(map(\.har), level: 2),
            ], level: 1)
        return object(["log": log], level: 0) + "\n"
    }
}

extension HTTPArchive.Exchange {
    fileprivate var har: String {
        object(
            [
                "startedDateTime": quoted(startDate == .distantPast ? "" : startDate.har),
                "time": "\(duration)",
                "request": request.har,
                "response": answer,
                "cache": "{}",
                "timings": #"{ "send": 0, "wait": \#(duration), "receive": 0 }"#,
                "comment": (error?.userInfo[NSLocalizedDescriptionKey] as? String).map(quoted),
            ], level: 3)
    }

    private var answer: String {
        let body = body
        let text = exactText(body)
        let status = response?.statusCode ?? 0
        let isWhole = pieces.count < 2 && duration == 0
        let lengths = pieces.map { "[ \($0.time.wholeMilliseconds), \($0.data.count) ]" }
        let ending = wasCancelled ? "left" : error != nil && response != nil ? "failed" : nil
        let url = response?.url?.absoluteString
        func field(_ name: String) -> String? { response?.value(forHTTPHeaderField: name) }
        return object(
            [
                "status": "\(status)",
                "statusText": quoted(HTTPStatus.reasonPhrase(status)),
                "httpVersion": quoted("HTTP/1.1"),
                "cookies": "[]",
                "headers": headerList(response?.headerFields),
                "content": object(
                    [
                        "size": "\(body.count)",
                        "mimeType": quoted(field("Content-Type") ?? "x-unknown"),
                        "text": quoted(text ?? body.base64EncodedString()),
                        "encoding": text == nil ? quoted("base64") : nil,
                    ], level: 5),
                "redirectURL": quoted(field("Location") ?? ""),
                "headersSize": "-1",
                "bodySize": "\(body.count)",
                "_pieces": isWhole ? nil : "[ \(lengths.joined(separator: ", ")) ]",
                "_ending": ending.map(quoted),
                "_error": error.map { quoted($0.harName) },
                "_url": url == request.url?.absoluteString ? nil : url.map(quoted),
            ], level: 4)
    }

    private var duration: Int { (pieces.last?.time ?? .zero).wholeMilliseconds }
}

extension URLRequest {
    fileprivate var har: String {
        let body = httpBody ?? Data()
        let text = exactText(body)
        let query = NamedItem.list(URLParts(url?.absoluteString ?? "").query ?? "")
        return object(
            [
                "method": quoted(httpMethod ?? "GET"),
                "url": quoted(url?.absoluteString ?? ""),
                "httpVersion": quoted("HTTP/1.1"),
                "cookies": "[]",
                "headers": headerList(allHTTPHeaderFields),
                "queryString": list(query.map { pair($0.name, $0.value ?? "") }, level: 5),
                "postData": body.isEmpty
                    ? nil
                    : object(
                        [
                            "mimeType": quoted(value(forHTTPHeaderField: "Content-Type") ?? ""),
                            "text": quoted(text ?? body.base64EncodedString()),
                            // HAR 1.2 has no place for the encoding of a request.
                            "_encoding": text == nil ? quoted("base64") : nil,
                        ], level: 5),
                "headersSize": "-1",
                "bodySize": "\(body.count)",
            ], level: 4)
    }
}

private func headerList(_ fields: [String: String]?) -> String {
    let pairs = (fields ?? [:]).sorted { $0.key < $1.key }.flatMap { name, value in
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
