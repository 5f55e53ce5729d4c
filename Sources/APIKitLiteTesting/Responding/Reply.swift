import APIKitLite
import Foundation

/// The answer to one request: a response, and the events with the time before each.
///
/// A `MockResponse` makes it for the request. A ``ReplyPlayer`` gives it to a transport, in one part
/// or in several.
struct Reply: Sendable {
    enum Event: Sendable {
        /// The release of the stub. Nothing happens before.
        case gate
        /// The status and the headers.
        case head
        /// A piece of the body, and what is told that the client has taken it.
        case piece(Data, ResponseStream.Posted? = nil)
        /// Pieces, an end or an error that other code sends.
        case source(ResponseStream.Source)
        /// A reply in place of this event and those after it, made by a handler or a real session.
        case later(WaitCause, @Sendable () async throws -> Reply)
        case end
        case failure(any Error)
        /// The end of the connection after so many bytes of the headers.
        case cutHead(afterBytes: Int)
        /// No further event.
        case silence

        /// The error with which the client's request fails; nil for any other event.
        var error: (any Error)? {
            switch self {
            case .failure(let error): error
            case .cutHead: URLError(.networkConnectionLost)
            default: nil
            }
        }

        /// Whether no event is given after this one.
        var isLast: Bool { if case .end = self { true } else { error != nil } }
    }

    struct Step: Sendable {
        var after = Duration.zero
        var event: Event
    }

    /// The response that the client receives; nil if it receives none, or a later event makes it.
    var response: HTTPURLResponse?
    /// Whether the body is decoded although `Content-Encoding` is named.
    var isDecoded = false
    var isPassedThrough = false
    /// The length of the body that the client expects, although the reply breaks off before; nil if
    /// the whole body is given.
    var announcedLength: Int?
    var steps: [Step]

    /// The steps of a reply that are given now.
    struct Part: Sendable {
        let reply: Reply
        let steps: ArraySlice<Step>

        init(_ reply: Reply, _ steps: ArraySlice<Step>) {
            self.reply = reply
            self.steps = steps
        }

        /// Creates the part that begins with a step: the whole answer if it takes no time, otherwise
        /// that step.
        init(_ reply: Reply, from index: Int = 0) {
            let steps = reply.steps[index...]
            self.init(reply, reply.isWhole(from: index) ? steps : steps.prefix(1))
        }

        init(_ error: any Error) {
            self.init(Reply(.failure(error)))
        }

        /// Whether it is the whole answer; false for an error.
        var isWhole: Bool {
            guard case .head = steps.first?.event, case .end = steps.last?.event else {
                return false
            }
            return true
        }

        var isLast: Bool { steps.last?.event.isLast ?? false }

        var pieces: [Data] { steps.compactMap(\.piece) }

        /// Adds the pieces to those of earlier parts. Returns the result of the whole reply if this
        /// is the last part.
        func result(
            collecting pieces: inout [Data]
        ) -> Result<(Data, HTTPURLResponse), any Error>? {
            pieces += self.pieces
            guard let last = steps.last?.event, last.isLast else { return nil }
            if let error = last.error { return .failure(error) }
            return reply.response.map { .success((pieces.joined, $0)) }
        }
    }

    /// Whether it is a whole answer, or an error in place of one, and takes no time.
    var isImmediate: Bool {
        if case .failure = steps[0].event { return steps[0].after == .zero }
        return steps[0].after == .zero && isWhole(from: 0)
    }

    /// Whether the rest of the steps is the head, a body and its end, without time between them.
    func isWhole(from index: Int) -> Bool {
        guard case .head = steps[index].event else { return false }
        for step in steps[(index + 1)...] {
            guard step.after == .zero else { return false }
            switch step.event {
            case .piece: continue
            case .end: return true
            default: return false
            }
        }
        return false
    }

    /// The pieces of the body that the reply gives itself.
    var body: [Data] { steps.compactMap(\.piece) }

    /// Whether the pieces of the body follow one by one, and their number is not known.
    var isStreamed: Bool { source != nil }

    var source: ResponseStream.Source? {
        steps.lazy.compactMap { if case .source(let source) = $0.event { source } else { nil } }
            .first
    }

    /// Returns a new stream of a stub for a body that other code sends; nil for any other body.
    func stream(of stub: Stub) -> ResponseStream? {
        source.map { ResponseStream($0, of: self, stubStreams: stub.stubStreams) }
    }

}

extension Reply {
    /// Creates a reply of one event.
    init(_ event: Event) {
        self.init(steps: [Step(event: event)])
    }

    /// Creates a reply with a body, given immediately.
    init(response: HTTPURLResponse, body: [Data]) {
        let pieces = body.filter { !$0.isEmpty }.map { Event.piece([$0].joined) }
        self.init(response: response, steps: ([.head] + pieces + [.end]).map { Step(event: $0) })
    }

    /// Creates the reply that a closure returned. It keeps the response object, unless the URL of
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

    /// Creates the reply that a closure is going to return.
    init(from closure: @escaping Stub.Closure, to request: URLRequest) {
        self.init(.later(.handler) { try Reply(await closure(request), to: request) })
    }
}

extension Reply.Step {
    fileprivate var piece: Data? { if case .piece(let data, _) = event { data } else { nil } }
}

extension [Data] {
    var byteCount: Int { reduce(0) { $0 + $1.count } }

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
