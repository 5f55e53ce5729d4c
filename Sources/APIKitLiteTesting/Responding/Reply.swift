import APIKitLite
import Foundation

/// The answer to one request: the head, and the events with the time before each.
///
/// A response of a stub holds the reply to any request, and ``completed(for:)`` returns the reply
/// to one of them. A ``ReplyPlayer`` gives it to a transport, in one part or in several.
struct Reply: Sendable {
    /// The status and the headers that a stub names.
    struct Head: Sendable {
        var status = 200
        var fields: [String: String] = [:]
        /// Whether a field names the length.
        var namesLength = false
        /// The URL of the response, if it is not that of the request.
        var url: URL?
        /// Whether the body is decoded although `Content-Encoding` is named.
        var isDecoded = false
    }

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
        case later(WaitReport.Cause, @Sendable () async throws -> Reply)
        /// What a real session answers, which is a `later` event once the request is known.
        case passed(to: any HTTPSession)
        case end
        /// An error. In a response, it comes after so many bytes of the body.
        case failure(any Error, afterBytes: Int = 0)
        /// The end of the connection after so many bytes of the headers.
        case cutHead(afterBytes: Int)
        /// No further event.
        case silence

        /// The error with which the client's request fails; nil for any other event.
        var error: (any Error)? {
            switch self {
            case .failure(let error, _): error
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

    var head = Head()
    /// The response that the client receives; nil before the request is known.
    var response: HTTPURLResponse?
    var isPassedThrough = false
    /// The events in order. The pieces after an event that ends the reply are announced, but not
    /// given.
    var steps = [Step(event: .head), Step(event: .end)]

    /// Creates a reply with a status of 200 and no body.
    init() {}

    init(_ event: Event) {
        steps = [Step(event: event)]
    }

    /// Creates a reply with a body, given immediately.
    init(response: HTTPURLResponse, body: [Data], isDecoded: Bool = false) {
        self.response = response
        head.isDecoded = isDecoded
        self.body = body
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

    /// The steps of a reply that are given now.
    struct Part: Sendable {
        let reply: Reply
        let steps: ArraySlice<Step>

        init(_ reply: Reply, _ steps: ArraySlice<Step>) {
            self.reply = reply
            self.steps = steps
        }

        /// Creates the part that is a whole answer, or an error in place of one.
        init(_ reply: Reply) {
            self.init(reply, reply.isWhole(from: 0) ? reply.steps[...] : reply.steps.prefix(1))
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

    /// The pieces of the body, including those that are only announced.
    ///
    /// If you set them, the times before them remain, and the last one repeats.
    var body: [Data] {
        get { steps.compactMap(\.piece) }
        set {
            let waits = pieceWaits
            let last = waits.dropFirst().last ?? .zero
            setPieces(newValue, after: waits + newValue.dropFirst(waits.count).map { _ in last })
        }
    }

    mutating func setPieces(_ pieces: [Data], after waits: [Duration]) {
        let index = steps.firstIndex { $0.piece != nil } ?? steps.count - 1
        steps.removeAll { $0.piece != nil }
        let pieces = pieces.filter { !$0.isEmpty }.map { [$0].joined }
        steps.insert(
            contentsOf: zip(waits, pieces).map { Step(after: $0, event: .piece($1)) }, at: index)
    }

    /// Whether the pieces of the body follow one by one, and their number is not known.
    var isStreamed: Bool { source != nil }

    var source: ResponseStream.Source? {
        steps.lazy.compactMap { if case .source(let source) = $0.event { source } else { nil } }
            .first
    }

    /// Returns a new stream of a stub for a body that other code sends; nil for any other body.
    func stream(of stub: Stub) -> ResponseStream? {
        source.map { ResponseStream($0, stubStreams: stub.stubStreams) }
    }

    /// Whether the client follows a redirect, and reads no body here.
    var isRedirect: Bool {
        guard let response else { return false }
        return (300..<400).contains(response.statusCode)
            && response.value(forHTTPHeaderField: "Location") != nil
    }
}

// The edits of a response.
extension Reply {
    /// The index of the first step that is not a gate.
    var start: Int { steps.firstIndex { !$0.isGate } ?? 0 }

    /// The time before the first byte.
    var delay: Duration { steps[start].after }

    /// Whether the release of the stub comes before everything else.
    var isHeld: Bool { steps[0].isGate }

    /// Whether the release of the stub comes after the head.
    var isBodyHeld: Bool { steps[start...].contains(where: \.isGate) }

    /// Whether it is a head, a body that the response itself names, and its end.
    var isSound: Bool {
        guard case .head = steps[start].event, case .end = steps.last?.event else { return false }
        return !isStreamed
    }

    var pieceWaits: [Duration] { steps.filter { $0.piece != nil }.map(\.after) }

    mutating func end(with event: Event) {
        steps[steps.count - 1].event = event
    }
}

extension Reply.Step {
    var isGate: Bool { if case .gate = event { true } else { false } }
    fileprivate var isSource: Bool { if case .source = event { true } else { false } }
    fileprivate var piece: Data? { if case .piece(let data, _) = event { data } else { nil } }
}

// The reply of a response, for one request.
extension Reply {
    /// Whether the status allows a body, even an empty one (RFC 9112, section 6.3).
    private var allowsBody: Bool { head.status > 199 && head.status != 204 && head.status != 304 }

    /// Returns the reply that a server would give to a request.
    func completed(for request: URLRequest) -> Reply {
        let start = start
        guard response == nil, case .head = steps[start].event, let last = steps.last else {
            return self
        }
        var reply = self
        let length = body.byteCount
        // How many bytes the announced length exceeds the body by.
        var missing = 0
        switch last.event {
        case .failure(_, let count) where count >= length: missing = max(1, namedLength - length)
        case .silence: missing = max(1, namedLength - length)
        default: break
        }
        reply.response = HTTPURLResponse(
            url: head.url ?? request.url ?? .unnamed, statusCode: head.status,
            httpVersion: "HTTP/1.1", headerFields: fields(for: request, length: length + missing))!
        let hasBody = allowsBody && request.httpMethod != "HEAD"
        if !hasBody { reply.steps.removeAll { $0.piece != nil || $0.isSource } }
        switch last.event {
        case .cutHead:
            // The body remains announced.
            reply.steps[start].event = last.event
        case .failure where !hasBody || reply.isRedirect:
            // Without an announced length, a head alone would be a complete answer over a socket. A
            // client that follows a redirect may not read its body.
            reply.steps[start].event = last.event
        case .failure(_, let count):
            reply.moveEnd(after: count)
            reply.announce(missing)
        case .silence:
            reply.announce(hasBody ? missing : 0)
            reply.dropNeedlessWaits()
        default: reply.dropNeedlessWaits()
        }
        return reply
    }

    /// Returns the reply with the answer of a real session in place of its `passed` event.
    func passedThrough(_ body: HTTPBody, _ response: HTTPURLResponse) -> Reply {
        var reply = self
        reply.response = response
        reply.head.isDecoded = true
        reply.isPassedThrough = true
        reply.steps[start].event = .head
        if body.data == nil { reply.steps.append(Step(event: .source(.body(body)))) }
        reply.steps.append(Step(event: .end))
        if let data = body.data { reply.body = [data] }
        reply.dropNeedlessWaits()
        return reply
    }

    /// Lets nothing wait between the head and a body that the client does not read.
    private mutating func dropNeedlessWaits() {
        let isRedirect = isRedirect
        guard isRedirect || !steps.contains(where: { $0.piece != nil || $0.isSource }) else {
            return
        }
        for index in steps.indices.dropFirst(start + 1).reversed() {
            if isRedirect { steps[index].after = .zero }
            if steps[index].isGate || steps[index].isSource { steps.remove(at: index) }
        }
    }

    /// Moves the last event to the place after a number of bytes of the body.
    private mutating func moveEnd(after count: Int) {
        let end = Step(event: steps.removeLast().event)
        var rest = count
        for (index, step) in steps.enumerated() {
            guard let piece = step.piece else { continue }
            if piece.count > rest {
                let given = Step(after: step.after, event: .piece(piece.prefix(rest)))
                let announced = Step(event: .piece(piece.dropFirst(rest)))
                steps.replaceSubrange(
                    index...index, with: (rest > 0 ? [given] : []) + [end, announced])
                return
            }
            rest -= piece.count
        }
        steps.append(end)
    }

    /// Announces bytes that are not given.
    private mutating func announce(_ count: Int) {
        if count > 0 { steps.append(Step(event: .piece(Data(count: count)))) }
    }

    /// The length that the fields name, which a reply that breaks off keeps; 0 if none. That of an
    /// encoded body is another one.
    private var namedLength: Int {
        let fields = Dictionary(head.fields.map { ($0.lowercased(), $1) }) { $1 }
        guard fields["content-encoding"] == nil else { return 0 }
        // Above, a file would take all memory.
        return fields["content-length"].flatMap(Int.init).map { min($0, 1 << 30) } ?? 0
    }

    /// Returns the headers for a request, with the true length if one is filled in.
    private func fields(for request: URLRequest, length: Int) -> [String: String] {
        // The test names the length of a body that it does not write down, so it is kept.
        let isNamedOnly = request.httpMethod == "HEAD" && length == 0 && head.namesLength
        // A recorded answer without a length was sent without one.
        let hasLength = head.namesLength || body.count < 2 && !head.isDecoded
        var fields = head.fields
        if allowsBody, !isStreamed, !isNamedOnly, hasLength {
            fields = fields.filter { $0.key.lowercased() != "content-length" }
            fields["Content-Length"] = String(length)
        } else if head.namesLength, head.status != 304, !allowsBody || isStreamed {
            fields = fields.filter { $0.key.lowercased() != "content-length" }
        }
        return fields
    }
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
    var headerFields: [String: String] {
        allHeaderFields as? [String: String] ?? [:]
    }
}

extension URL {
    static let unnamed = URL(string: "about:blank")!
}
