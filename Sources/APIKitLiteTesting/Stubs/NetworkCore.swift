import APIKitLite
import Foundation

/// The stubs, journal and clock of one network.
///
/// Sessions and configurations keep this object alive, even after their ``MockNetwork`` is
/// released. Each `Locked` property has its own lock. All other properties are constants.
final class NetworkCore: Sendable {
    /// A closure that responds to requests.
    typealias RequestHandler = @Sendable (URLRequest) async throws -> (URLResponse, Data?)

    let journal: Journal
    let time: NetworkTime
    /// Reports what is waiting on this network and on its `MockClock`, if it has one.
    let watch: HangReporter
    let handlers = Handlers()
    /// Where `withMockNetwork` was called to create the network; nil for any other network. If a
    /// message cannot name a stub, the message names this place.
    private let sourceLocation: String?
    /// Replies to requests to which neither a stub nor the handler responds; nil to fail such
    /// requests.
    private let fallback: (@Sendable (URLRequest) -> Reply)?

    struct Rules {
        var groups: [Stub.Group] = []
        /// The closure for requests to which no stub responds; nil if there is none.
        var handler: RequestHandler?
        /// The secrets to hide in messages about requests; nil to show everything.
        var redaction: Redaction?
    }

    let rules = Locked(Rules())
    let unanswered = Locked(UnansweredRequests())
    private let serverPorts = Locked<[ObjectIdentifier: Int]>([:])
    /// The network's cookie storage; nil before its first use.
    let cookies = Locked<HTTPCookieStorage?>(nil)

    init(
        clock: (any Clock<Duration>)?, sourceLocation: String? = nil,
        keeping bodyLimit: SentBody.Limit = .init(),
        fallback: (@Sendable (URLRequest) -> Reply)? = nil
    ) {
        self.sourceLocation = sourceLocation
        self.fallback = fallback
        journal = Journal(keeping: bodyLimit)
        time = NetworkTime(clock)
        watch = time.mockClock?.watch ?? HangReporter()
        watch.add(self)
    }

    func add(
        _ matcher: RequestMatcher, _ source: Stub.ResponseSource, times: Stub.Times,
        sourceLocation: String
    ) -> Stub {
        let stub = Stub(matcher, source, times: times, sourceLocation: sourceLocation, of: self)
        rules.withLock { $0.groups.append(Stub.Group([stub])) }
        return stub
    }

    /// Hides secrets in messages about requests.
    func hide(_ redaction: Redaction) {
        rules.withLock { $0.redaction = $0.redaction?.union(redaction) ?? redaction }
    }

    var stubs: [Stub] { rules.withLock { $0.groups }.flatMap(\.stubs) }

    /// Removes a stub. `verify()` does not check removed stubs.
    func remove(_ stub: Stub) {
        rules.withLock { rules in
            let position = rules.groups.firstIndex { $0.stubs.contains { $0 === stub } }
            guard let position else { return }
            rules.groups[position].stubs.removeAll { $0 === stub }
            if rules.groups[position].stubs.isEmpty { rules.groups.remove(at: position) }
        }
    }

    /// Returns the record of a request that is not in the journal yet, and the reply to the
    /// request.
    func decide(
        on request: URLRequest, passes: Int
    ) -> (record: RecordedRequest, reply: Reply) {
        var record = RecordedRequest(request: request)
        record.passes = passes
        record.startTime = time.now
        let reply = reply(to: &record)
        if case .now(let part) = reply { record.record(part, at: record.startTime) }
        return (record, reply)
    }

    private func reply(to record: inout RecordedRequest) -> Reply {
        // The rules are copied, because the predicates called below may add stubs or send requests.
        let rules = rules.withLock { $0 }
        record.redaction = rules.redaction
        let reading = RequestReading(record)
        for group in rules.groups.reversed() {
            guard let (stub, next) = group.next(for: reading) else { continue }
            record.pathValues = reading.record.pathValues
            record.stub = stub.number
            return reply(to: record, stub, next)
        }
        if let handler = rules.handler { return Reply(from: handler, to: record.request) }
        if let fallback { return fallback(record.request) }
        let stubs = rules.groups.flatMap(\.stubs)
        return .now(.failure(fail(.unmatched(reading, among: stubs, of: sourceLocation))))
    }

    private func reply(
        to record: RecordedRequest, _ stub: Stub, _ next: Stub.NextResponse
    ) -> Reply {
        if let error = stub.error(stub.configurationError) { return .now(.failure(error)) }
        if stub.times == .never { return .now(.failure(MockError.forbidden(record, by: stub))) }
        switch next {
        case .response(let response):
            if let error = stub.error(response.configurationError) { return .now(.failure(error)) }
            return reply(to: record, stub, response)
        case .handler(let handler):
            return .later(.handler) { [self] delivery in
                let response = try await delivery.run(.handler) { try await handler(record) }
                if let error = stub.error(response.configurationError) { throw fail(error) }
                try await delivery.give(reply(to: record, stub, response))
            }
        case .usedUp(let count, let recording):
            return .now(.failure(fail(.usedUp(record, stub, after: count, of: recording))))
        }
    }

    /// Returns the reply for a stub's response, which may come later from a real session.
    private func reply(
        to record: RecordedRequest, _ stub: Stub, _ response: MockResponse
    ) -> Reply {
        var response = response.part(for: record.request)
        if let error = stub.error(response.lengthError(for: record.request)) {
            return .now(.failure(fail(error)))
        }
        // Without a clock, delays take no time.
        if !time.hasClock { (response.delay, response.gaps) = (.zero, []) }
        guard let session = response.session else {
            return response.waiting(for: response.reply(to: record.request, of: stub), of: stub)
        }
        if record.passes == redirectLimit {
            return .now(.failure(fail(.passedToItself(record, by: stub))))
        }
        return .later(.session) { [response] delivery in
            let (body, received) = try await delivery.run(.session) {
                try await SendContext.$passes.withValue(record.passes + 1) {
                    try await session.sendPassed(record.request)
                }
            }
            let reply = Reply(passing: body, received)
            try await delivery.give(response.waiting(for: reply, of: stub))
        }
    }

    /// Records a failure for `verify()`, and returns the failure.
    private func fail(_ failure: MockError) -> MockError {
        unanswered.withLock { $0.add(failure) }
        return failure
    }
}

extension NetworkCore {
    /// The cookie storage of the network, created on first use.
    var cookieStorage: HTTPCookieStorage? {
        cookies.withLock { cookies in
            if cookies == nil { cookies = URLSessionConfiguration.ephemeral.httpCookieStorage }
            return cookies
        }
    }

    /// Returns whether a URL points to a server of this network.
    func serves(_ url: URL?) -> Bool {
        ["127.0.0.1", "localhost", "::1"].contains(url?.host())
            && serverPorts.withLock { $0.values.contains(url?.port ?? 80) }
    }

    /// Sets the port of one of the network's servers. Pass nil when the server stops.
    func setPort(_ port: Int?, ofServer id: ObjectIdentifier) {
        serverPorts.withLock { $0[id] = port }
    }

    /// Whether matching calls the user's code, which must not run on the loading thread: on Linux,
    /// using a `URLSession` on that thread crashes.
    var matchesWithUserCode: Bool { rules.withLock { $0.groups.contains(where: \.hasPredicate) } }
}
