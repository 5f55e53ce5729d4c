import APIKitLite
import Foundation

/// The stubs, journal and clock of one network.
///
/// Sessions and configurations keep this object alive, even after their ``MockNetwork`` is
/// released. Its `deinit` returns the protocol class to its pool and empties the journal. Each
/// `Locked` property has its own lock. All other properties are constants.
final class NetworkCore: Responder {
    let replies: ReplySender
    /// Where `withMockNetwork` created the network; nil for any other network. Messages that cannot
    /// name a stub name this place.
    private let sourceLocation: String?
    private struct Answers {
        var groups: [Stub.Group] = []
        /// Answers requests that no stub answers; nil if there is none.
        var handler: Stub.Closure?
        /// The secrets to hide in messages about requests; nil to show everything.
        var redaction: Redaction?
    }

    private let answers = Locked(Answers())
    let unanswered = Locked(UnansweredRequests())
    private let serverPorts = Locked<[ObjectIdentifier: Int]>([:])
    /// Where the network was first verified; nil until then.
    let verified = Locked<String?>(nil)
    private let pooledClass = Locked<PooledProtocolClass?>(nil)
    private let cookies = Locked<HTTPCookieStorage?>(nil)

    init(
        clock: (any Clock<Duration>)?, sourceLocation: String? = nil,
        keeping bodyLimit: SentBody.Limit = .init()
    ) {
        self.sourceLocation = sourceLocation
        let time = NetworkTime(clock)
        replies = ReplySender(
            journal: Journal(keeping: bodyLimit), time: time,
            watch: time.mockClock?.watch ?? HangReporter())
        watch.add(self)
    }

    var journal: Journal { replies.journal }
    var time: NetworkTime { replies.time }
    var watch: HangReporter { replies.watch }

    deinit {
        pooledClass.withLock { $0 }?.giveBack()
        journal.removeAll()
    }

    /// Answers requests that no stub answers; nil if there is none.
    var requestHandler: Stub.Closure? {
        get { answers.withLock { $0 }.handler }
        set { answers.withLock { $0.handler = newValue } }
    }

    func add(
        _ matcher: RequestMatcher, _ source: Stub.ResponseSource, times: Stub.Times,
        sourceLocation: String
    ) -> Stub {
        let stub = makeStub(matcher, source, times: times, sourceLocation: sourceLocation)
        add(Stub.Group([stub]))
        return stub
    }

    func add(_ group: Stub.Group) {
        answers.withLock { $0.groups.append(group) }
    }

    /// Hides secrets in messages about requests.
    func hide(_ redaction: Redaction) {
        answers.withLock { $0.redaction = $0.redaction?.union(redaction) ?? redaction }
    }

    func makeStub(
        _ matcher: RequestMatcher, _ source: Stub.ResponseSource, times: Stub.Times,
        sourceLocation: String, recording: Recording? = nil
    ) -> Stub {
        Stub(
            matcher, source, times: times, sourceLocation: sourceLocation,
            recording: recording, journal: journal, watch: watch, verified: verified.withLock { $0 }
        )
    }

    var stubs: [Stub] { answers.withLock { $0.groups }.flatMap(\.stubs) }

    /// Removes a stub, which `verify()` then no longer checks.
    func remove(_ stub: Stub) {
        answers.withLock { answers in
            let position = answers.groups.firstIndex { $0.stubs.contains { $0 === stub } }
            guard let position else { return }
            answers.groups[position].stubs.removeAll { $0 === stub }
            if answers.groups[position].stubs.isEmpty { answers.groups.remove(at: position) }
        }
    }

    func removeAll() {
        answers.withLock { $0.groups = [] }
    }

    /// Returns the record of a request that is not in the journal yet, and its reply.
    func decide(
        on request: URLRequest, passes: Int = SendContext.passes
    ) -> (record: RecordedRequest, reply: Reply) {
        var record = RecordedRequest(request: request)
        record.passes = passes
        record.startTime = time.now
        let reply = reply(to: &record)
        switch reply {
        case .answer(let answer): record.record(answer)
        case .failure(let error): record.record(error)
        case .later: break
        }
        return (record, reply)
    }

    private func reply(to record: inout RecordedRequest) -> Reply {
        // Copied, because the predicates called below may add stubs or send requests.
        let answers = answers.withLock { $0 }
        record.redaction = answers.redaction
        let reading = RequestReading(record)
        for group in answers.groups.reversed() {
            guard let (stub, next) = group.next(for: reading) else { continue }
            record.pathValues = reading.pathValues
            record.answeringStub = stub
            do {
                return try reply(to: record, stub, next)
            } catch {
                return .failure(error)
            }
        }
        if let handler = answers.handler { return Reply(from: handler, to: record.request) }
        let stubs = answers.groups.flatMap(\.stubs)
        return .failure(fail(.unmatched(reading, among: stubs, of: sourceLocation)))
    }

    private func reply(
        to record: RecordedRequest, _ stub: Stub, _ next: Stub.NextResponse
    ) throws -> Reply {
        if let configurationError = stub.configurationError {
            throw MockError(.brokenStub, "\(configurationError) (\(stub.sourceLocation))")
        }
        if stub.times == .never { throw MockError.forbidden(record, by: stub) }
        switch next {
        case .response(let response):
            if let error = response.configurationError {
                throw MockError(.brokenStub, "\(error) (\(stub.sourceLocation))")
            }
            return try reply(to: record, stub, response)
        case .handler(let handler):
            return .later(.handler) { [self] delivery in
                let response = try await delivery.run(.handler) { try await handler(record) }
                if let error = response.configurationError {
                    throw fail(MockError(.brokenStub, "\(error) (\(stub.sourceLocation))"))
                }
                try await delivery.give(reply(to: record, stub, response))
            }
        case .closure(let closure): return Reply(from: closure, to: record.request)
        case .usedUp(let number, let recording):
            throw fail(.usedUp(record, stub, at: number, of: recording))
        }
    }

    /// Returns the reply for a response. The response may come later from a real session.
    private func reply(
        to record: RecordedRequest, _ stub: Stub, _ response: MockResponse
    ) throws -> Reply {
        var response = response.part(for: record.request)
        if let error = response.lengthError(for: record.request) {
            throw fail(MockError(.brokenStub, "\(error) (\(stub.sourceLocation))"))
        }
        // Without a clock, delays take no time.
        if !time.passes { (response.delay, response.gaps) = (.zero, []) }
        guard case .passthrough(let session) = response.start else {
            return response.reply(to: record.request, of: stub)
        }
        return .later(.session) { [self, response] delivery in
            let (body, answer) = try await delivery.run(.session) {
                try await passOn(record, stub, to: session)
            }
            try await delivery.give(response.reply(passing: body, answer))
        }
    }

    /// Returns the response of a real session.
    ///
    /// - Throws: The session's error, or a ``MockError`` if the request would come back to this
    ///   network.
    private func passOn(
        _ record: RecordedRequest, _ stub: Stub, to session: any HTTPSession
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        // A request over a socket does not say how often it was passed on.
        let comesBack = (session as? URLSession)?.isMocked == false && serves(record.request.url)
        if comesBack || record.passes == redirectLimit {
            throw fail(.passedToItself(record, by: stub))
        }
        return try await SendContext.$passes.withValue(record.passes + 1) {
            try await session.sendPassed(record.request)
        }
    }

    var stubCount: Int { answers.withLock { $0.groups.reduce(0) { $0 + $1.stubs.count } } }

    /// Records a failure for `verify()` and returns it.
    private func fail(_ failure: MockError) -> MockError {
        unanswered.withLock { $0.add(failure) }
        return failure
    }
}

// The steps from a decision to a response.
extension NetworkCore {
    func load(
        _ request: URLRequest, for client: any Client,
        respond: @escaping @Sendable (AnswerPart) -> Void
    ) -> RequestCancellation {
        let (record, reply) = decide(on: request, passes: client.passes)
        return replies.give(reply, to: record, for: client, respond: respond)
    }
}

extension NetworkCore {
    /// The cookies of the network, created on first use.
    var cookieStorage: HTTPCookieStorage? {
        cookies.withLock { cookies in
            if cookies == nil { cookies = URLSessionConfiguration.ephemeral.httpCookieStorage }
            return cookies
        }
    }

    /// Whether the cookie storage exists, and so may contain cookies.
    var hasCookieStorage: Bool { cookies.withLock { $0 != nil } }

    /// Returns whether a URL points to a server of this network.
    func serves(_ url: URL?) -> Bool {
        guard let host = url?.host(), ["127.0.0.1", "localhost", "::1"].contains(host) else {
            return false
        }
        return serverPorts.withLock { $0.values.contains(url?.port ?? 80) }
    }

    func addServer(_ server: LoopbackServer) {
        serverPorts.withLock { $0[ObjectIdentifier(server)] = server.port }
    }

    func removeServer(_ id: ObjectIdentifier) {
        serverPorts.withLock { $0[id] = nil }
    }

    var matchesWithUserCode: Bool { answers.withLock { $0.groups.contains(where: \.hasPredicate) } }

    /// The protocol class that intercepts requests only for this network, taken from the pool on
    /// first use.
    var protocolClass: MockURLProtocol.Type {
        pooledClass.withLock { pooledClass in
            let taken = pooledClass ?? PooledProtocolClass.take(for: self)
            pooledClass = taken
            return taken.type
        }
    }
}

extension URLSession {
    fileprivate var isMocked: Bool {
        configuration.protocolClasses?.contains { $0 is MockURLProtocol.Type } == true
    }
}
