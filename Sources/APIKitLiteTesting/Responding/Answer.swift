import APIKitLite
import Foundation

/// One complete answer to one request: what every carrier delivers.
struct Answer: Sendable {
    /// The response as the client will see it.
    var response: HTTPURLResponse
    /// The body in the pieces it was given in; a client without a data delegate sees it whole.
    var chunks: [Data]
    /// How many bytes more the response announces: it is going to break off.
    var missing = 0
    /// Whether a session has undone the `Content-Encoding` that the response still names.
    var isDecoded = false

    var body: Data { Answer.join(chunks) }

    static func join(_ chunks: [Data]) -> Data {
        chunks.count == 1 ? chunks[0] : chunks.reduce(into: Data()) { $0.append($1) }
    }
}

extension Answer {
    /// What a handler gave: the same response object, unless it has no real URL.
    init(_ given: (HTTPURLResponse, Data?), to request: URLRequest) {
        var (response, data) = given
        if response.url?.host() == nil, let url = request.url {
            // Foundation allows these arguments to fail, but never does (measured, read).
            response = HTTPURLResponse(
                url: url, statusCode: response.statusCode, httpVersion: "HTTP/1.1",
                headerFields: response.headerFields)!
        }
        self.init(response: response, chunks: data.map { [$0] } ?? [])
    }
}

extension HTTPURLResponse {
    var headerFields: [String: String] {
        allHeaderFields as? [String: String] ?? [:]
    }
}

extension URL {
    /// Stands in where a request or a response has no URL at all.
    static let unnamed = URL(string: "about:blank")!
}
