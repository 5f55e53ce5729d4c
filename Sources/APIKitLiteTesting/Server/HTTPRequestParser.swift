import Foundation

/// Turns the bytes of a connection into requests, in whatever pieces they arrive.
///
/// It does no input or output. `next()` has looked at a request line, a field line or a part of a
/// body at most once when it returns, so a body of 100 MB that arrives byte by byte is still
/// linear work; a body is stored as it arrives, so a false Content-Length costs nothing.
struct HTTPRequestParser {
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

    private enum Step {
        case advanced
        case needsMore
        case completed(ParsedRequest)
    }

    static let requestLineLimit = 16 * 1024
    static let headerLimit = 64 * 1024
    static let chunkLineLimit = 4 * 1024

    private var input = ByteQueue()
    private var state = State.requestLine
    private var request = ParsedRequest(method: "", target: "", minorVersion: 1)
    private var headerSize = 0
    private var owesContinue = false

    /// How many bytes wait to be parsed.
    var pendingBytes: Int { input.count }

    /// Whether a request has begun and is not complete.
    var isInsideRequest: Bool { state != .requestLine || input.count > 0 }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        input.append(bytes)
    }

    /// Takes the next complete request.
    ///
    /// - Returns: `nil` while it needs more bytes.
    /// - Throws: When the bytes are not a request. Nothing after them can be trusted, so every
    ///   later call throws the same.
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

    /// Whether the client must be told to go on. True once per request, and only while nothing of
    /// its body has come: a client that did not wait needs no answer.
    mutating func takeContinue() -> Bool {
        defer { owesContinue = false }
        return owesContinue
    }

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
        // Said at once: a client that speaks TLS would otherwise wait for a line feed forever.
        if let first = input.first, !first.isHTTPTokenCharacter, first != 0x0D {
            throw HTTPRequestError(
                "The request does not begin with a method. (The scheme here is http, not https.)")
        }
        guard
            let line = try takeLine(
                limit: Self.requestLineLimit,
                HTTPRequestError(414, "The request line is over \(Self.requestLineLimit) bytes."))
        else { return .needsMore }
        // Old clients send an empty line after a body (RFC 9112, section 2.2).
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
        // A chunk extension follows a semicolon, perhaps after white space; none is known here.
        let digits = line.prefix { $0 != 0x3B && $0 != 0x20 && $0 != 0x09 }
        let rest = line[digits.endIndex...].drop { $0 == 0x20 || $0 == 0x09 }
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16),
            rest.isEmpty || rest.first == 0x3B, rest.allSatisfy({ $0 >= 0x20 || $0 == 0x09 })
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

    /// Trailers must be well-formed, and are dropped: a `URLRequest` has no place for them.
    private mutating func readTrailer() throws(HTTPRequestError) -> Step {
        guard let line = try takeHeaderLine() else { return .needsMore }
        guard !line.isEmpty else { return complete() }
        _ = try ParsedRequest.Field(line: line)
        return .advanced
    }

    private mutating func take(_ remaining: Int, then next: (Int) -> State) -> Step {
        let moved = input.move(upTo: remaining, to: &request.body)
        guard moved > 0 else { return .needsMore }
        state = next(remaining - moved)
        return .advanced
    }

    private mutating func complete() -> Step {
        state = .requestLine
        owesContinue = false
        defer { request.body = Data() }
        return .completed(request)
    }

    private mutating func takeHeaderLine() throws(HTTPRequestError) -> ArraySlice<UInt8>? {
        let before = input.count
        let line = try takeLine(
            limit: Self.headerLimit - headerSize,
            HTTPRequestError(431, "The header section is over \(Self.headerLimit) bytes."))
        headerSize += before - input.count
        return line
    }

    /// Takes a line without its CR LF.
    ///
    /// - Throws: `tooLong` as soon as the line, with or without its end, is over the limit; 400 for
    ///   a bare LF or a bare CR. RFC 9112 lets a server accept the LF; this one is there to show a
    ///   client its mistakes.
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
