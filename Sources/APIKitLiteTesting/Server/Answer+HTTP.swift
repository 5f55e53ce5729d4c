import APIKitLite
import Foundation

extension Answer {
    /// An answer as the bytes of an HTTP/1.1 message.
    struct Message {
        /// The status line, the fields and the empty line after them.
        var head: Data
        /// The answer's own pieces, not copies. It is empty if the request or the status allows no
        /// body.
        let body: [Data]
        /// Whether the body is sent with `Transfer-Encoding: chunked`.
        let isChunked: Bool
        /// Whether another request may follow on the connection.
        let keepsAlive: Bool

        /// The bytes to send, in order.
        var pieces: [Data] { [head] + body.flatMap(framed) + end }

        /// Returns a part of the body with the framing in which it is sent.
        func framed(_ chunk: Data) -> [Data] {
            guard isChunked else { return [chunk] }
            return [
                Data("\(String(chunk.count, radix: 16))\r\n".utf8), chunk, Data("\r\n".utf8),
            ]
        }

        /// Returns the first bytes of the head, and never all of them: on Linux, they end within the
        /// first line.
        func head(cutAfter count: Int) -> Data {
            head.prefix(min(count, longestCutHead(of: head)))
        }

        /// The bytes that mark the end of the body.
        var end: [Data] { isChunked ? [Data("0\r\n\r\n".utf8)] : [] }
    }

    /// Creates a plain-text answer that shows an error: with the status 400 for a malformed request,
    /// 501 for a request that no stub answers, and 500 for any other.
    init(_ error: any Error, url: URL) {
        let status =
            switch error {
            case is HTTPRequestError: 400
            case let error as MockError where error.reason == .unmatched: 501
            default: 500
            }
        // The initializer accepts every status and every field, so it never returns nil.
        self.init(
            response: HTTPURLResponse(
                url: url, statusCode: status, httpVersion: nil,
                headerFields: ["Content-Type": "text/plain; charset=utf-8"])!,
            body: [Data("\(error)\n".utf8)])
    }

    /// Returns the answer as an HTTP/1.1 message (RFC 9112).
    ///
    /// The server decides about the framing. It replaces the `Connection`, `Transfer-Encoding` and,
    /// except for a HEAD, `Content-Length` fields of the response by true ones. It removes the
    /// `Content-Encoding` field if the body is already decoded.
    func message(for request: HTTPRequestReader.Request) -> Message {
        let status = head.response.statusCode
        let fields = fields
        let isBodyAllowed = status >= 200 && status != 204 && status != 304
        let hasBody = isBodyAllowed && request.request.httpMethod != "HEAD"
        let isInPieces = head.isInPieces && fields["content-length"] == nil
        let isChunked = hasBody && request.isHTTP11 && (head.length == nil || isInPieces)
        let asksToClose = fields["connection"]?.value.lowercased().contains("close") ?? false
        // A 1xx is not a final answer, so the client waits for another one. The end of the
        // connection ends that wait.
        let keepsAlive = request.keepsAlive && !asksToClose && status >= 200

        var text = "HTTP/1.1 \(status) \(HTTPStatus.reasonPhrase(status))\r\n"
        func add(_ name: String, _ value: some CustomStringConvertible) {
            text += "\(name): \(value)\r\n"
        }
        if fields["date"] == nil { add("Date", Date().httpText) }
        for (name, field) in fields.sorted(by: { $0.key < $1.key }) {
            let isOurs =
                ["connection", "transfer-encoding", "content-length"].contains(name)
                || head.isDecoded && name == "content-encoding"
            // Clients do not accept a comma-separated list in this field (RFC 6265, section 3).
            if name == "set-cookie" {
                for cookie in splitCookies(field.value) { add(field.name, cookie) }
            } else if !isOurs {
                add(field.name, field.value)
            }
        }
        if isChunked {
            add("Transfer-Encoding", "chunked")
        } else if hasBody, let length = head.length {
            add("Content-Length", length)
        } else if !hasBody, status >= 200, status != 204, let length = fields["content-length"] {
            add("Content-Length", length.value)
        }
        if !keepsAlive { add("Connection", "close") }
        text += "\r\n"

        return Message(
            head: Data(text.utf8), body: hasBody ? body : [], isChunked: isChunked,
            keepsAlive: keepsAlive)
    }

    /// The fields of the response by lowercased name.
    private var fields: [String: (name: String, value: String)] {
        Dictionary(
            head.response.allHeaderFields.map { ("\($0)".lowercased(), ("\($0)", "\($1)")) },
            uniquingKeysWith: { first, _ in first })
    }
}
