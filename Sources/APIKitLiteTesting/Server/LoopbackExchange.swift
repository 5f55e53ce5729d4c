import Foundation

/// A request on a `LoopbackConnection` that waits for its answer.
struct LoopbackExchange {
    // The first bytes of every answer.
    private static let headStart = Data("HTTP/1.1 ".utf8)

    /// The number of the request on its connection, by which an event of another one is recognized.
    let number: Int
    /// The request without its body.
    let request: ParsedRequest
    let url: URL
    /// Cancels the request.
    var cancel: @Sendable () -> Void = {}
    /// The answer whose head was sent and whose body follows in pieces.
    var message: Answer.Message?
    /// Whether the connection regularly checks if the client has closed its socket.
    var isWatched = false
    /// How many bytes of `headStart` were sent.
    private var sentAhead = 0

    init(number: Int, request: ParsedRequest, url: URL) {
        self.number = number
        self.request = request
        self.url = url
    }

    /// Returns the next byte that can be sent before there is an answer; `nil` after the last one.
    mutating func sendAhead() -> Data? {
        guard message == nil, sentAhead < Self.headStart.count else { return nil }
        sentAhead += 1
        return Self.headStart[sentAhead - 1..<sentAhead]
    }

    /// Returns the part of a head that has not been sent.
    func rest(of head: Data) -> Data { head.dropFirst(sentAhead) }
}
