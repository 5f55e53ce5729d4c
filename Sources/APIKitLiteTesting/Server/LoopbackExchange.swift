import Foundation

/// A request on a ``LoopbackConnection`` that waits for its answer.
struct LoopbackExchange {
    // What every answer begins with.
    private static let headStart = Data("HTTP/1.1 ".utf8)

    /// Tells a late or a second event from the awaited one.
    let number: Int
    let request: ParsedRequest
    let url: URL
    var cancel: @Sendable () -> Void = {}
    /// An answer whose head was sent, and whose body comes piece by piece.
    var message: Answer.Message?
    /// Whether the client's hang-up would show only if it is looked for.
    var isWatched = false
    private var sentAhead = 0

    init(number: Int, request: ParsedRequest, url: URL) {
        self.number = number
        self.request = request
        self.url = url
    }

    /// The next byte of the head that can be sent before there is an answer.
    mutating func sendAhead() -> Data? {
        guard message == nil, sentAhead < Self.headStart.count else { return nil }
        sentAhead += 1
        return Self.headStart[sentAhead - 1..<sentAhead]
    }

    /// What is left to send of a head.
    func rest(of head: Data) -> Data { head.dropFirst(sentAhead) }
}
