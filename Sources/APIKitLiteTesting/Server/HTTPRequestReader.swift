import APIKitLite
import Foundation

/// Reads the requests of one connection, one after another: HTTP/1.1 as clients of a test send it,
/// with a `Content-Length` or with chunks (RFC 9112).
///
/// It stores a body as it arrives, so a false `Content-Length` does not allocate memory. After an
/// error, the bytes that follow have no meaning.
struct HTTPRequestReader {
    /// A request, and whether another one may follow it on the connection.
    struct Request {
        var request: URLRequest
        var keepsAlive: Bool
    }

    /// Waits for bytes, and returns them; none at the end of the connection.
    private let receive: () -> [UInt8]
    private var buffer: [UInt8] = []
    /// The index of the first byte in `buffer` that was not read.
    private var start = 0

    /// Creates a reader. The closure waits for bytes, and returns none at the end of the connection.
    init(_ receive: @escaping () -> [UInt8]) {
        self.receive = receive
    }

    /// Reads the next request; nil at the end of the connection.
    ///
    /// `sendContinue` sends `100 Continue` (RFC 9110, section 10.1.1). It is called for a client that
    /// waits for it and has not sent a part of the body.
    mutating func next(sendContinue: () -> Void = {}) throws(HTTPRequestError) -> Request? {
        guard let first = try requestLine() else { return nil }
        let parts = first.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].utf8.isHTTPToken, parts[1].hasPrefix("/"),
            parts[2] == "HTTP/1.1"
        else { throw .malformed("\(first) is not \"method path HTTP/1.1\"") }
        let fields = try fields()
        func field(_ name: String) -> String? { fields[name]?.value.lowercased() }

        guard let host = fields["host"]?.value, !host.isEmpty,
            let url = URL(reference: "http://\(host)\(parts[1])"), url.host != nil
        else { throw .malformed("the path \(parts[1]) and the Host field make no URL") }
        var request = URLRequest(url: url)
        request.httpMethod = String(parts[0])
        request.allHTTPHeaderFields = Dictionary(
            fields.values.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })

        let isChunked = field("transfer-encoding") == "chunked"
        let length = fields["content-length"].map { Int($0.value) } ?? 0
        guard isChunked != (fields["transfer-encoding"] == nil), let length, length >= 0,
            !(isChunked && fields["content-length"] != nil)
        else { throw .malformed("the end of the body is unknown") }
        let waits = field("expect")?.contains("100-continue") == true && start == buffer.count
        if waits, isChunked || length > 0 { sendContinue() }
        let body = isChunked ? try chunks() : try read(length)
        if !body.isEmpty { request.httpBody = body }
        return Request(
            request: request, keepsAlive: field("connection")?.contains("close") != true)
    }

    /// Reads the request line; `nil` at the end of the connection.
    private mutating func requestLine() throws(HTTPRequestError) -> String? {
        while start < buffer.count || receiveMore() {
            // Without this early check, a client that uses TLS would wait forever for an answer.
            guard buffer[start].isHTTPTokenCharacter || [0x0D, 0x0A].contains(buffer[start]) else {
                throw .malformed("it does not begin with a method; the scheme here is http")
            }
            let line = try self.line()
            // Some old clients send an empty line after a body (RFC 9112, section 2.2).
            if !line.isEmpty { return line }
        }
        return nil
    }

    /// Reads fields up to an empty line, by their lowercased names. Of several spellings of a name,
    /// the first is kept.
    private mutating func fields() throws(HTTPRequestError) -> [String: (
        name: String, value: String
    )] {
        var fields: [String: (name: String, value: String)] = [:]
        while true {
            let line = try self.line()
            if line.isEmpty { return fields }
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].utf8.isHTTPToken else {
                throw .malformed("\(line) is not \"name: value\"")
            }
            let value = parts[1].trimmingCharacters(in: .whitespaces)
            let name = parts[0].lowercased()
            // A cookie may contain a comma, so semicolons separate them (RFC 6265, section 5.4).
            let separator = name == "cookie" ? "; " : ", "
            let earlier = fields[name] ?? (String(parts[0]), "")
            let prefix = earlier.value.isEmpty ? "" : earlier.value + separator
            fields[name] = (earlier.name, prefix + value)
        }
    }

    /// Reads a body in chunks. A `URLRequest` cannot contain their trailers.
    private mutating func chunks() throws(HTTPRequestError) -> Data {
        var body = Data()
        while true {
            // A semicolon begins a chunk extension, which is ignored. White space may precede it.
            let digits = try line().prefix { $0 != ";" && $0 != " " }
            guard let size = Int(digits, radix: 16), size >= 0 else {
                throw .malformed("\(digits) is not the size of a chunk")
            }
            if size == 0 { break }
            body += try read(size)
            guard try line().isEmpty else { throw .malformed("a chunk is longer than its size") }
        }
        _ = try fields()
        return body
    }

    /// Reads a number of bytes.
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

    /// Reads a line, and returns it without its line end.
    private mutating func line() throws(HTTPRequestError) -> String {
        var searched = 0
        while true {
            if let end = buffer[(start + searched)...].firstIndex(of: 0x0A) {
                let line = buffer[start..<end]
                start = end + 1
                return String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
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

/// Why the bytes of a client are not a request. The server answers it with the status 400.
struct HTTPRequestError: Error, CustomStringConvertible {
    var description: String

    static func malformed(_ reason: String) -> HTTPRequestError {
        HTTPRequestError(description: "This is not a request that the server reads: \(reason).")
    }

    static let ended = malformed("the connection ended within it")
}
