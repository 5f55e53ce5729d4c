import APIKitLite
import Foundation

/// A JSON value that is written with its keys in the given order, so that equal archives give equal
/// files.
enum HARText {
    case text(String)
    case number(Int)
    case list([HARText])
    case object(KeyValuePairs<String, HARText?>)
    /// An object or array on one line.
    indirect case line(HARText)

    /// Returns the JSON text, with two spaces for each level.
    func json(indent: String = "", isOneLine: Bool = false) -> String {
        let inner = isOneLine ? "" : indent + "  "
        func lines(_ items: [String], _ open: String, _ close: String) -> String {
            if items.isEmpty { return open + close }
            if isOneLine { return "\(open) \(items.joined(separator: ", ")) \(close)" }
            let rows = items.map { inner + $0 }.joined(separator: ",\n")
            return "\(open)\n\(rows)\n\(indent)\(close)"
        }
        switch self {
        case .text(let text): return JSONText.quoted(text)
        case .number(let number): return "\(number)"
        case .line(let value): return value.json(isOneLine: true)
        case .list(let values):
            return lines(values.map { $0.json(indent: inner, isOneLine: isOneLine) }, "[", "]")
        case .object(let members):
            let rows = members.compactMap { key, value in
                value.map { "\"\(key)\": \($0.json(indent: inner, isOneLine: isOneLine))" }
            }
            return lines(rows, "{", "}")
        }
    }
}

extension HTTPArchive {
    /// The archive as the text of a HAR 1.2 file.
    ///
    /// Every field that 1.2 requires is there: Firefox and Charles refuse a file without `pages` or
    /// `response`.
    var text: String {
        HARText.object([
            "log": .object([
                "version": .text("1.2"),
                "creator": .line(
                    .object(["name": .text("APIKitLite"), "version": .text("1")])),
                "pages": .list([]),
                "entries": .list(map(\.har)),
            ])
        ]).json() + "\n"
    }
}

extension HTTPArchive.Exchange {
    fileprivate var har: HARText {
        .object([
            "startedDateTime": .text(startDate == .distantPast ? "" : startDate.har),
            "time": .number(duration),
            "request": request.har,
            "response": responseText,
            "cache": .line(.object([:])),
            "timings": .line(
                .object(["send": .number(0), "wait": .number(duration), "receive": .number(0)])),
            "comment": (error?.userInfo[NSLocalizedDescriptionKey] as? String).map { .text($0) },
        ])
    }

    private var responseText: HARText {
        let body = body
        let text = exactText(body)
        let status = response?.statusCode ?? 0
        let fields = response?.headerFields ?? [:]
        let isWhole = pieces.count < 2 && duration == 0
        let ending = wasCancelled ? "left" : error != nil && response != nil ? "failed" : nil
        let url = response?.url?.absoluteString
        return .object([
            "status": .number(status),
            "statusText": .text(HTTPStatus.reasonPhrase(status)),
            "httpVersion": .text("HTTP/1.1"),
            "cookies": .list([]),
            "headers": headerList(fields),
            "content": .object([
                "size": .number(body.count),
                "mimeType": .text(
                    response?.value(forHTTPHeaderField: "Content-Type") ?? "x-unknown"),
                "text": .text(text ?? body.base64EncodedString()),
                "encoding": text == nil ? .text("base64") : nil,
            ]),
            "redirectURL": .text(response?.value(forHTTPHeaderField: "Location") ?? ""),
            "headersSize": .number(-1),
            "bodySize": .number(body.count),
            "_pieces": isWhole
                ? nil
                : .line(
                    .list(
                        pieces.map {
                            .list([.number($0.time.wholeMilliseconds), .number($0.data.count)])
                        })),
            "_ending": ending.map { .text($0) },
            "_error": error.map { .text($0.harName) },
            "_url": url == request.url?.absoluteString ? nil : url.map { .text($0) },
        ])
    }

    private var duration: Int { (pieces.last?.time ?? .zero).wholeMilliseconds }
}

private func headerList(_ fields: [String: String]) -> HARText {
    .list(
        fields.sorted { $0.key < $1.key }.flatMap { name, value in
            let values =
                name.lowercased() == "set-cookie" ? splitCookies(value).map { String($0) } : [value]
            return values.map { pair(name, $0) }
        })
}

private func pair(_ name: String, _ value: String) -> HARText {
    .line(.object(["name": .text(name), "value": .text(value)]))
}

extension URLRequest {
    fileprivate var har: HARText {
        let body = httpBody ?? Data()
        let text = exactText(body)
        let query = NamedItem.list(
            URLParts(url?.absoluteString ?? "").query ?? "", plusIsSpace: false)
        return .object([
            "method": .text(httpMethod ?? "GET"),
            "url": .text(url?.absoluteString ?? ""),
            "httpVersion": .text("HTTP/1.1"),
            "cookies": .list([]),
            "headers": headerList(allHTTPHeaderFields ?? [:]),
            "queryString": .list(query.map { pair($0.name, $0.value ?? "") }),
            "postData": body.isEmpty
                ? nil
                : .object([
                    "mimeType": .text(value(forHTTPHeaderField: "Content-Type") ?? ""),
                    "text": .text(text ?? body.base64EncodedString()),
                    // HAR 1.2 has no place for the encoding of a request.
                    "_encoding": text == nil ? .text("base64") : nil,
                ]),
            "headersSize": .number(-1),
            "bodySize": .number(body.count),
        ])
    }
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
