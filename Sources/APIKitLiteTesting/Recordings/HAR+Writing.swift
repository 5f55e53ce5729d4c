import APIKitLite
import Foundation

extension HTTPArchive {
    /// The content of the archive's file. Equal archives have equal content.
    var har: HAR { HAR(log: HAR.Log(entries: map { HAR.Part(HAR.Entry($0)) })) }
}

extension HAR.Entry {
    fileprivate init(_ exchange: HTTPArchive.Exchange) {
        let time = exchange.pieces.last?.time.milliseconds ?? 0
        let comment = exchange.error?.userInfo[NSLocalizedDescriptionKey] as? String
        self.init(
            startedDateTime: exchange.startDate == .distantPast ? "" : exchange.startDate.har,
            time: Double(time), request: HAR.Request(exchange.request),
            response: HAR.Response(exchange, time),
            timings: HAR.Part(["send": 0, "wait": time, "receive": 0]),
            comment: comment.map { HAR.Part($0) })
    }
}

extension HAR.Request {
    fileprivate init(_ request: URLRequest) {
        let url = request.url?.absoluteString ?? ""
        let data = request.httpBody ?? Data()
        var body = HAR.Body(data, request.value(forHTTPHeaderField: "Content-Type") ?? "")
        (body._encoding, body.encoding) = (body.encoding, nil)
        let query = NamedItem.list(URLParts(url).query ?? "")
        self.init(
            method: request.httpMethod ?? "GET", url: url,
            headers: HAR.Field.list(request.allHTTPHeaderFields ?? [:]),
            queryString: HAR.Part(query.map { HAR.Field(name: $0.name, value: $0.value ?? "") }),
            postData: data.isEmpty ? nil : body, bodySize: data.count)
    }
}

extension HAR.Response {
    fileprivate init(_ exchange: HTTPArchive.Exchange, _ time: Int) {
        let (response, error, data) = (exchange.response, exchange.error, exchange.body)
        let status = response?.statusCode ?? 0
        var body = HAR.Body(
            data, response?.value(forHTTPHeaderField: "Content-Type") ?? "x-unknown")
        body.size = data.count
        let isWhole = exchange.pieces.count < 2 && time == 0
        let hasFailed = error != nil && response != nil
        let hasOtherURL = response?.url != exchange.request.url
        self.init(
            status: status, statusText: HAR.Part(reasonPhrase(status)),
            headers: HAR.Field.list(response?.headerFields ?? [:]), content: body,
            redirectURL: HAR.Part(response?.value(forHTTPHeaderField: "Location") ?? ""),
            bodySize: data.count,
            _pieces: isWhole ? nil : exchange.pieces.map { [$0.time.milliseconds, $0.data.count] },
            _ending: exchange.wasCancelled ? "left" : hasFailed ? "failed" : nil,
            _error: (error?.harName).map { HAR.Part($0) },
            _url: hasOtherURL ? response?.url?.absoluteString : nil)
    }
}

extension HAR.Body {
    /// Creates a body. Text is written unchanged, and other bytes are written in Base64.
    fileprivate init(_ data: Data, _ type: String) {
        let text = exactText(data)
        self.init(
            mimeType: type, text: text ?? data.base64EncodedString(),
            encoding: text == nil ? "base64" : nil)
    }
}

extension HAR.Field {
    fileprivate static func list(_ fields: [String: String]) -> [HAR.Field] {
        fields.sorted { $0.key < $1.key }.flatMap { name, value in
            let isCookie = name.lowercased() == "set-cookie"
            let values = isCookie ? splitCookies(value).map { String($0) } : [value]
            return values.map { HAR.Field(name: name, value: $0) }
        }
    }
}

extension URLError {
    /// The code's name or number, as written in an archive.
    fileprivate var harName: String {
        Self.named.first { $0.code == code }?.name ?? "\(code.rawValue)"
    }
}

extension Duration {
    /// The duration in whole milliseconds.
    fileprivate var milliseconds: Int { Int((self / .milliseconds(1)).rounded()) }
}

extension Date {
    /// The date with milliseconds, such as `2026-11-22T10:00:00.123Z`.
    fileprivate var har: String {
        // The format truncates the fraction: it would write 0.1229999 as 0.122.
        let milliseconds = (timeIntervalSince1970 * 1_000).rounded() + 0.1
        return Date(timeIntervalSince1970: milliseconds / 1_000)
            .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
