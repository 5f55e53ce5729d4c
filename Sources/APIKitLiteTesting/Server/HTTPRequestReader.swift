import APIKitLite
import Foundation

/// Reads the HTTP/1.1 and HTTP/1.0 requests of one connection, one after another (RFC 9112). A
/// request's body has a `Content-Length` or chunks.
///
/// The reader rejects bytes that another server might read as a different request: see "request
/// smuggling" in the RFC. The reader stores the bytes of a body as they arrive, and allocates no
/// memory for a false `Content-Length`. After an error, the remaining bytes are meaningless.
struct HTTPRequestReader {
    /// A request, and whether another request can follow on the connection.
    struct Request {
        var request: URLRequest
        var keepsAlive: Bool
        /// Whether the client understands chunks and interim responses, which HTTP/1.0 lacks.
        var isHTTP11 = true
    }

    /// Waits for bytes and returns them, or returns no bytes at the end of the connection.
    private let receive: () -> [UInt8]
    private var buffer: [UInt8] = []
    /// The index of the first unread byte in `buffer`.
    private var start = 0

    /// Creates a reader. The closure waits for bytes and returns them, or returns no bytes at the
    /// end of the connection.
    init(_ receive: @escaping () -> [UInt8]) {
        self.receive = receive
    }

    /// Reads the next request, or returns nil at the end of the connection.
    ///
    /// `sendContinue` sends `100 Continue` (RFC 9110, section 10.1.1). The reader calls the closure
    /// if an HTTP/1.1 client asks for that response, and the request has a body of which no byte
    /// has arrived.
    mutating func next(sendContinue: () -> Void = {}) throws(HTTPRequestError) -> Request? {
        guard let first = try requestLine() else { return nil }
        let parts = first.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].utf8.isHTTPToken,
            parts[1].contains("/") || parts[1] == "*",
            parts[2].dropLast() == "HTTP/1.", byteNumber(parts[2].suffix(1)) != nil
        else { throw .malformed("\(first) is not \"method path HTTP/1.1\"") }
        let isHTTP11 = parts[2] != "HTTP/1.0"
        let fields = try fields()
        func field(_ name: String) -> String? { fields[name]?.value.lowercased() }

        // Clients send a whole URL, which contains the host, to a proxy. Every server must accept a
        // whole URL. The `Host` field must be valid even with a whole URL, because the request
        // keeps that field.
        let isPath = parts[1].hasPrefix("/") || parts[0] == "OPTIONS" && parts[1] == "*"
        guard let host = fields["host"]?.value ?? (isHTTP11 ? nil : "127.0.0.1"),
            let base = URL(string: "http://\(host)/"),
            URLParts(base.absoluteString).hostAndPort == host.lowercased(),
            let url = URL(
                reference: (isPath ? "http://\(host)" : "") + parts[1].drop(while: { $0 == "*" })),
            ["http", "https"].contains(url.scheme?.lowercased()), url.host()?.isEmpty == false,
            url.user() == nil, url.fragment == nil
        else { throw .malformed("the path \(parts[1]) and the Host field make no URL") }
        var request = URLRequest(url: url)
        request.httpMethod = String(parts[0])
        request.allHTTPHeaderFields = Dictionary(
            fields.values.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })

        let coding = field("transfer-encoding")
        let length = fields["content-length"].map { byteNumber($0.value[...]).flatMap(Int.init) }
        guard let size = length ?? 0,
            coding == nil || coding == "chunked" && length == nil && isHTTP11
        else {
            throw .malformed(
                "the end of the body is unknown: one length in digits says it, or chunks")
        }
        let waits = isHTTP11 && field("expect") == "100-continue" && start == buffer.count
        if waits, coding != nil || size > 0 { sendContinue() }
        let body = coding == nil ? try read(size) : try chunks()
        if !body.isEmpty { request.httpBody = body }
        let isLast = !isHTTP11 || connectionFields(fields["connection"]?.value).contains("close")
        return Request(request: request, keepsAlive: !isLast, isHTTP11: isHTTP11)
    }

    /// Reads the request line, or returns `nil` at the end of the connection.
    private mutating func requestLine() throws(HTTPRequestError) -> String? {
        while start < buffer.count || receiveMore() {
            // Without this early check, a client that uses TLS would wait forever for a response.
            guard buffer[start...start].isHTTPToken || [0x0D, 0x0A].contains(buffer[start]) else {
                throw .malformed("it does not begin with a method; the scheme here is http")
            }
            let line = try self.line()
            // Some old clients send an empty line after a body (RFC 9112, section 2.2).
            if !line.isEmpty { return line }
        }
        return nil
    }

    /// Reads fields up to an empty line, and returns them by lowercased name. If the spellings of a
    /// name differ, keeps the first spelling.
    private mutating func fields() throws(HTTPRequestError) -> HTTPFields {
        var fields: HTTPFields = [:]
        var size = 0
        while true {
            let line = try self.line()
            if line.isEmpty { return fields }
            size += line.utf8.count
            guard size < 1 << 18 else { throw .malformed("its fields are longer than 256 KiB") }
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].utf8.isHTTPToken else {
                throw .malformed("\(line) is not \"name: value\"")
            }
            let value = parts[1].trimmingCharacters(in: blanks)
            let name = parts[0].lowercased()
            // A cookie may contain a comma, so semicolons separate cookies (RFC 6265, section 5.4).
            let separator = name == "cookie" ? "; " : ", "
            // An empty value is joined too, so two `Content-Length` fields never form a number.
            let earlier = fields[name].map { ($0.name, $0.value + separator) }
            fields[name] = (earlier?.0 ?? String(parts[0]), (earlier?.1 ?? "") + value)
        }
    }

    /// Reads a body in chunks. Trailers are dropped, because a `URLRequest` cannot contain them.
    private mutating func chunks() throws(HTTPRequestError) -> Data {
        var body = Data()
        while true {
            let line = try line(mayEndInLF: false)
            let digits = line.prefix(while: \.isHexDigit)
            // A semicolon begins a chunk extension, which is ignored. White space may precede the
            // semicolon.
            let rest = line[digits.endIndex...].trimmingCharacters(in: blanks)
            guard let size = Int(digits, radix: 16), rest.isEmpty || rest.hasPrefix(";") else {
                throw .malformed("\(line) is not the size of a chunk")
            }
            if size == 0 { break }
            body += try read(size)
            guard try self.line(mayEndInLF: false).isEmpty else {
                throw .malformed("a chunk is longer than its size")
            }
        }
        _ = try fields()
        return body
    }

    /// Reads exactly `count` bytes.
    private mutating func read(_ count: Int) throws(HTTPRequestError) -> Data {
        var data = Data()
        while data.count < count {
            if start == buffer.count, !receiveMore() { throw .ended }
            let bytes = buffer[start...].prefix(count - data.count)
            data.append(contentsOf: bytes)
            start += bytes.count
        }
        return data
    }

    /// Reads a line, and returns it without its ending: CR LF or, if `mayEndInLF` is true, LF.
    private mutating func line(mayEndInLF: Bool = true) throws(HTTPRequestError) -> String {
        var searched = 0
        while true {
            if let end = buffer[(start + searched)...].firstIndex(of: 0x0A) {
                let hasCR = buffer[start..<end].last == 0x0D
                let line = buffer[start..<(hasCR ? end - 1 : end)]
                start = end + 1
                guard hasCR || mayEndInLF, line.isHTTPFieldValue else {
                    throw .malformed("a line has a control character, or LF where CR LF is needed")
                }
                return String(decoding: line, as: UTF8.self)
            }
            searched = buffer.count - start
            guard searched < 1 << 16 else { throw .malformed("a line is longer than 64 KiB") }
            guard receiveMore() else { throw .ended }
        }
    }

    /// Waits for more bytes. Returns false at the end of the connection.
    private mutating func receiveMore() -> Bool {
        let bytes = receive()
        buffer.removeFirst(start)
        start = 0
        buffer += bytes
        return !bytes.isEmpty
    }
}

/// Why a client's bytes are not a request. The server responds with status 400.
struct HTTPRequestError: Error, CustomStringConvertible {
    var description: String

    static func malformed(_ reason: String) -> HTTPRequestError {
        HTTPRequestError(description: "This is not a request that the server reads: \(reason).")
    }

    static let ended = malformed("the connection ended within it")
}
