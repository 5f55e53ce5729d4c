import APIKitLite
import Foundation

/// A complete response: its head, and its body in the pieces that are sent one by one.
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

    let head: Head
    let body: [Data]

    init(_ head: Head, _ body: [Data]) {
        (self.head, self.body) = (head, body)
    }

    init(response: HTTPURLResponse, body: [Data]) {
        let pieces = body.withoutEmpty
        self.init(Head(response: response, length: pieces.byteCount), pieces)
    }

    /// Creates the answer from a closure's result. The answer keeps the response object, unless the
    /// response's URL has no host.
    ///
    /// - Throws: ``MockError`` with the response if it is not an `HTTPURLResponse`.
    init(_ given: (URLResponse, Data?), to request: URLRequest) throws(MockError) {
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
        self.init(response: response, body: data.map { [$0] } ?? [])
    }

    var part: AnswerPart {
        AnswerPart(head: head, pieces: body.map { AnswerPart.Piece(data: $0) }, end: .success(()))
    }
}

/// The part of a response that a client receives at one moment.
struct AnswerPart: Sendable {
    struct Piece: Sendable {
        let data: Data
        /// Tells a waiting sender when the client has the piece; nil if the sender does not wait.
        var receipt: Receipt?
    }

    var head: Answer.Head?
    /// The pieces of the body, after the head.
    var pieces: [Piece] = []
    /// The end of the response, or the error with which the request fails; nil if more follows.
    var end: Result<Void, any Error>?

    static func failure(_ error: any Error) -> AnswerPart { AnswerPart(end: .failure(error)) }

    var isEmpty: Bool { head == nil && pieces.isEmpty && end == nil }
    var isLast: Bool { end != nil }
    var body: [Data] { pieces.map(\.data) }
    var receipts: [Receipt] { pieces.compactMap(\.receipt) }

    /// The complete answer, if this part contains all of it.
    var whole: Answer? {
        guard let head, case .success = end else { return nil }
        return Answer(head, body)
    }

    /// The error with which the client's request fails; nil if it does not fail.
    var error: (any Error)? {
        guard case .failure(let error) = end else { return nil }
        return error is CutHead ? URLError(.networkConnectionLost) : error
    }

    /// Appends the next part.
    mutating func append(_ next: AnswerPart) {
        head = head ?? next.head
        pieces += next.pieces
        end = next.end
    }
}

/// The error for a connection that is lost after this many bytes of the headers.
struct CutHead: Error {
    let head: Answer.Head
    let byteCount: Int
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
