import APIKitLite
import Foundation

/// A complete answer: its head, and the pieces of its body.
struct Answer: Sendable {
    /// The status and the headers, and what a transport must know about the body that follows.
    struct Head: Sendable {
        let response: HTTPURLResponse
        /// Whether the body is decoded although `Content-Encoding` is named.
        var isDecoded = false
        var isPassedThrough = false
        /// The length of the body that the client expects; nil if it is not known.
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

    /// Creates the answer that a closure returned. It keeps the response object, unless the URL of
    /// that has no host.
    ///
    /// - Throws: ``MockError`` with the response if that is not an `HTTPURLResponse`.
    init(_ given: (URLResponse, Data?), to request: URLRequest) throws(MockError) {
        let (plain, data) = given
        guard var response = plain as? HTTPURLResponse else {
            throw .notHTTP(plain, data, to: request)
        }
        if response.url?.host() == nil, let url = request.url {
            // The initializer can fail, but never does for these arguments (measured, and read in
            // its source).
            response = HTTPURLResponse(
                url: url, statusCode: response.statusCode, httpVersion: "HTTP/1.1",
                headerFields: response.headerFields)!
        }
        self.init(response: response, body: data.map { [$0] } ?? [])
    }

    var parts: [AnswerPart] {
        [.head(head)] + body.map { .piece($0) } + [.end]
    }
}

/// A part of an answer, in the order in which a client receives them.
enum AnswerPart: Sendable {
    case head(Answer.Head)
    /// A piece of the body, and the receipt that its sender waits for; nil if none does.
    case piece(Data, Receipt? = nil)
    case end
    /// The error with which the request fails.
    case failure(any Error)

    /// Whether no part follows.
    var isLast: Bool {
        switch self {
        case .head, .piece: false
        case .end, .failure: true
        }
    }
}

/// The connection ends after so many bytes of the headers.
struct CutHead: Error {
    let head: Answer.Head
    let byteCount: Int
}

// The parts that a client receives at one moment.
extension [AnswerPart] {
    var isLast: Bool { last?.isLast ?? false }

    var head: Answer.Head? { if case .head(let head) = first { head } else { nil } }

    /// The complete answer, if these are all of its parts.
    var whole: Answer? {
        guard let head, case .end = last else { return nil }
        return Answer(head, pieces)
    }

    var pieces: [Data] {
        compactMap { if case .piece(let data, _) = $0 { data } else { nil } }
    }

    var receipts: [Receipt] {
        compactMap { if case .piece(_, let receipt) = $0 { receipt } else { nil } }
    }

    /// The error with which the client's request fails; nil if it does not.
    var error: (any Error)? {
        guard case .failure(let error) = last else { return nil }
        return error is CutHead ? URLError(.networkConnectionLost) : error
    }
}

/// The parts of an answer, for a client that waits for the whole of it.
struct CollectedAnswer {
    private var head: Answer.Head?
    private var pieces: [Data] = []

    /// Adds parts. Returns the result if they are the last ones.
    mutating func add(_ parts: [AnswerPart]) -> Result<(Data, HTTPURLResponse), any Error>? {
        head = parts.head ?? head
        pieces += parts.pieces
        if let error = parts.error { return .failure(error) }
        guard parts.isLast, let head else { return nil }
        return .success((pieces.joined, head.response))
    }
}

extension [Data] {
    var byteCount: Int { reduce(0) { $0 + $1.count } }

    /// The pieces that have bytes, each with indices that begin at 0.
    var withoutEmpty: [Data] { filter { !$0.isEmpty }.map { [$0].joined } }

    /// The whole of the pieces, whose indices begin at 0.
    var joined: Data {
        // A test may give a slice of its data, which has the indices of the whole.
        if count == 1, self[0].startIndex == 0 { return self[0] }
        return reduce(into: Data()) { $0.append($1) }
    }
}

extension HTTPURLResponse {
    /// Whether the client follows a redirect, and does not read the body.
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
