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

        /// Whether no event is given after this one.
        var isLast: Bool {
            switch self {
            case .end, .failure, .cutHead: true
            case .gate, .head, .piece, .source, .later, .passed, .silence: false
            }
        }
    }

    struct Step: Sendable {
        /// The time before the event.
        var after = Duration.zero
        var event: Event
    }

    var head = Head()
    /// The response that the client receives; nil before the request is known.
    var response: HTTPURLResponse?
    /// Whether a real session gave the answer.
    var isPassedThrough = false
    /// The events in order. The pieces after an event that ends the reply are announced, but not
    /// given.
    var steps = [Step(event: .head), Step(event: .end)]

    /// Creates a reply with a status of 200 and no body.
    init() {}

    init(_ steps: [Step]) {
        self.steps = steps
    }

    /// Creates the reply that is a single event.
    init(_ event: Event) {
        steps = [Step(event: event)]
    }

    /// Creates a reply with a body, given immediately.
    init(response: HTTPURLResponse, body: [Data], isDecoded: Bool = false) {
        self.response = response
        head.isDecoded = isDecoded
        steps = [Step(event: .head)] + body.map { Step(event: .piece($0)) } + [Step(event: .end)]
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

        /// The number of bytes of the body.
        var byteCount: Int {
            steps.reduce(0) {
                if case .piece(let data, _) = $1.event { $0 + data.count } else { $0 }
            }
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
    var body: [Data] {
        get {
            steps.compactMap { if case .piece(let data, _) = $0.event { data } else { nil } }
        }
        set {
            let times = steps.filter(\.isPiece).map(\.after)
            let index = steps.firstIndex(where: \.isPiece) ?? steps.count - 1
            steps.removeAll(where: \.isPiece)
            let pieces = newValue.filter { !$0.isEmpty }
            // The same times as before, and then the last one again.
            steps.insert(
                contentsOf: pieces.enumerated().map { number, data in
                    Step(
                        after: number < times.count
                            ? times[number] : times.dropFirst().last ?? .zero,
                        event: .piece(data))
                }, at: index)
        }
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

    /// The time before each piece.
    var pieceWaits: [Duration] { steps.filter(\.isPiece).map(\.after) }

    mutating func setWaits(_ waits: [Duration]) {
        for (index, wait) in zip(steps.indices.filter { steps[$0].isPiece }, waits) {
            steps[index].after = wait
        }
    }

    /// Sets the pieces of the body, and the time before each.
    mutating func setPieces(_ pieces: [Data], after waits: [Duration]) {
        body = pieces
        setWaits(waits)
    }

    mutating func end(with event: Event) {
        steps[steps.count - 1].event = event
    }
}

extension Reply.Step {
    fileprivate var isPiece: Bool { if case .piece = event { true } else { false } }
    var isGate: Bool { if case .gate = event { true } else { false } }
}

// The reply of a response, for one request.
extension Reply {
    /// Whether the answer to a request has a body, even an empty one (RFC 9112, section 6.3).
    private func hasBody(for request: URLRequest) -> Bool {
        request.httpMethod != "HEAD" && head.status != 204 && head.status != 304
            && head.status > 199
    }

    /// Returns the reply that a server would give to a request.
    func completed(for request: URLRequest) -> Reply {
        guard let index = headIndex, let last = steps.last else { return self }
        var reply = self
        let length = body.reduce(0) { $0 + $1.count }
        // How many bytes the announced length exceeds the body by.
        var missing = 0
        switch last.event {
        case .failure(_, let count) where count >= length: missing = 1
        case .silence: missing = 1
        default: break
        }
        reply.response = HTTPURLResponse(
            url: head.url ?? request.url ?? .unnamed, statusCode: head.status,
            httpVersion: "HTTP/1.1", headerFields: fields(for: request, length: length + missing))!
        let hasBody = hasBody(for: request)
        if !hasBody { reply.steps.removeAll { $0.isPiece || $0.isSource } }
        switch last.event {
        case .cutHead:
            // The body remains announced.
            reply.steps[index].event = last.event
        case .failure where !hasBody || reply.isRedirect:
            // Without an announced length, a head alone would be a complete answer over a socket. A
            // client that follows a redirect may not read its body.
            reply.steps[index].event = last.event
        case .failure(_, let count):
            reply.cut(after: count)
            reply.announce(missing)
        case .silence:
            reply.announce(hasBody ? missing : 0)
            reply.dropNeedlessGates()
        default: reply.dropNeedlessGates()
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
        if let data = body.data {
            if !data.isEmpty { reply.steps.append(Step(event: .piece(data))) }
        } else {
            reply.steps.append(Step(event: .source(.body(body))))
        }
        reply.steps.append(Step(event: .end))
        reply.dropNeedlessGates()
        return reply
    }

    /// Lets nothing wait between the head and a body that the client does not read.
    mutating func dropNeedlessGates() {
        guard let index = headIndex else { return }
        let isRedirect = isRedirect
        let isEmpty = !steps.contains { $0.isPiece || $0.isSource }
        guard isRedirect || isEmpty else { return }
        let rest = steps[(index + 1)...].filter { !$0.isGate && !$0.isSource }
        steps.replaceSubrange((index + 1)..., with: rest)
        guard isRedirect, case .end = steps.last?.event else { return }
        for index in (index + 1)..<steps.count { steps[index].after = .zero }
    }

    /// Moves the last event to the place after a number of bytes of the body.
    private mutating func cut(after count: Int) {
        var last = steps.removeLast()
        last.after = .zero
        var end = 0
        for (index, step) in steps.enumerated() {
            guard case .piece(let data, _) = step.event else { continue }
            end += data.count
            guard end > count else { continue }
            let given = data.count - (end - count)
            let rest = Step(event: .piece(data.dropFirst(given)))
            var new = [last, rest]
            if given > 0 {
                new.insert(Step(after: step.after, event: .piece(data.prefix(given))), at: 0)
            }
            return steps.replaceSubrange(index...index, with: new)
        }
        steps.append(last)
    }

    /// Announces bytes that are not given.
    private mutating func announce(_ count: Int) {
        if count > 0 { steps.append(Step(event: .piece(Data(count: count)))) }
    }

    private var headIndex: Int? {
        steps.firstIndex { if case .head = $0.event { true } else { false } }
    }

    /// Returns the headers for a request, with the true length if one is filled in.
    private func fields(for request: URLRequest, length: Int) -> [String: String] {
        let status = head.status
        let isFilled =
            // A recorded answer without a length was sent without one.
            status > 199 && status != 204 && status != 304 && !isStreamed
            && (head.namesLength || steps.count(where: \.isPiece) < 2 && !head.isDecoded)
            // The test names the length of a body that it does not write down, so it is kept.
            && !(request.httpMethod == "HEAD" && length == 0 && head.namesLength)
        guard isFilled || status == 204 || status < 200 || isStreamed else { return head.fields }
        var fields = head.fields
        if head.namesLength { fields = fields.filter { $0.key.lowercased() != "content-length" } }
        if isFilled { fields["Content-Length"] = String(length) }
        return fields
    }
}

extension Reply.Step {
    fileprivate var isSource: Bool { if case .source = event { true } else { false } }
}

extension [Data] {
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
    /// The URL of a response to a request that has none.
    static let unnamed = URL(string: "about:blank")!
}
