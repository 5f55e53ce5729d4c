import APIKitLite
import Foundation

extension Answer {
    /// An answer as bytes.
    struct Message {
        var head: Data
        /// The answer's own chunks, not copies; none where the request or the status has no body.
        let body: [Data]
        let isChunked: Bool
        /// Whether another request may follow on the connection.
        let keepsAlive: Bool

        /// What to send, in order.
        var pieces: [Data] { [head] + body.flatMap(framed) + end }

        /// A part of the body as it is sent.
        func framed(_ chunk: Data) -> [Data] {
            guard isChunked else { return [chunk] }
            return [
                Data("\(String(chunk.count, radix: 16))\r\n".utf8), chunk, Data("\r\n".utf8),
            ]
        }

        /// A head that breaks off.
        func head(cutAfter count: Int) -> Data {
            #if canImport(FoundationNetworking)
            // Foundation on Linux (up to 6.3) ends the process of a client whose connection ends
            // between the first line and the empty one: "Transfer completed, but there's no
            // response."
            let longest = head.firstIndex(of: UInt8(ascii: "\r")) ?? 0
            #else
            let longest = max(0, head.count - 1)
            #endif
            return head.prefix(min(count, longest))
        }

        /// What tells that the body is complete.
        var end: [Data] { isChunked ? [Data("0\r\n\r\n".utf8)] : [] }
    }

    /// The answer to a request that could not be answered as asked.
    init(_ error: any Error, url: URL) {
        let text = Data("\(error)\n".utf8)
        // Every code and every field is accepted, so there always is a response.
        self.init(
            response: HTTPURLResponse(
                url: url, statusCode: (error as? any AnswerableOverHTTP)?.status ?? 500,
                httpVersion: nil, headerFields: ["Content-Type": "text/plain; charset=utf-8"])!,
            chunks: [text])
    }

    /// Writes the answer down for a client (RFC 9112).
    ///
    /// The framing is the server's own business: whatever the response says about `Connection`,
    /// `Transfer-Encoding` and, except for a HEAD, `Content-Length` is replaced by the truth; so is
    /// the `Content-Encoding` of a body that is not encoded any more.
    ///
    /// - Throws: When a field would break the message, such as one with a line end in its value.
    func message(
        for request: ParsedRequest, now: Date = Date()
    ) throws(HTTPResponseError) -> Message {
        let status = response.statusCode
        guard (100...999).contains(status) else { throw .status(status) }
        let fields = try givenFields()
        let body = chunks.filter { !$0.isEmpty }
        let hasBody = request.method != "HEAD" && status >= 200 && status != 204 && status != 304
        let isStreamed = hasBody && chunks.count > 1 && fields["content-length"] == nil
        let isChunked = isStreamed && request.minorVersion > 0
        let asksToClose = fields["connection"]?.value.lowercased().contains("close") ?? false
        // A client waits for more after 1xx, which is no final answer; the end tells it not to.
        let keepsAlive =
            request.keepsAlive && !asksToClose && status >= 200 && isStreamed == isChunked

        var head = "HTTP/1.1 \(status) \(HTTPStatus.reasonPhrase(status))\r\n"
        func add(_ name: String, _ value: some CustomStringConvertible) {
            head += "\(name): \(value)\r\n"
        }
        if fields["date"] == nil { add("Date", now.httpText) }
        for (name, field) in fields.sorted(by: { $0.key < $1.key }) {
            let isOurs =
                ["connection", "transfer-encoding", "content-length"].contains(name)
                || isDecoded && name == "content-encoding"
            // The one field that no client takes as a list (RFC 6265, section 3).
            if name == "set-cookie" {
                for cookie in splitCookies(field.value) { add(field.name, cookie) }
            } else if !isOurs {
                add(field.name, field.value)
            }
        }
        if isChunked {
            add("Transfer-Encoding", "chunked")
        } else if hasBody && !isStreamed {
            add("Content-Length", body.reduce(missing) { $0 + $1.count })
        } else if !hasBody, status >= 200, status != 204, let length = fields["content-length"] {
            add("Content-Length", length.value)
        }
        if !keepsAlive { add("Connection", "close") }
        if keepsAlive && request.minorVersion == 0 { add("Connection", "keep-alive") }
        head += "\r\n"

        return Message(
            head: Data(head.utf8), body: hasBody ? body : [], isChunked: isChunked,
            keepsAlive: keepsAlive)
    }

    /// The response's fields by lowercased name.
    private func givenFields() throws(HTTPResponseError) -> [String: (name: String, value: String)]
    {
        var fields: [String: (name: String, value: String)] = [:]
        for (key, value) in response.allHeaderFields {
            let (name, value) = ("\(key)", "\(value)")
            guard name.utf8.isHTTPToken,
                value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
            else { throw .field(name) }
            fields[name.lowercased()] = (name, value)
        }
        return fields
    }
}

/// The cookies that Foundation has joined to one field: a comma divides them where a name and `=`
/// follow, but not within a date.
private func splitCookies(_ field: String) -> [Substring] {
    field.split(separator: /,\s*(?=[^\s;,=]+=)/)
}

/// Why an answer cannot be sent as it is; the client gets a 500 that says so.
enum HTTPResponseError: Error, CustomStringConvertible {
    case status(Int)
    case field(String)

    var description: String {
        switch self {
        case .status(let status):
            "The stub's status is \(status). A status is a number from 100 to 999."
        case .field(let name):
            // Escaped, since the name itself may be what is wrong.
            "The stub's header \(name.debugDescription) has a line end or another character "
                + "that no header may have."
        }
    }
}
