import APIKitLite
import Foundation

// How a mock response becomes the reply to one request.
extension MockResponse {
    /// Returns the reply that a server would send to a request, without the response's waits.
    func reply(to request: URLRequest, of stub: Stub) -> Reply {
        if case .silence(afterBytes: nil) = ending {
            return .later(.nothing) { try await $0.waitForNothing() }
        }
        let length = length(for: request)
        var fields = fields
        fields["content-length"] = length.map { ("Content-Length", $0) }
        let values = Dictionary(uniqueKeysWithValues: fields.values.map { ($0.name, $0.value) })
        let response = HTTPURLResponse.http(url ?? request.url ?? .unnamed, status, values)
        let head = ResponsePart.Head(
            response: response, isDecoded: isDecoded, length: length.flatMap { Int($0) })
        let hasBody = allowsBody && request.httpMethod != "HEAD"
        let isRead = hasBody && !response.isRedirect
        // A client that follows a redirect might not read the redirect's body.
        if case .failure(let error, let count) = ending, count == nil || !isRead {
            return .now(.failure(error))
        }
        var body = self
        if !hasBody { body.pieces = [] }
        // If the client does not read the body, skip the body's delays and the code that sends the
        // body.
        if !isRead { (body.gaps, body.source) = ([], nil) }
        return body.reply(after: head, of: stub)
    }

    /// Returns the reply with the head and the body.
    private func reply(after head: ResponsePart.Head, of stub: Stub) -> Reply {
        var pieces = pieces
        switch ending {
        case .end: break
        case .failure(_, let count), .silence(let count):
            pieces = Self.pieces(pieces, upTo: count ?? 0)
        }
        let gaps = gaps(pieces.count)
        if case .end = ending, source == nil, gaps.allSatisfy({ $0 == .zero }) {
            return .now(.complete(head, pieces))
        }
        let (reason, stream): (WaitReason, OpenStream?) =
            switch source {
            case .writer: (.writer, nil)
            case .test: (.test, OpenStream(in: stub.streams))
            case nil: (.clock, nil)
            }
        return .later(reason, stream) { [ending, source, pieces] delivery in
            delivery.give(ResponsePart(head: head))
            for (gap, piece) in zip(gaps, pieces) {
                try await delivery.wait(for: gap)
                delivery.give(piece)
            }
            if let stream { try await delivery.giveMessages(of: stream) }
            if case .writer(let write) = source {
                try await delivery.run(.writer) { try await write(delivery.writer) }
            }
            switch ending {
            case .end: break
            case .failure(let error, _): throw error
            case .silence: try await delivery.waitForNothing()
            }
        }
    }

    /// Returns the given reply, preceded by the response's waits: for the stub's release, if the
    /// response is held, and then for the delay, if there is one.
    func waiting(for reply: Reply, of stub: Stub) -> Reply {
        guard isHeld || delay > .zero else { return reply }
        let stream = if case .later(_, let stream, _) = reply { stream } else { nil as OpenStream? }
        return .later(isHeld ? .release : .clock, stream) { [isHeld, delay] delivery in
            if isHeld { try await delivery.waitForRelease(stub.isReleased) }
            try await delivery.wait(for: delay)
            try await delivery.give(reply)
        }
    }

    /// Returns the pieces of a body, cut off after a number of bytes.
    private static func pieces(_ pieces: [Data], upTo count: Int) -> [Data] {
        var rest = count
        return pieces.compactMap { piece in
            defer { rest -= piece.count }
            return rest > 0 ? piece.prefix(rest) : nil
        }
    }

    /// Whether the status allows a body, which may be empty (RFC 9112, section 6.3).
    private var allowsBody: Bool { status > 199 && status != 204 && status != 304 }

    /// The length that the headers declare. If the response breaks off or stalls after its last
    /// piece, this is the length that the test or the recording specifies, but at least one byte
    /// more than all pieces.
    private var announcedLength: Int {
        let length = pieces.byteCount
        switch ending {
        case .failure(_, let count?) where count >= length: break
        case .silence(let count?) where count >= length: break
        default: return length
        }
        // With a `Content-Encoding`, the recorded length is the size of the encoded body.
        let isOther = isDecoded && fields["content-encoding"]?.value != nil
        let ownLength = isOther ? nil : (fields["content-length"]?.value).flatMap { Int($0) }
        // Without this limit, a huge length in a recording could use up all memory.
        return max(length + 1, min(ownLength ?? 0, isDecoded ? 1 << 30 : .max))
    }

    /// Returns the `Content-Length` for a request, or nil if the response has no such header.
    private func length(for request: URLRequest) -> String? {
        let ownLength = fields["content-length"]?.value
        if status == 304 { return ownLength }
        // A replayed response has a length only if the recorded response had a length.
        guard allowsBody, source == nil, !isOpenEnded, ownLength != nil || !isDecoded else {
            return nil
        }
        // For a `HEAD`, a test may omit the body and specify the body's length.
        if request.httpMethod == "HEAD", announcedLength == 0, let ownLength { return ownLength }
        return String(announcedLength)
    }

    /// Returns what is wrong with a `Content-Length` that the test set, or nil if nothing is wrong.
    func lengthError(for request: URLRequest) -> String? {
        guard !isDecoded, let ownLength = fields["content-length"]?.value else { return nil }
        let length = length(for: request)
        if ownLength == length { return nil }
        let none =
            allowsBody ? "a stream has none, unlike .data(_:).chunked(by:)" : "a \(status) has none"
        let reason = length.map { "the length is \($0)" } ?? none
        return
            "The header \"Content-Length\" is \(ownLength.debugDescription), and \(reason). Remove it."
    }

    /// The response without a correct `Content-Length`, so that the body can change. A wrong length
    /// stays, so that an error can report it. A recorded length stays too, because without one, a
    /// replayed response declares no length.
    var withoutLength: MockResponse {
        if isDecoded { return self }
        var response = self
        if fields["content-length"]?.value == "\(pieces.byteCount)" {
            response.fields["content-length"] = nil
        }
        return response
    }
}

extension Reply {
    /// Creates a reply that sends a real session's response.
    init(passing body: HTTPBody, _ response: HTTPURLResponse) {
        let head = ResponsePart.Head(
            response: response, isDecoded: true, isPassedThrough: true, length: body.data?.count)
        if let data = body.data {
            self = .now(.complete(head, [data].withoutEmpty))
        } else {
            self = .later(.session) { delivery in
                delivery.give(ResponsePart(head: head))
                try await delivery.run(.session) {
                    for try await piece in body { try await delivery.send(piece) }
                }
            }
        }
    }

    /// Creates a reply whose response a closure returns.
    init(from closure: @escaping NetworkCore.RequestHandler, to request: URLRequest) {
        self = .later(.handler) { delivery in
            let given = try await delivery.run(.handler) { try await closure(request) }
            try delivery.give(.complete(given, to: request, for: delivery.client))
        }
    }
}
