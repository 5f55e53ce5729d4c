import APIKitLite
import Foundation

extension ResponsePart.Head {
    /// A response as the bytes of an HTTP/1.1 message.
    struct Message {
        /// The status line, the fields and the empty line after them.
        let head: Data
        /// Whether the request and the status allow a body.
        let hasBody: Bool
        /// Whether the body is sent with `Transfer-Encoding: chunked`.
        let isChunked: Bool
        /// Whether the connection can be reused.
        let keepsAlive: Bool

        /// Returns a piece of the body with its framing, or an empty array if there is no body. The
        /// piece is not copied.
        func framed(_ chunk: Data) -> [Data] {
            guard isChunked else { return hasBody ? [chunk] : [] }
            return [
                Data("\(String(chunk.count, radix: 16))\r\n".utf8), chunk, Data("\r\n".utf8),
            ]
        }

        /// The bytes that mark the end of the body.
        var end: [Data] { isChunked ? [Data("0\r\n\r\n".utf8)] : [] }
    }

    /// Returns the response as an HTTP/1.1 message (RFC 9112).
    ///
    /// Fields that the test wrote are sent unchanged, except that HTTP/1.0 clients receive no
    /// `Transfer-Encoding`. If the fields misstate where the body ends, the connection closes
    /// after the body. A recorded or passed-through response loses the fields of its original
    /// connection, and the fields that do not fit the decoded body.
    func message(for request: HTTPRequestReader.Request) -> Message {
        let status = response.statusCode
        var fields = fields
        let isBodyAllowed = status >= 200 && status != 204 && status != 304
        let hasBody = isBodyAllowed && request.request.httpMethod != "HEAD"
        if isDecoded {
            for name in connectionFields(fields["connection"]?.value) { fields[name] = nil }
            fields["content-encoding"] = nil
            if hasBody { fields["content-length"] = nil }
        }
        let asksToClose = connectionFields(fields["connection"]?.value).contains("close")
        // HTTP/1.0 clients do not support transfer codings (RFC 9112, section 6.1).
        if !request.isHTTP11 { fields["transfer-encoding"] = nil }
        if hasBody, fields["transfer-encoding"] == nil {
            if let length {
                fields["content-length"] =
                    fields["content-length"] ?? ("Content-Length", "\(length)")
            } else if request.isHTTP11 {
                fields["transfer-encoding"] = ("Transfer-Encoding", "chunked")
            }
        }
        let isChunked = hasBody && fields["transfer-encoding"]?.value.lowercased() == "chunked"
        let isLengthTrue = length.map { "\($0)" == fields["content-length"]?.value } ?? false
        // A 1xx is not a final response. Closing the connection ends the client's wait for a final
        // response.
        let keepsAlive =
            request.keepsAlive && !asksToClose && status >= 200
            && (!hasBody || isChunked || isLengthTrue)
        if !keepsAlive { fields["connection"] = fields["connection"] ?? ("Connection", "close") }

        var text = "HTTP/1.1 \(status) \(reasonPhrase(status))\r\n"
        fields["date"] = fields["date"] ?? ("Date", httpDateFormat.format(Date()))
        for (name, field) in fields.sorted(by: { $0.key < $1.key }) {
            // Clients do not accept a comma-separated list of cookies (RFC 6265, section 3).
            let values = name == "set-cookie" ? splitCookies(field.value) : [field.value[...]]
            for value in values { text += "\(field.name): \(value)\r\n" }
        }
        text += "\r\n"

        return Message(
            head: Data(text.utf8), hasBody: hasBody, isChunked: isChunked, keepsAlive: keepsAlive)
    }

    /// The fields of the response by lowercased name.
    private var fields: HTTPFields {
        Dictionary(
            response.allHeaderFields.map { ("\($0)".lowercased(), ("\($0)", "\($1)")) },
            uniquingKeysWith: { first, _ in first })
    }
}

extension ResponsePart {
    /// Creates a plain-text response that shows an error. The status is 400 for a malformed
    /// request, 501 for a request to which nothing responds, and 500 for any other error.
    static func report(of error: any Error) -> ResponsePart {
        let status =
            switch error {
            case is HTTPRequestError: 400
            case let error as MockError where error.isUnmatched: 501
            default: 500
            }
        let fields = ["Content-Type": "text/plain; charset=utf-8"]
        return complete(.http(.unnamed, status, fields), [Data("\(error)\n".utf8)])
    }
}

/// The format of a `Date` field (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
let httpDateFormat = Date.VerbatimFormatStyle(
    format: """
        \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .padded(4)) \
        \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\
        \(second: .twoDigits) GMT
        """,
    locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt,
    calendar: Calendar(identifier: .gregorian))
