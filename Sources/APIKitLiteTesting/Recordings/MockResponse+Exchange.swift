import APIKitLite
import Foundation

extension MockResponse {
    /// Returns a response with the answer of a recorded exchange: its status, its headers, the pieces
    /// of its body with their recorded gaps, and its end.
    ///
    /// If the client left before the answer ended, the response has no end. A placeholder becomes the
    /// text that the request has in its place.
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
        if exchange.hasPlaceholders {
            response.adapting = { response, request in
                RecordedValues(from: exchange.request, request).filled(response)
            }
        }
        if let error = exchange.error {
            response.behavior = .cut(afterBytes: exchange.body.count, error)
        } else if exchange.wasCancelled {
            response.behavior = .open
        }
        return response
    }
}

extension HTTPArchive.Exchange {
    /// Whether the request or the answer may have a placeholder.
    fileprivate var hasPlaceholders: Bool {
        let fields = [request.allHTTPHeaderFields, response?.headerFields].compactMap(\.self)
        return Placeholder.mayBe(in: request.url?.absoluteString ?? "")
            || fields.contains { $0.values.contains(where: Placeholder.mayBe) }
            || [request.httpBody ?? Data(), body].contains(where: Placeholder.mayBe)
    }
}

extension Pace {
    /// A shorter gap counts as zero: even without a delay, pieces come a few milliseconds apart.
    private static let shortest = Duration.milliseconds(20)

    /// Creates the pace of recorded pieces; nil if they have no gaps. The first piece does not
    /// wait, so a whole answer comes immediately.
    init?(of pieces: [SentPiece]) {
        let times = pieces.map(\.time)
        let waits = zip(times.dropFirst(), times).map { $0 - $1 }
        guard waits.contains(where: { $0 >= Self.shortest }) else { return nil }
        self.init(recorded: [.zero] + waits.map { $0 < Self.shortest ? .zero : $0 })
    }
}
