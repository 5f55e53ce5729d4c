import APIKitLite
import Foundation

/// A part of a response: what a client receives at one moment. A response that is complete
/// immediately is a single part.
struct ResponsePart: Sendable {
    /// The status and the headers, and what a transport needs to know about the body.
    struct Head: Sendable {
        let response: HTTPURLResponse
        /// Whether the body is already decoded, despite a `Content-Encoding` header.
        var isDecoded = false
        var isPassedThrough = false
        /// The length of the body that the client expects; nil if the length is unknown.
        var length: Int?
    }

    struct Piece: Sendable {
        let data: Data
        /// Tells a waiting sender when the client has the piece; nil if the sender does not wait.
        var receipt: Receipt?
    }

    var head: Head?
    /// A closure's response that is not HTTP, in place of a head.
    var plainResponse: URLResponse?
    /// The pieces of the body, after the head.
    var pieces: [Piece] = []
    /// The end of the response, or the error with which the request fails; nil if more follows.
    var end: Result<Void, any Error>?

    /// Creates the only part of a response.
    static func complete(_ head: Head, _ body: [Data]) -> ResponsePart {
        ResponsePart(head: head, pieces: body.map { Piece(data: $0) }, end: .success(()))
    }

    static func complete(_ response: HTTPURLResponse, _ body: [Data]) -> ResponsePart {
        let pieces = body.withoutEmpty
        return complete(Head(response: response, length: pieces.byteCount), pieces)
    }

    /// Creates the only part of a response from a closure's result. The part keeps the response
    /// object, unless the response's URL has no host.
    ///
    /// - Throws: ``MockError`` if the response is not an `HTTPURLResponse`, unless the client
    ///   supports other responses.
    static func complete(
        _ given: (URLResponse, Data?), to request: URLRequest, for client: (any Client)?
    ) throws(MockError) -> ResponsePart {
        let (plain, data) = given
        guard var response = plain as? HTTPURLResponse else {
            if client?.supportsOnlyHTTP != false { throw .notHTTP(request) }
            let pieces = [data ?? Data()].withoutEmpty.map { Piece(data: $0) }
            return ResponsePart(plainResponse: plain, pieces: pieces, end: .success(()))
        }
        if response.url?.host() == nil, let url = request.url {
            response = .http(url, response.statusCode, response.headerFields)
        }
        return complete(response, data.map { [$0] } ?? [])
    }

    static func failure(_ error: any Error) -> ResponsePart { ResponsePart(end: .failure(error)) }

    var isEmpty: Bool { head == nil && plainResponse == nil && pieces.isEmpty && end == nil }
    var isLast: Bool { end != nil }
    var body: [Data] { pieces.map(\.data) }
    var receipts: [Receipt] { pieces.compactMap(\.receipt) }

    /// The head, if this part is a complete response.
    var completeHead: Head? { if case .success = end { head } else { nil } }

    /// The error with which the client's request fails; nil if it does not fail.
    var error: (any Error)? {
        if case .failure(let error) = end { error } else { nil }
    }

    /// Appends the next part.
    mutating func append(_ next: ResponsePart) {
        head = head ?? next.head
        plainResponse = plainResponse ?? next.plainResponse
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
        // A test may pass a slice, whose indices need not begin at 0.
        if count == 1, self[0].startIndex == 0 { return self[0] }
        return reduce(into: Data()) { $0.append($1) }
    }
}

extension HTTPURLResponse {
    /// Returns an HTTP/1.1 response.
    static func http(
        _ url: URL, _ status: Int, _ fields: [String: String] = [:]
    ) -> HTTPURLResponse {
        // This failable initializer never returns nil for these arguments (tested, and checked in
        // its source).
        HTTPURLResponse(
            url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)!
    }

    /// Whether this is a redirect. A client that follows it does not read the body.
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
