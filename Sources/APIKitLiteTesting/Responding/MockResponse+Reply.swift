import APIKitLite
import Foundation

// The reply of a response, for one request.
extension MockResponse {
    /// Returns the reply that a server would give to a request.
    func reply(to request: URLRequest) -> Reply {
        if let adapting {
            var adapted = adapting(self, request)
            adapted.adapting = nil
            return adapted.reply(to: request)
        }
        switch start {
        case .head: break
        case .failure(let error): return Reply(steps: beginning(.failure(error)))
        // The network asks the real session instead.
        case .silence, .passthrough: return Reply(steps: beginning(.silence))
        }
        let announcedLength = announcedLength
        let response = HTTPURLResponse(
            url: url ?? request.url ?? .unnamed, statusCode: status, httpVersion: "HTTP/1.1",
            headerFields: fields(for: request, length: announcedLength))!
        let hasBody = allowsBody && request.httpMethod != "HEAD"
        let isRead = hasBody && !response.isRedirect
        var body = hasBody ? bodySteps(isRead: isRead) : []
        let end: Reply.Event
        switch ending {
        case .end: end = .end
        case .silence: end = .silence
        case .cutHead(let count):
            return Reply(
                response: response, isDecoded: isDecoded, announcedLength: announcedLength,
                steps: beginning(.cutHead(afterBytes: count)))
        // Without an announced length, a head alone would be a complete answer over a socket. A
        // client that follows a redirect may not read its body.
        case .failure(let error, _) where !isRead: return Reply(steps: beginning(.failure(error)))
        case .failure(let error, let count):
            body = Self.steps(body, upTo: count)
            end = .failure(error)
        }
        let isWhole = if case .end = end { true } else { !hasBody }
        return Reply(
            response: response, isDecoded: isDecoded,
            announcedLength: isWhole ? nil : announcedLength,
            steps: beginning(.head) + gate(isBodyHeld && isRead && !(isWhole && body.isEmpty))
                + body + [.init(event: end)])
    }

    /// Returns the reply with the answer of a real session, after the gates and the delay.
    func reply(passing body: HTTPBody, _ response: HTTPURLResponse) -> Reply {
        let isRead = !response.isRedirect
        let source = isRead ? [Reply.Event.source(.body(body))] : []
        let events = body.data.map { $0.isEmpty ? [] : [.piece([$0].joined)] } ?? source
        return Reply(
            response: response, isDecoded: true, isPassedThrough: true,
            steps: beginning(.head) + gate(isBodyHeld && isRead && !events.isEmpty)
                + (events + [.end]).map { .init(event: $0) })
    }

    private func gate(_ isHeld: Bool) -> [Reply.Step] { isHeld ? [.init(event: .gate)] : [] }

    private func beginning(_ event: Reply.Event) -> [Reply.Step] {
        gate(isHeld) + [.init(after: delay, event: event)]
    }

    /// The pieces at their times, and the code that sends the rest. In a body that the client does
    /// not read, nothing takes time, and no code sends it.
    private func bodySteps(isRead: Bool) -> [Reply.Step] {
        let times = isRead ? pace.times(pieces.count) : pieces.map { _ in .zero }
        let source = isRead ? [source].compactMap(\.self) : []
        return zip(times, pieces).map { .init(after: $0, event: .piece($1)) }
            + source.map { .init(event: .source($0)) }
    }

    /// Returns the steps of the first bytes of a body.
    private static func steps(_ body: [Reply.Step], upTo count: Int) -> [Reply.Step] {
        var rest = count
        return body.compactMap { step in
            guard case .piece(let data, _) = step.event, rest > 0 else { return nil }
            defer { rest -= data.count }
            return .init(after: step.after, event: .piece(data.prefix(rest)))
        }
    }

    /// Whether the status allows a body, even an empty one (RFC 9112, section 6.3).
    private var allowsBody: Bool { status > 199 && status != 204 && status != 304 }

    /// The length of the body. If the response breaks off after its body, it is at least one byte
    /// more, or the length that the test names.
    private var announcedLength: Int {
        let length = pieces.byteCount
        switch ending {
        case .failure(_, let count) where count >= length: break
        case .silence: break
        default: return length
        }
        // The length of an encoded body is another one. Above the limit, a file would take all memory.
        let isEncoded = value(forHeader: "content-encoding") != nil
        let named = isEncoded ? nil : value(forHeader: "content-length").flatMap(Int.init)
        return max(length + 1, min(named ?? 0, 1 << 30))
    }

    /// Returns the headers for a request, with the true length if one is filled in.
    private func fields(for request: URLRequest, length: Int) -> [String: String] {
        let namesLength = value(forHeader: "content-length") != nil
        // The test names the length of a body that it does not write down, so it is kept.
        let isNamedOnly = request.httpMethod == "HEAD" && length == 0 && namesLength
        // A recorded answer without a length was sent without one.
        let hasLength = namesLength || pieces.count < 2 && !isDecoded
        let isFilledIn = allowsBody && source == nil && !isNamedOnly && hasLength
        let isRemoved = namesLength && status != 304 && (!allowsBody || source != nil)
        guard isFilledIn || isRemoved else { return fields }
        var fields = fields
        if namesLength { fields = fields.filter { $0.key.lowercased() != "content-length" } }
        if isFilledIn { fields["Content-Length"] = String(length) }
        return fields
    }
}
