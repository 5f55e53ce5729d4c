import Foundation

/// A request on a `LoopbackConnection` that waits for its answer.
struct LoopbackExchange {
    // The first bytes of every answer.
    private static let headStart = Data("HTTP/1.1 ".utf8)
    // The size of a chunk may begin with zeros (RFC 9112, section 7.1). Clients accept 16 digits.
    private static let chunkStart = Data("00000000".utf8)

    /// The number of the request on its connection, by which an event of another one is recognized.
    let number: Int
    /// The request without its body.
    let request: ParsedRequest
    let url: URL
    /// Cancels the request.
    var cancel: @Sendable () -> Void = {}
    /// The answer whose head was sent and whose body follows in pieces.
    private(set) var message: Answer.Message?
    /// Whether the connection regularly checks if the client has closed its socket.
    var isWatched = false
    /// How many bytes of `headStart`, or of `chunkStart` between two pieces, were sent.
    private var sentAhead = 0

    init(number: Int, request: ParsedRequest, url: URL) {
        self.number = number
        self.request = request
        self.url = url
    }

    /// Returns the next byte that can be sent before the rest of the answer; `nil` after the last
    /// one.
    mutating func sendAhead() -> Data? {
        let start = message == nil ? Self.headStart : Self.chunkStart
        guard message?.isChunked != false, sentAhead < start.count else { return nil }
        sentAhead += 1
        return start[sentAhead - 1..<sentAhead]
    }

    /// Returns the part of a head that has not been sent.
    func rest(of head: Data) -> Data { head.dropFirst(sentAhead) }

    /// Keeps the answer whose head is sent now.
    mutating func begin(_ message: Answer.Message) {
        self.message = message
        sentAhead = 0
    }

    /// Returns a piece of the body as it is sent.
    mutating func framed(_ piece: Data) -> [Data] {
        sentAhead = 0
        return message?.framed(piece) ?? []
    }
}
