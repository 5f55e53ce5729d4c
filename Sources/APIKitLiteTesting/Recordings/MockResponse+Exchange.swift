import APIKitLite
import Foundation

extension MockResponse {
    /// Returns the response of a recorded exchange: its status, its headers, the pieces of its body
    /// with the recorded gaps of at least 20 ms, and its end.
    ///
    /// If the client left before the recorded response ended, the replayed response does not end.
    ///
    /// - Parameter exchange: The exchange.
    public static func exchange(_ exchange: HTTPArchive.Exchange) -> MockResponse {
        guard let recorded = exchange.response else {
            return exchange.wasCancelled ? .hanging : .error(exchange.error?.code ?? .unknown)
        }
        var response = MockResponse()
        response.configurationError = exchange.loss()
        response.status = recorded.statusCode
        // The framing headers of the recorded connection are kept, because the client saw them.
        response = recorded.headerFields.reduce(response) { $0.setting($1.key, $1.value) }
        response.url = recorded.url == exchange.request.url ? nil : recorded.url
        response.isDecoded = true
        response.pieces = exchange.pieces.map(\.data).withoutEmpty
        // The first piece has no delay, so a response in one piece arrives immediately.
        let times = exchange.pieces.map(\.time)
        response.gaps =
            [.zero]
            + zip(times.dropFirst(), times).map { time, last in
                // Even pieces that a server sends without a delay arrive a few milliseconds apart.
                time - last < .milliseconds(20) ? .zero : time - last
            }
        if let error = exchange.error {
            response.ending = .failure(error, afterBytes: exchange.body.count)
        } else if exchange.wasCancelled {
            response.ending = .silence(afterBytes: .max)
        }
        return response
    }
}
