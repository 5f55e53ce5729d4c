import APIKitLite
import Foundation

/// One complete answer to one request: what every carrier delivers.
struct Answer: Sendable {
    /// The response as the client will see it.
    var response: HTTPURLResponse
    /// The body in the pieces it was given in; a client without a data delegate sees it whole.
    var chunks: [Data]

    var body: Data {
        chunks.count == 1 ? chunks[0] : chunks.reduce(into: Data()) { $0.append($1) }
    }
}
