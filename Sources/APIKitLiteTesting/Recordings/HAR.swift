import APIKitLite
import Foundation

/// The content of a HAR 1.2 file: http://www.softwareishard.com/blog/har-12-spec/
///
/// The content has every field that HAR 1.2 requires, because Firefox and Charles reject a file
/// without `pages` or `response`.
enum HAR {
    /// Returns the content of an archive. Equal archives have equal content.
    static func content(of archive: HTTPArchive) -> JSONValue {
        [
            "log": [
                "version": "1.2", "creator": ["name": "APIKitLite", "version": "1"], "pages": [],
                "entries": .array(archive.map(\.entry)),
            ]
        ]
    }

    /// The keys that HAR 1.2 defines. They never name secrets, even if a redaction contains them.
    static let keys = Set(
        """
        log version creator browser name pages startedDateTime id title pageTimings comment entries
        pageref time request response cache timings serverIPAddress connection method url httpVersion
        headers queryString postData headersSize bodySize status statusText content redirectURL value
        path domain expires httpOnly secure mimeType params text fileName contentType size compression
        encoding blocked dns connect send wait receive ssl
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}

extension HTTPArchive.Exchange {
    fileprivate var entry: JSONValue {
        [
            "startedDateTime": .string(startDate == .distantPast ? "" : startDate.har),
            "time": .number(duration), "request": request.har, "response": answer, "cache": [:],
            "timings": ["send": 0, "wait": .number(duration), "receive": 0],
            "comment": (error?.userInfo[NSLocalizedDescriptionKey] as? String).map(
                JSONValue.string),
        ]
    }

    private var duration: String { (pieces.last?.time ?? .zero).milliseconds }

    private var answer: JSONValue {
        let status = response?.statusCode ?? 0
        let type = response?.value(forHTTPHeaderField: "Content-Type") ?? "x-unknown"
        let isWhole = pieces.count < 2 && duration == "0"
        let hasOtherURL = response?.url != request.url
        let ending = wasCancelled ? "left" : error != nil && response != nil ? "failed" : nil
        var content = body.har(type, encoding: "encoding")
        content["size"] = .number("\(body.count)")
        return [
            "status": .number("\(status)"), "statusText": .string(HTTPStatus.reasonPhrase(status)),
            "httpVersion": "HTTP/1.1", "cookies": [],
            "headers": .list(response?.headerFields ?? [:]),
            "content": .object(content),
            "redirectURL": .string(response?.value(forHTTPHeaderField: "Location") ?? ""),
            "headersSize": -1, "bodySize": .number("\(body.count)"),
            "_pieces": isWhole ? nil : .array(pieces.map(\.har)),
            "_ending": ending.map(JSONValue.string),
            "_error": (error?.harName).map(JSONValue.string),
            "_url": hasOtherURL ? (response?.url?.absoluteString).map(JSONValue.string) : nil,
        ]
    }
}

extension URLRequest {
    fileprivate var har: JSONValue {
        let url = url?.absoluteString ?? ""
        let body = httpBody ?? Data()
        // HAR 1.2 has no field for the encoding of a request.
        let content = body.har(
            value(forHTTPHeaderField: "Content-Type") ?? "", encoding: "_encoding")
        return [
            "method": .string(httpMethod ?? "GET"), "url": .string(url),
            "httpVersion": "HTTP/1.1", "cookies": [], "headers": .list(allHTTPHeaderFields ?? [:]),
            "queryString": .array(
                NamedItem.list(URLParts(url).query ?? "").map { .field($0.name, $0.value ?? "") }),
            "postData": body.isEmpty ? nil : .object(content), "headersSize": -1,
            "bodySize": .number("\(body.count)"),
        ]
    }
}

extension JSONValue {
    fileprivate static func field(_ name: String, _ value: String) -> JSONValue {
        ["name": .string(name), "value": .string(value)]
    }

    fileprivate static func list(_ fields: [String: String]) -> JSONValue {
        .array(
            fields.sorted { $0.key < $1.key }.flatMap { name, value in
                let isCookie = name.lowercased() == "set-cookie"
                let values = isCookie ? splitCookies(value).map { String($0) } : [value]
                return values.map { field(name, $0) }
            })
    }
}

extension Data {
    /// Returns the JSON members that describe a body. Text is written unchanged, and other bytes in
    /// Base64.
    fileprivate func har(_ type: String, encoding: String) -> [String: JSONValue] {
        let text = exactText(self)
        var body: [String: JSONValue] = [
            "mimeType": .string(type), "text": .string(text ?? base64EncodedString()),
        ]
        if text == nil { body[encoding] = "base64" }
        return body
    }
}

extension SentPiece {
    fileprivate var har: JSONValue { [.number(time.milliseconds), .number("\(data.count)")] }
}

extension URLError {
    /// The code's name or number, as written in an archive.
    fileprivate var harName: String {
        Self.named.first { $0.code == code }?.name ?? "\(code.rawValue)"
    }
}

extension Duration {
    /// The duration in whole milliseconds, as text.
    fileprivate var milliseconds: String { "\(Int((self / .milliseconds(1)).rounded()))" }
}

extension Date {
    /// The date with milliseconds, such as `2026-11-22T10:00:00.123Z`.
    fileprivate var har: String {
        // The format truncates: it would write 0.1229999 as 0.122.
        let milliseconds = (timeIntervalSince1970 * 1_000).rounded() + 0.1
        return Date(timeIntervalSince1970: milliseconds / 1_000)
            .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}

// Omits members that are nil.
extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
    ExpressibleByStringLiteral, ExpressibleByIntegerLiteral
{
    init(dictionaryLiteral members: (String, JSONValue?)...) {
        self = .object(
            members.reduce(into: [:]) { object, member in object[member.0] = member.1 })
    }

    init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    init(stringLiteral text: String) { self = .string(text) }

    init(integerLiteral number: Int) { self = .number("\(number)") }
}

extension JSONValue: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .object(let members): try container.encode(members)
        case .array(let elements): try container.encode(elements)
        case .string(let text): try container.encode(text)
        case .number(let digits): try container.encode(Decimal(string: digits))
        case .boolean(let value): try container.encode(value)
        case .null: try container.encodeNil()
        }
    }
}
