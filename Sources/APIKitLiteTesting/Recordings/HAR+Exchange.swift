import APIKitLite
import Foundation

extension HAR.Entry {
    /// Makes the entry of an exchange. Equal exchanges have equal entries.
    init(_ exchange: HTTPArchive.Exchange) {
        let duration = (exchange.pieces.last?.time ?? .zero).wholeMilliseconds
        let date = exchange.startDate
        self.init(
            startedDateTime: date == .distantPast ? "" : date.har, time: duration,
            request: HAR.Request(exchange.request),
            response: HAR.Response(exchange, duration),
            timings: ["send": 0, "wait": duration, "receive": 0],
            comment: exchange.error?.userInfo[NSLocalizedDescriptionKey] as? String)
    }
}

extension HAR.Request {
    fileprivate init(_ request: URLRequest) {
        let url = request.url?.absoluteString ?? ""
        let body = request.httpBody ?? Data()
        var content = HAR.Body(body, type: request.value(forHTTPHeaderField: "Content-Type") ?? "")
        content.requestEncoding = content.encoding
        content.encoding = nil
        self.init(
            method: request.httpMethod ?? "GET", url: url,
            headers: HAR.Field.list(request.allHTTPHeaderFields ?? [:]),
            queryString: NamedItem.list(URLParts(url).query ?? "").map {
                HAR.Field(name: $0.name, value: $0.value ?? "")
            },
            postData: body.isEmpty ? nil : content, bodySize: body.count)
    }
}

extension HAR.Response {
    fileprivate init(_ exchange: HTTPArchive.Exchange, _ duration: Double) {
        let response = exchange.response
        let body = exchange.body
        let status = response?.statusCode ?? 0
        let type = response?.value(forHTTPHeaderField: "Content-Type") ?? "x-unknown"
        var content = HAR.Body(body, type: type)
        content.size = body.count
        let isWhole = exchange.pieces.count < 2 && duration == 0
        let hasFailed = exchange.error != nil && response != nil
        let isSameURL = response?.url == nil || response?.url == exchange.request.url
        self.init(
            status: status, statusText: HTTPStatus.reasonPhrase(status),
            headers: HAR.Field.list(response?.headerFields ?? [:]), content: content,
            redirectURL: response?.value(forHTTPHeaderField: "Location") ?? "",
            bodySize: body.count,
            pieces: isWhole
                ? nil
                : exchange.pieces.map { [$0.time.wholeMilliseconds, Double($0.data.count)] },
            ending: exchange.wasCancelled ? "left" : hasFailed ? "failed" : nil,
            error: exchange.error.map(\.harName),
            url: isSameURL ? nil : response?.url?.absoluteString)
    }
}

extension HAR.Field {
    fileprivate static func list(_ fields: [String: String]) -> [HAR.Field] {
        fields.sorted { $0.key < $1.key }.flatMap { name, value in
            let values =
                name.lowercased() == "set-cookie" ? splitCookies(value).map { String($0) } : [value]
            return values.map { HAR.Field(name: name, value: $0) }
        }
    }
}

extension HAR.Body {
    /// Text stays as it is. Other bytes are written in Base64.
    fileprivate init(_ body: Data, type: String) {
        let text = exactText(body)
        self.init(
            mimeType: type, text: text ?? body.base64EncodedString(),
            encoding: text == nil ? "base64" : nil)
    }
}

extension URLError {
    /// The name or the number of the code, as an archive has it.
    fileprivate var harName: String {
        Self.named.first { $0.code == code }?.name ?? "\(code.rawValue)"
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Double { (self / .milliseconds(1)).rounded() }
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
