import APIKitLite
import Foundation

extension MockResponse {
    /// Returns a response with the answer of a recorded exchange: its status, its headers, the pieces
    /// of its body at their recorded times, and its end.
    ///
    /// An answer that its client left does not end. A placeholder becomes what the request has in its
    /// place.
    ///
    /// - Parameter exchange: The exchange.
    public static func exchange(_ exchange: HTTPArchive.Exchange) -> MockResponse {
        guard let recorded = exchange.response else {
            return exchange.wasCancelled ? .hanging : .error(exchange.error?.code ?? .unknown)
        }
        var response = MockResponse()
        response.status = recorded.statusCode
        response.headers = recorded.headerFields
        response.namesLength = recorded.value(forHTTPHeaderField: "Content-Length") != nil
        response.chunks = exchange.pieces.map(\.data)
        response.pace = Pace(of: exchange.pieces)
        response.url = recorded.url == exchange.request.url ? nil : recorded.url
        response.isDecoded = true
        response.adapting = { response, request in
            RecordedValues(from: exchange.request, request).filled(response)
        }
        if let error = exchange.error {
            response.behavior = .cut(afterBytes: exchange.body.count, error)
        } else if exchange.wasCancelled {
            response.behavior = .open
        }
        return response
    }
}

extension Pace {
    /// A wait that is shorter is none. The pieces of one transfer come a few milliseconds apart.
    private static let shortest = Duration.milliseconds(20)

    /// Creates the pace of recorded pieces. The wait for the first one is none, so that a whole
    /// answer comes at once; nil if no piece waits.
    init?(of pieces: [SentPiece]) {
        let times = pieces.map(\.time)
        let waits = zip(times.dropFirst(), times).map { $0 - $1 }
        guard waits.contains(where: { $0 >= Self.shortest }) else { return nil }
        self.init(recorded: [.zero] + waits.map { $0 < Self.shortest ? .zero : $0 })
    }
}
