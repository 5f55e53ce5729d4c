import APIKitLite
import Foundation

/// Stubs that were added together. The last one that matches a request answers it.
struct StubGroup: Sendable {
    let stubs: [Stub]
    /// Whether one of them calls the user's code.
    let hasPredicate: Bool
    /// Returns the stubs that probably match a request, of very many.
    private let probable: @Sendable (RequestReading) -> [Stub]

    init(
        _ stubs: [Stub],
        asking probable: @escaping @Sendable (RequestReading) -> [Stub] = { _ in [] }
    ) {
        self.stubs = stubs
        self.probable = probable
        hasPredicate = stubs.contains { $0.matcher.hasPredicate }
    }

    /// Returns the stub that answers a request, and its response; nil if none does. The captured
    /// path values are in the reading.
    fileprivate func next(for reading: RequestReading) -> (Stub, Stub.NextResponse)? {
        next(of: probable(reading), for: reading) ?? next(of: stubs, for: reading)
    }

    private func next(
        of stubs: [Stub], for reading: RequestReading
    ) -> (Stub, Stub.NextResponse)? {
        for stub in stubs.reversed() {
            if let captured = stub.matcher.match(reading), let next = stub.nextResponse() {
                reading.pathValues = captured
                return (stub, next)
            }
        }
        return nil
    }
}

/// The stubs, the journal and the time of one network.
///
/// Sessions and configurations keep it alive, even after their ``MockNetwork`` is released. Its
/// `deinit` returns the protocol class to its pool. Each `Locked` property has its own lock; all other
/// properties are constants.
final class NetworkCore: Responder {
    let journal: Journal
    let time: any NetworkTime
    /// The secrets that the texts about the network's requests hide.
    let redaction: Redaction
    /// Where `withMockNetwork` made the network; nil for any other. A text without a stub's place
    /// names it.
    private let sourceLocation: String?
    /// A closure directly in a `Locked` would be wrapped once more by each request.
    private struct Handler {
        let answer: Stub.Closure
    }

    private let handler = Locked<Handler?>(nil)
    let handlers = Handlers()
    private let groups = Locked<[StubGroup]>([])
    private let unanswered = Locked(UnansweredRequests())
    private let declined = Locked<[RequestMatcher]>([])
    private let serverPorts = Locked<Set<Int>>([])
    /// Where the network was first verified; nil before that.
    private let verified = Locked<String?>(nil)
    private let pooledClass = Locked<PooledProtocolClass?>(nil)
    private let cookies = Locked<HTTPCookieStorage?>(nil)
    /// Reports what waits for the test.
    let watch: WaitWatch

    init(
        clock: (any Clock<Duration>)?, redaction: Redaction = .standard,
        sourceLocation: String? = nil, keeping bodyLimit: SentBody.Limit = .init()
    ) {
        self.redaction = redaction
        self.sourceLocation = sourceLocation
        let journal = Journal(keeping: bodyLimit)
        self.journal = journal
        time = clock.map(makeTime) ?? JumpingTime(activity: journal.changes)
        watch = time.mockClock?.watch ?? WaitWatch()
        watch.add(self)
    }

    deinit {
        pooledClass.withLock { $0 }?.giveBack()
    }

    /// Answers the requests that no stub answers; nil for none.
    var requestHandler: Stub.Closure? {
        get { handler.withLock { $0 }?.answer }
        set { handler.withLock { $0 = newValue.map { Handler(answer: $0) } } }
    }

    func add(
        _ matcher: RequestMatcher, _ behavior: Stub.Behavior, times: Stub.Times,
        sourceLocation: String
    ) -> Stub {
        let stub = makeStub(matcher, behavior, times: times, sourceLocation: sourceLocation)
        add(StubGroup([stub]))
        return stub
    }

    func add(_ group: StubGroup) {
        groups.withLock { $0.append(group) }
    }

    func makeStub(
        _ matcher: RequestMatcher, _ behavior: Stub.Behavior, times: Stub.Times,
        sourceLocation: String, recording: Recording? = nil
    ) -> Stub {
        Stub(
            matcher, behavior, times: times, sourceLocation: sourceLocation,
            recording: recording, redaction: redaction,
            journal: journal, watch: watch, verified: verified.withLock { $0 })
    }

    private var stubs: [Stub] { groups.withLock { $0 }.flatMap(\.stubs) }

    /// Removes a stub, so that `verify()` no longer checks it.
    func remove(_ stub: Stub) {
        groups.withLock { groups in
            let position = groups.firstIndex { $0.stubs.contains { $0 === stub } }
            guard let position else { return }
            let rest = groups[position].stubs.filter { $0 !== stub }
            // Without the index of an archive, which would still return the stub.
            groups[position...position] = rest.isEmpty ? [] : [StubGroup(rest)]
        }
    }

    /// Leaves matching requests to the next protocol class.
    func decline(_ matcher: RequestMatcher, sourceLocation: String) {
        // `declines(_:)` runs inside `canInit`, on Foundation's loading queue, where user code must
        // not run.
        let configurationError =
            matcher.configurationError
            ?? (matcher.hasPredicate ? "A matcher with a predicate cannot decline requests." : nil)
        if let configurationError {
            _ = fail(MockError(.brokenStub, "\(configurationError) (\(sourceLocation))"))
        } else {
            declined.withLock { $0.append(matcher) }
        }
    }

    func declines(_ request: URLRequest) -> Bool {
        let declined = declined.withLock { $0 }
        guard !declined.isEmpty else { return false }
        let reading = RequestReading(RecordedRequest(request: request))
        return declined.contains { $0.match(reading) != nil }
    }

    /// Returns the record of a request that is not in the journal yet, and the reply to it.
    func decide(on request: URLRequest) -> (record: RecordedRequest, reply: Reply) {
        var record = RecordedRequest(request: request)
        record.redaction = redaction
        record.startTime = time.now
        let reply = reply(to: &record)
        if reply.isImmediate { record.record(reply) }
        return (record, reply)
    }

    private func reply(to record: inout RecordedRequest) -> Reply {
        let reading = RequestReading(record)
        // A copy: the predicates that run below may add stubs or make requests.
        let groups = groups.withLock { $0 }
        for group in groups.reversed() {
            guard let (stub, next) = group.next(for: reading) else { continue }
            record.pathValues = reading.pathValues
            record.stub = stub
            do {
                return try reply(to: record, stub, next)
            } catch {
                return Reply(.failure(error))
            }
        }
        if let requestHandler { return reply(to: record.request, from: requestHandler) }
        return Reply(
            .failure(fail(.unmatched(reading, among: groups.flatMap(\.stubs), of: sourceLocation))))
    }

    private func reply(to request: URLRequest, from closure: @escaping Stub.Closure) -> Reply {
        Reply(.later(.handler) { try Reply(await closure(request), to: request) })
    }

    private func reply(
        to record: RecordedRequest, _ stub: Stub, _ next: Stub.NextResponse
    ) throws -> Reply {
        if let configurationError = stub.configurationError {
            throw MockError(.brokenStub, "\(configurationError) (\(stub.sourceLocation))")
        }
        if stub.times == .never { throw MockError.forbidden(record, by: stub) }
        // Read here: a handler runs with other task-locals.
        let route = PassthroughRoute.current
        switch next {
        case .response(let response): return reply(to: record, route, stub, response)
        case .handler(let handler):
            return Reply(
                .later(.handler) { [self] in
                    let response = try await handler(record)
                    if let error = response.configurationError {
                        throw fail(MockError(.brokenStub, "\(error) (\(stub.sourceLocation))"))
                    }
                    return reply(to: record, route, stub, response)
                })
        case .closure(let closure): return reply(to: record.request, from: closure)
        case .usedUp(let number): throw fail(.usedUp(record, stub, at: number))
        }
    }

    /// Returns the reply of a response, which may be that a real session replies later.
    private func reply(
        to record: RecordedRequest, _ route: PassthroughRoute, _ stub: Stub,
        _ response: MockResponse
    ) -> Reply {
        let reply = response.reply(to: record.request)
        guard case .passed(let session) = reply.steps[reply.start].event else { return reply }
        return Reply(
            .later(.session) { [self] in
                try await passOn(record, route, stub, reply, to: session)
            })
    }

    /// Returns the reply of a real session, with the gates and the delay of the stub's.
    ///
    /// - Throws: The session's error, or a ``MockError`` if the request would return to its stub.
    private func passOn(
        _ record: RecordedRequest, _ route: PassthroughRoute, _ stub: Stub, _ reply: Reply,
        to session: any HTTPSession
    ) async throws -> Reply {
        if route.contains(stub) || session.isReal && serves(record.request.url) {
            throw fail(.passedToItself(record, by: stub))
        }
        let (body, response) = try await route.passOn(record.request, by: stub, over: session)
        return reply.passedThrough(body, response)
    }

    var stubCount: Int { groups.withLock { $0.reduce(0) { $0 + $1.stubs.count } } }

    /// The first errors of requests without an answer, and the number of all.
    var errors: UnansweredRequests { unanswered.withLock { $0 } }

    /// The number of failures that `verify()` reports as requests without an answer.
    var unansweredCount: Int { unanswered.withLock { $0.count } }

    /// Records a failure for `verify()` and returns it.
    private func fail(_ failure: MockError) -> MockError {
        unanswered.withLock { $0.add(failure) }
        return failure
    }

    /// Returns everything that `verify()` reports, in order.
    ///
    /// - Parameter sourceLocation: Where the caller verifies. A stub that is added after the first
    ///   call is a configuration error.
    func findings(at sourceLocation: String) -> [String] {
        verified.withLock { $0 = $0 ?? sourceLocation }
        let stubs = stubs
        let broken = stubs.compactMap { stub in
            stub.configurationError.map { "\($0) (\(stub.sourceLocation))" }
        }
        let sound = stubs.filter { $0.configurationError == nil }
        let misused = sound.filter { $0.recording == nil || !$0.times.isAtLeast }
            .compactMap { stub in stub.finding.map { (stub, $0) } }
        let recorded = Dictionary(grouping: sound.filter { $0.recording != nil }) {
            $0.recording?.noun ?? ""
        }
        let requests = journal.requests
        return broken + unanswered.withLock { $0.findings }
            + recorded.sorted { $0.key < $1.key }.compactMap { Recording.finding(of: $0.value) }
            + first(of: misused, rest: "stubs were used too seldom or too often") {
                $1 + hint(for: $0, requests)
            }
            + first(of: journal.awaited, rest: "requests are still waited for", \.finding)
    }

    /// Returns the texts of the first findings, and the number of the others.
    private func first<T>(of items: [T], rest: String, _ text: (T) -> String) -> [String] {
        let excess = items.count - UnansweredRequests.limit
        let more = excess > 0 ? ["and \(excess) more \(rest)."] : []
        return items.prefix(UnansweredRequests.limit).map(text) + more
    }

    /// Returns a sentence about why no request came to a stub; empty if none is known.
    private func hint(for stub: Stub, _ requests: [RecordedRequest]) -> String {
        if requests.isEmpty { return " \(WaitReport.noRequest)" }
        let taken =
            stub.callCount > 0
            ? nil
            : requests.first { request in
                request.stub != nil && stub.matcher.match(RequestReading(request)) != nil
            }
        guard let taken, let other = taken.stub else { return "" }
        return " A newer stub, at \(other.sourceLocation), answered \(taken)."
    }
}

extension NetworkCore {
    /// The cookies of the network; created on first use.
    var cookieStorage: HTTPCookieStorage? {
        cookies.withLock { cookies in
            if cookies == nil { cookies = URLSessionConfiguration.ephemeral.httpCookieStorage }
            return cookies
        }
    }

    /// Whether the cookie storage exists, so that it may hold a cookie.
    var hasCookieStorage: Bool { cookies.withLock { $0 != nil } }

    /// Whether a URL leads to a server of this network.
    func serves(_ url: URL?) -> Bool {
        guard let host = url?.host(), ["127.0.0.1", "localhost", "::1"].contains(host) else {
            return false
        }
        return serverPorts.withLock { $0.contains(url?.port ?? 80) }
    }

    func addServer(port: Int) {
        serverPorts.withLock { _ = $0.insert(port) }
    }

    func removeServer(port: Int) {
        serverPorts.withLock { _ = $0.remove(port) }
    }

    var matchesWithUserCode: Bool { groups.withLock { $0.contains(where: \.hasPredicate) } }

    /// The protocol class that intercepts for this network alone; taken on first use.
    var protocolClass: MockURLProtocol.Type {
        pooledClass.withLock { pooledClass in
            let taken = pooledClass ?? PooledProtocolClass.take(for: self)
            pooledClass = taken
            return taken.type
        }
    }
}

extension HTTPSession {
    /// Whether it is a `URLSession` that no mock answers.
    fileprivate var isReal: Bool {
        guard let session = self as? URLSession else { return false }
        let classes = session.configuration.protocolClasses ?? []
        return !classes.contains { $0 is MockURLProtocol.Type }
    }
}
