import APIKitLite
import Foundation

/// What a client receives at one moment: a complete response, or the next part of one.
struct Answer: Sendable {
    /// The status and the headers, and what a transport needs to know about the body.
    struct Head: Sendable {
        let response: HTTPURLResponse
        /// Whether the body is already decoded, despite a `Content-Encoding` header.
        var isDecoded = false
        var isPassedThrough = false
        /// The length of the body that the client expects; nil if it is unknown.
        var length: Int?
    }

    struct Piece: Sendable {
        let data: Data
        /// Tells a waiting sender when the client has the piece; nil if the sender does not wait.
        var receipt: Receipt?
    }

    var head: Head?
    /// The pieces of the body, after the head.
    var pieces: [Piece] = []
    /// The end of the response, or the error with which the request fails; nil if more follows.
    var end: Result<Void, any Error>?

    /// Creates a complete response.
    static func whole(_ head: Head, _ body: [Data]) -> Answer {
        Answer(head: head, pieces: body.map { Piece(data: $0) }, end: .success(()))
    }

    static func whole(_ response: HTTPURLResponse, _ body: [Data]) -> Answer {
        let pieces = body.withoutEmpty
        return whole(Head(response: response, length: pieces.byteCount), pieces)
    }

    /// Creates the answer from a closure's result. The answer keeps the response object, unless the
    /// response's URL has no host.
    ///
    /// - Throws: ``MockError`` with the response if it is not an `HTTPURLResponse`.
    static func whole(
        _ given: (URLResponse, Data?), to request: URLRequest
    ) throws(MockError) -> Answer {
        let (plain, data) = given
        guard var response = plain as? HTTPURLResponse else {
            throw .notHTTP(plain, data, to: request)
        }
        if response.url?.host() == nil, let url = request.url {
            // This failable initializer never returns nil for these arguments (measured, and read
            // in its source).
            response = HTTPURLResponse(
                url: url, statusCode: response.statusCode, httpVersion: "HTTP/1.1",
                headerFields: response.headerFields)!
        }
        return whole(response, data.map { [$0] } ?? [])
    }

    static func failure(_ error: any Error) -> Answer { Answer(end: .failure(error)) }

    var isEmpty: Bool { head == nil && pieces.isEmpty && end == nil }
    var isLast: Bool { end != nil }
    var body: [Data] { pieces.map(\.data) }
    var receipts: [Receipt] { pieces.compactMap(\.receipt) }

    /// The head, if the response is complete.
    var wholeHead: Head? { if case .success = end { head } else { nil } }

    /// The error with which the client's request fails; nil if it does not fail.
    var error: (any Error)? {
        if case .failure(let error) = end { error } else { nil }
    }

    /// Appends the next part.
    mutating func append(_ next: Answer) {
        head = head ?? next.head
        pieces += next.pieces
        end = next.end
    }
}

extension [Data] {
    var byteCount: Int { reduce(0) { $0 + $1.count } }

    /// The nonempty pieces, each with indices that begin at 0.
    var withoutEmpty: [Data] { filter { !$0.isEmpty }.map { [$0].joined } }

    /// All pieces joined, with indices that begin at 0.
    var joined: Data {
        // A test may pass a slice, whose indices do not begin at 0.
        if count == 1, self[0].startIndex == 0 { return self[0] }
        return reduce(into: Data()) { $0.append($1) }
    }
}

extension HTTPURLResponse {
    /// Whether this is a redirect that the client follows without reading the body.
    var isRedirect: Bool {
        (300..<400).contains(statusCode) && value(forHTTPHeaderField: "Location") != nil
    }

    var headerFields: [String: String] {
        allHeaderFields as? [String: String] ?? [:]
    }
}

extension URL {
    static let unnamed = URL(string: "about:blank")!
}
