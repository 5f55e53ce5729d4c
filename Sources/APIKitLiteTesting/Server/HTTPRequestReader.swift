import Foundation

/// Reads the requests of one connection, one after another (RFC 9112).
///
/// It reads each line and each part of a body once, and stores a body as it arrives, so a false
/// `Content-Length` does not allocate memory. After an error, the bytes that follow have no meaning.
struct HTTPRequestReader {
    /// The longest head of a request, with its request line and its trailers, in bytes. Also the
    /// longest line before a chunk.
    static let limit = 64 * 1024

    /// Waits for bytes, and returns them; none at the end of the connection.
    private let receive: () -> [UInt8]
    private var buffer: [UInt8] = []
    /// The index of the first byte in `buffer` that was not read.
    private var start = 0
    /// The number of bytes that the lines may still have.
    private var lineRest = 0

    /// Creates a reader.
    ///
    /// - Parameter receive: Waits for bytes, and returns them; none at the end of the connection.
    init(_ receive: @escaping () -> [UInt8]) {
        self.receive = receive
    }

    /// Reads the next request.
    ///
    /// - Parameter sendContinue: Sends `100 Continue` (RFC 9110, section 10.1.1). It is called for a
    ///   client that waits for it and has not sent a part of the body.
    /// - Returns: The request; `nil` at the end of the connection.
    /// - Throws: When the bytes are not a request.
    mutating func next(
        sendContinue: () -> Void = {}
    ) throws(HTTPRequestError) -> ParsedRequest? {
        lineRest = Self.limit
        guard let first = try requestLine() else { return nil }
        var request = try ParsedRequest(requestLine: first)
        request.fields = try readFields()
        let framing = try request.framing()
        if request.expectsContinue, start == buffer.count, framing != .length(0) { sendContinue() }
        switch framing {
        case .length(let length): try read(length, to: &request.body)
        case .chunked:
            while let size = try chunkSize() {
                try read(size, to: &request.body)
                guard try line().isEmpty else {
                    throw HTTPRequestError("A chunk is not as long as its size says.")
                }
            }
            // A `URLRequest` cannot contain trailers.
            _ = try readFields()
        }
        return request
    }

    /// Reads the request line; `nil` at the end of the connection.
    private mutating func requestLine() throws(HTTPRequestError) -> ArraySlice<UInt8>? {
        while start < buffer.count || receiveMore() {
            // Without this early check, a client that uses TLS would wait forever for an answer.
            guard buffer[start].isHTTPTokenCharacter || buffer[start] == 0x0D else {
                throw HTTPRequestError(
                    "The request does not begin with a method. (The scheme here is http, not https.)"
                )
            }
            let line = try self.line()
            // Some old clients send an empty line after a body (RFC 9112, section 2.2).
            if !line.isEmpty { return line }
        }
        return nil
    }

    /// Reads fields up to an empty line.
    private mutating func readFields() throws(HTTPRequestError) -> [ParsedRequest.Field] {
        var fields: [ParsedRequest.Field] = []
        while true {
            let line = try self.line()
            if line.isEmpty { return fields }
            fields.append(try ParsedRequest.Field(line: line))
        }
    }

    /// Reads the size of a chunk; `nil` if it is 0, after which the trailers follow.
    private mutating func chunkSize() throws(HTTPRequestError) -> Int? {
        lineRest = Self.limit
        let line = try self.line()
        // A semicolon begins a chunk extension, which is ignored. White space may precede it.
        let digits = line.prefix { $0 != 0x3B && $0 != 0x20 && $0 != 0x09 }
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw HTTPRequestError("A chunk's size is not a hexadecimal number.") }
        return size == 0 ? nil : size
    }

    /// Reads a number of bytes.
    private mutating func read(_ count: Int, to data: inout Data) throws(HTTPRequestError) {
        var rest = count
        while rest > 0 {
            if start == buffer.count, !receiveMore() { throw .ended }
            let bytes = buffer[start...].prefix(rest)
            data.append(contentsOf: bytes)
            start += bytes.count
            rest -= bytes.count
        }
    }

    /// Reads a line, and returns it without its CR LF.
    ///
    /// - Throws: 431 as soon as the lines are longer than the limit, even if the end of this one has
    ///   not arrived; 400 for a bare LF or a bare CR. RFC 9112 (section 2.2) allows a server to
    ///   accept a bare LF, but this server shows a client its errors.
    private mutating func line() throws(HTTPRequestError) -> ArraySlice<UInt8> {
        let tooLong = HTTPRequestError(431, "The head is over \(Self.limit) bytes.")
        var searched = 0
        while true {
            if let end = buffer[(start + searched)...].firstIndex(of: 0x0A) {
                let line = buffer[start...end]
                start = end + 1
                lineRest -= line.count
                guard lineRest >= 0 else { throw tooLong }
                guard line.dropLast().last == 0x0D, !line.dropLast(2).contains(0x0D) else {
                    throw HTTPRequestError("A line must end in CR LF, and have no CR within.")
                }
                return line.dropLast(2)
            }
            searched = buffer.count - start
            guard searched <= lineRest else { throw tooLong }
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

extension HTTPRequestError {
    fileprivate static let ended = HTTPRequestError("The connection ended within a request.")
}
