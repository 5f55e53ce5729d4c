import APIKitLite
import Foundation

/// The stubs of one network and what it has seen.
///
/// Sessions and configurations keep it alive, also after their ``MockNetwork`` is gone; the end of
/// the last of them gives its leasedClass class back.
final class NetworkCore: Responder {
    typealias Closure = @Sendable (URLRequest) async throws -> (HTTPURLResponse, Data?)

    /// How a request that was received goes on.
    enum Resolution: Sendable {
        case now(Result<Answer, any Error>)
        case play(ResponsePlan)
        /// A handler makes the plan, or a session that the request is passed to.
        case later(@Sendable () async throws -> ResponsePlan)
    }

    let journal: Journal
    let time: any NetworkTime
    private let closure: Closure?
    let handlers = HandlerQueue()
    private let stubs = Locked(StubIndex())
    private let unanswered = Locked(UnansweredRequests())
    private let declined = Locked<[RequestMatcher]>([])
    private let serverCount = Locked(0)
    /// Where the network was verified, if it was.
    private let verified = Locked<String?>(nil)
    private let leasedClass = Locked<LeasedProtocolClass?>(nil)
    private let cookies = Locked<HTTPCookieStorage?>(nil)

    init(_ closure: Closure?, clock: (any Clock<Duration>)?) {
        self.closure = closure
        let journal = Journal()
        self.journal = journal
        time = clock.map(makeTime) ?? JumpingTime(activity: journal.count)
    }

    deinit {
        handlers.close()
        leasedClass.withLock { $0 }?.giveBack()
    }

    func add(
        _ matcher: RequestMatcher, _ behavior: Stub.Behavior, times: Stub.Times,
        sourceLocation: String
    ) -> Stub {
        let stub = Stub(
            matcher, behavior, times: times, sourceLocation: sourceLocation, journal: journal,
            verified: verified.withLock { $0 })
        stubs.withLock { $0.add(stub) }
        return stub
    }

    /// Forgets a stub, and what `verify()` would have to say of it.
    func remove(_ stub: Stub) {
        stubs.withLock { $0 = $0.removing(stub) }
    }

    /// Leaves requests to whoever comes after the mock.
    func decline(_ matcher: RequestMatcher, sourceLocation: String) {
        // Foundation asks for it on the loading thread.
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

    /// What becomes of a request that is not in the journal yet.
    struct Decision {
        var record: RecordedRequest
        var passage: Passage
        var resolution: Resolution
    }

    func decide(on request: URLRequest, passage: Passage) -> Decision {
        var record = RecordedRequest(request: request)
        record.startTime = time.now
        let resolution = resolution(for: &record, passage)
        if case .now = resolution { record.endTime = record.startTime }
        return Decision(record: record, passage: passage, resolution: resolution)
    }

    private func resolution(for record: inout RecordedRequest, _ passage: Passage) -> Resolution {
        let reading = RequestReading(record)
        // A copy: predicates run below, and may themselves stub or ask.
        let stubs = stubs.withLock { $0 }
        for stub in stubs.candidates(for: reading) {
            guard let captured = stub.matcher.match(reading), let turn = stub.nextResponse() else {
                continue
            }
            record.pathValues = captured
            record.stub = stub
            return resolution(for: record, passage, stub, turn)
        }
        if let closure {
            let request = record.request
            return .later { ResponsePlan(answer: Answer(try await closure(request), to: request)) }
        }
        return .now(.failure(fail(.unmatched(reading, among: stubs.all))))
    }

    private func resolution(
        for record: RecordedRequest, _ passage: Passage, _ stub: Stub, _ turn: Stub.NextResponse
    ) -> Resolution {
        if let configurationError = stub.configurationError {
            return .now(
                .failure(MockError(.brokenStub, "\(configurationError) (\(stub.sourceLocation))"))
            )
        }
        if stub.times == .never {
            return .now(.failure(MockError.forbidden(record, by: stub)))
        }
        switch turn {
        case .response(let response):
            return resolution(for: record, passage, stub, response.part(for: record.request))
        case .handler(let handler):
            return .later { [self] in
                let response = try await handler(record)
                if let configurationError = response.configurationError {
                    throw fail(
                        MockError(.brokenStub, "\(configurationError) (\(stub.sourceLocation))"))
                }
                return try await plan(
                    for: record, passage, stub, response.part(for: record.request))
            }
        case .usedUp(let count):
            return .now(.failure(fail(.usedUp(record, stub, after: count))))
        }
    }

    private func resolution(
        for record: RecordedRequest, _ passage: Passage, _ stub: Stub, _ response: MockResponse
    ) -> Resolution {
        if case .passed = response.behavior {
            return .later { [self] in try await plan(for: record, passage, stub, response) }
        }
        guard response.isImmediate else {
            return .play(response.plan(for: record.request, gate: stub.gate))
        }
        if case .failure(let error) = response.behavior { return .now(.failure(error)) }
        return .now(.success(response.answer(to: record.request)))
    }

    /// How a response is given; its answer comes from a real session if the request is passed on.
    private func plan(
        for record: RecordedRequest, _ passage: Passage, _ stub: Stub, _ response: MockResponse
    ) async throws -> ResponsePlan {
        var plan = response.plan(for: record.request, gate: stub.gate)
        guard case .passed(let session) = response.behavior else { return plan }
        if passage.contains(stub) { throw fail(.passedToItself(record, by: stub)) }
        let (data, http) = try await passage.passOn(
            record.request, by: stub, over: session, isServed: isServed)
        plan.play(Answer(response: http, chunks: [data], isDecoded: true))
        plan.isPassedThrough = true
        return plan
    }

    var stubCount: Int { stubs.withLock { $0.all.count } }

    /// How many requests nothing answered.
    var unansweredCount: Int { unanswered.withLock { $0.count } }

    /// Keeps a failure for `verify()`.
    private func fail(_ failure: MockError) -> MockError {
        unanswered.withLock { $0.add(failure) }
        return failure
    }

    /// Everything that `verify()` has to complain about, in order.
    ///
    /// - Parameter sourceLocation: Where it is asked for. A stub that is added after that is a mistake.
    func findings(at sourceLocation: String) -> [String] {
        verified.withLock { $0 = $0 ?? sourceLocation }
        let stubs = stubs.withLock { $0.all }
        let broken = stubs.compactMap { stub in
            stub.configurationError.map { "\($0) (\(stub.sourceLocation))" }
        }
        let sound = stubs.filter { $0.configurationError == nil }
        let awaited = journal.awaited
        let limit = UnansweredRequests.limit
        let others = awaited.count - limit
        let rest = others > 0 ? ["and \(others) more requests are still waited for."] : []
        return broken + unanswered.withLock { $0.findings } + sound.compactMap(\.finding)
            + awaited.prefix(limit).map(\.unansweredFinding) + rest
    }
}

extension NetworkCore {
    var cookieStorage: HTTPCookieStorage? {
        cookies.withLock { cookies in
            if cookies == nil { cookies = URLSessionConfiguration.ephemeral.httpCookieStorage }
            return cookies
        }
    }

    /// Whether a cookie may have been kept.
    var hasCookieStorage: Bool { cookies.withLock { $0 != nil } }

    /// Whether a request may come back over a socket.
    var isServed: Bool { serverCount.withLock { $0 > 0 } }

    func addServer() {
        serverCount.withLock { $0 += 1 }
    }

    func removeServer() {
        serverCount.withLock { $0 -= 1 }
    }

    var matchesWithUserCode: Bool { stubs.withLock { $0.hasPredicates } }

    /// The class that intercepts for this network alone.
    var protocolClass: MockURLProtocol.Type {
        leasedClass.withLock { leasedClass in
            let leased = leasedClass ?? LeasedProtocolClass.lease(to: self)
            leasedClass = leased
            return leased.type
        }
    }
}
