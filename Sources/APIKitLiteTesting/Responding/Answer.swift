import APIKitLite
import Foundation

/// One complete answer to one request, in the form that every transport delivers.
struct Answer: Sendable {
    /// The response that the client receives.
    var response: HTTPURLResponse
    /// The body in pieces. A client without a data delegate receives it as a whole.
    var chunks: [Data]
    /// How many bytes the announced length exceeds the body by. If it does, the answer breaks off.
    var missing = 0
    /// Whether a session has already undone the `Content-Encoding` that the response still names.
    var isDecoded = false
    /// Whether the pieces of the body follow one by one, and their number is not known.
    var isStreamed = false

    var body: Data { Answer.join(chunks) }

    /// Returns the whole body, whose indices begin at 0.
    static func join(_ chunks: [Data]) -> Data {
        // A test may give a slice of its data, which has the indices of the whole.
        if chunks.count == 1, chunks[0].startIndex == 0 { return chunks[0] }
        return chunks.reduce(into: Data()) { $0.append($1) }
    }
}

extension Answer {
    /// Creates the answer that a handler returned. It keeps the response object, unless the URL of
    /// that has no host.
    ///
    /// - Throws: ``MockError`` with the response if that is not an `HTTPURLResponse`.
    init(_ given: (URLResponse, Data?), to request: URLRequest) throws(MockError) {
        guard var response = given.0 as? HTTPURLResponse else {
            throw .notHTTP(given.0, given.1, to: request)
        }
        if response.url?.host() == nil, let url = request.url {
            // The initializer can fail, but never does for these arguments (measured, and read in
            // its source).
            response = HTTPURLResponse(
                url: url, statusCode: response.statusCode, httpVersion: "HTTP/1.1",
                headerFields: response.headerFields)!
        }
        self.init(response: response, chunks: given.1.map { [$0] } ?? [])
    }
}

extension HTTPURLResponse {
    var headerFields: [String: String] {
        allHeaderFields as? [String: String] ?? [:]
    }
}

extension URL {
    /// The URL of a response to a request that has none.
    static let unnamed = URL(string: "about:blank")!
}
