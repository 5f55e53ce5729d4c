import Foundation

/// A parser that turns the bytes of a connection into requests. The bytes may arrive in pieces of
/// any size.
///
/// It does no input or output. Its work is linear: it reads each line and each part of a body once,
/// even if a body of 100 MB arrives byte by byte. It stores a body as it arrives, so a false
/// `Content-Length` does not allocate memory.
struct HTTPRequestParser {
    /// The part of a request that comes next.
    private enum State: Equatable {
        case requestLine
        case fields
        case body(remaining: Int)
        case chunkSize
        case chunk(remaining: Int)
        case chunkEnd
        case trailers
        case failed(HTTPRequestError)
    }

    /// The result of parsing one part.
    private enum Step {
        case advanced
        /// The part is not complete.
        case needsMore
        case completed(ParsedRequest)
    }

    /// The longest request line, in bytes.
    static let requestLineLimit = 16 * 1024
    /// The longest header section of a request, including its trailers, in bytes.
    static let headerLimit = 64 * 1024
    /// The longest line before a chunk, in bytes.
    static let chunkLineLimit = 4 * 1024

    private var input = ByteQueue()
    private var state = State.requestLine
    private var request = ParsedRequest(method: "", target: "", minorVersion: 1)
    private var headerSize = 0
    /// Whether the client waits for `100 Continue`.
    private var owesContinue = false

    /// The number of bytes that wait to be parsed.
    var pendingBytes: Int { input.count }

    /// Whether a request has begun and is not complete.
    var isInsideRequest: Bool { state != .requestLine || input.count > 0 }

    /// Adds bytes that have arrived.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        input.append(bytes)
    }

    /// Parses the next request.
    ///
    /// - Returns: The request; `nil` if it is not complete.
    /// - Throws: When the bytes are not a request. The bytes after them have no meaning then, so
    ///   every later call throws the same error.
    mutating func next() throws(HTTPRequestError) -> ParsedRequest? {
        do {
            while true {
                switch try step() {
                case .advanced: continue
                case .needsMore: return nil
                case .completed(let request): return request
                }
            }
        } catch {
            state = .failed(error)
            throw error
        }
    }

    /// Returns whether the server must send `100 Continue` (RFC 9110, section 10.1.1).
    ///
    /// It returns true at most once for each request, and only for a client that waits: one that
    /// has already sent a part of the body needs no interim response.
    mutating func takeContinue() -> Bool {
        defer { owesContinue = false }
        return owesContinue
    }

    /// Parses the next part of a request.
    private mutating func step() throws(HTTPRequestError) -> Step {
        switch state {
        case .requestLine: return try readRequestLine()
        case .fields: return try readField()
        case .body(let remaining): return readBody(remaining)
        case .chunkSize: return try readChunkSize()
        case .chunk(let remaining): return readChunk(remaining)
        case .chunkEnd: return try readChunkEnd()
        case .trailers: return try readTrailer()
        case .failed(let error): throw error
        }
    }

    private mutating func readRequestLine() throws(HTTPRequestError) -> Step {
        // Without this early check, a client that uses TLS would wait forever for an answer.
        if let first = input.first, !first.isHTTPTokenCharacter, first != 0x0D {
            throw HTTPRequestError(
                "The request does not begin with a method. (The scheme here is http, not https.)")
        }
        guard
            let line = try takeLine(
                limit: Self.requestLineLimit,
                HTTPRequestError(414, "The request line is over \(Self.requestLineLimit) bytes."))
        else { return .needsMore }
        // Some old clients send an empty line after a body (RFC 9112, section 2.2).
        guard !line.isEmpty else { return .advanced }
        request = try ParsedRequest(requestLine: line)
        headerSize = 0
        state = .fields
        return .advanced
    }

    private mutating func readField() throws(HTTPRequestError) -> Step {
        guard let line = try takeHeaderLine() else { return .needsMore }
        guard line.isEmpty else {
            request.fields.append(try ParsedRequest.Field(line: line))
            return .advanced
        }
        let framing = try request.framing()
        owesContinue = request.expectsContinue && input.count == 0 && framing != .length(0)
        switch framing {
        case .length(let length): state = .body(remaining: length)
        case .chunked: state = .chunkSize
        }
        return .advanced
    }

    private mutating func readBody(_ remaining: Int) -> Step {
        guard remaining > 0 else { return complete() }
        return take(remaining) { .body(remaining: $0) }
    }

    private mutating func readChunkSize() throws(HTTPRequestError) -> Step {
        guard
            let line = try takeLine(
                limit: Self.chunkLineLimit,
                HTTPRequestError("A chunk's size line is over \(Self.chunkLineLimit) bytes."))
        else { return .needsMore }
        let digits = line.prefix { $0 != 0x3B && $0 != 0x20 && $0 != 0x09 }
        // A semicolon and a name begin a chunk extension, which is ignored. White space may precede
        // it.
        let rest = line[digits.endIndex...]
        let name = rest.drop { $0 == 0x20 || $0 == 0x09 }
        let isExtension = name.first == 0x3B && name.dropFirst().contains { $0 > 0x20 }
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16),
            rest.isEmpty || isExtension, rest.allSatisfy({ $0 >= 0x20 || $0 == 0x09 })
        else { throw HTTPRequestError("A chunk's size is not a hexadecimal number.") }
        state = size == 0 ? .trailers : .chunk(remaining: size)
        return .advanced
    }

    private mutating func readChunk(_ remaining: Int) -> Step {
        guard remaining > 0 else {
            state = .chunkEnd
            return .advanced
        }
        return take(remaining) { .chunk(remaining: $0) }
    }

    private mutating func readChunkEnd() throws(HTTPRequestError) -> Step {
        let wrongSize = HTTPRequestError("A chunk is not as long as its size says.")
        guard let line = try takeLine(limit: 2, wrongSize) else { return .needsMore }
        guard line.isEmpty else { throw wrongSize }
        state = .chunkSize
        return .advanced
    }

    /// Parses a trailer and drops it, because a `URLRequest` cannot contain trailers.
    ///
    /// - Throws: When the trailer is malformed.
    private mutating func readTrailer() throws(HTTPRequestError) -> Step {
        guard let line = try takeHeaderLine() else { return .needsMore }
        guard !line.isEmpty else { return complete() }
        _ = try ParsedRequest.Field(line: line)
        return .advanced
    }

    /// Moves bytes of a body to the request.
    private mutating func take(_ remaining: Int, then next: (Int) -> State) -> Step {
        let moved = input.move(upTo: remaining, to: &request.body)
        guard moved > 0 else { return .needsMore }
        state = next(remaining - moved)
        return .advanced
    }

    /// Returns the complete request, and prepares for the next one.
    private mutating func complete() -> Step {
        state = .requestLine
        owesContinue = false
        defer { request.body = Data() }
        return .completed(request)
    }

    /// Removes a line of the header section, which has one limit for all of its lines.
    private mutating func takeHeaderLine() throws(HTTPRequestError) -> ArraySlice<UInt8>? {
        let before = input.count
        let line = try takeLine(
            limit: Self.headerLimit - headerSize,
            HTTPRequestError(431, "The header section is over \(Self.headerLimit) bytes."))
        headerSize += before - input.count
        return line
    }

    /// Removes a line, and returns it without its CR LF.
    ///
    /// - Parameters:
    ///   - limit: The longest line, including its CR LF, in bytes.
    ///   - tooLong: The error for a longer line.
    /// - Returns: The line; `nil` if its end has not arrived.
    /// - Throws: `tooLong` as soon as the line is longer than the limit, even if its end has not
    ///   arrived; 400 for a bare LF or a bare CR. RFC 9112 (section 2.2) allows a server to accept
    ///   a bare LF, but this server shows a client its errors.
    private mutating func takeLine(
        limit: Int, _ tooLong: @autoclosure () -> HTTPRequestError
    ) throws(HTTPRequestError) -> ArraySlice<UInt8>? {
        guard let line = input.takeLine() else {
            guard input.count <= limit else { throw tooLong() }
            return nil
        }
        guard line.count <= limit else { throw tooLong() }
        guard line.dropLast().last == 0x0D, !line.dropLast(2).contains(0x0D) else {
            throw HTTPRequestError("A line must end in CR LF, and have no CR within.")
        }
        return line.dropLast(2)
    }
}
