import APIKitLite
import Foundation

/// The stubs of one network and what it has seen.
///
/// Sessions and configurations keep it alive, also after their ``MockNetwork`` is gone; the end of
/// the last of them gives its carrier class back.
final class NetworkCore: AnswerSource {
    typealias Closure = @Sendable (URLRequest) async throws -> (HTTPURLResponse, Data?)

    /// How a request that was received goes on.
    enum Next: Sendable {
        case now(Result<Answer, any Error>)
        case play(Script)
        /// A handler makes the script, or a session that the request is passed to.
        case later(@Sendable () async throws -> Script)
    }

    let journal: Journal
    let time: any NetworkTime
    private let closure: Closure?
    let handlers = HandlerPool()
    private let stubs = Locked(StubIndex())
    private let unanswered = Locked(UnansweredRequests())
    private let declined = Locked<[RequestMatcher]>([])
    private let serverCount = Locked(0)
    /// Where the network was verified, if it was.
    private let verified = Locked<String?>(nil)
    private let carrier = Locked<CarrierClass?>(nil)
    private let cookies = Locked<HTTPCookieStorage?>(nil)

    init(_ closure: Closure?, clock: (any Clock<Duration>)?) {
        self.closure = closure
        let journal = Journal()
        self.journal = journal
        time = clock.map(makeTime) ?? JumpingTime(activity: journal.count)
    }

    deinit {
        handlers.close()
        carrier.withLock { $0 }?.giveBack()
    }

    func add(
        _ matcher: RequestMatcher, _ source: Stub.Source, times: Stub.Times, place: String
    ) -> Stub {
        let stub = Stub(
            matcher, source, times: times, place: place, journal: journal,
            verified: verified.withLock { $0 })
        stubs.withLock { $0.add(stub) }
        return stub
    }

    /// Forgets a stub, and what `verify()` would have to say of it.
    func remove(_ stub: Stub) {
        stubs.withLock { $0 = $0.removing(stub) }
    }

    /// Leaves requests to whoever comes after the mock.
    func decline(_ matcher: RequestMatcher, place: String) {
        // Foundation asks for it on the loading thread.
        let mistake =
            matcher.mistake
            ?? (matcher.hasPredicate ? "A matcher with a predicate cannot decline requests." : nil)
        if let mistake {
            _ = fail(MockFailure(.brokenStub, "\(mistake) (\(place))"))
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
        var next: Next
    }

    func decide(on request: URLRequest, passage: Passage) -> Decision {
        var record = RecordedRequest(request: request)
        record.startTime = time.now
        let next = next(for: &record, passage)
        if case .now = next { record.endTime = record.startTime }
        return Decision(record: record, passage: passage, next: next)
    }

    private func next(for record: inout RecordedRequest, _ passage: Passage) -> Next {
        let reading = RequestReading(record)
        // A copy: predicates run below, and may themselves stub or ask.
        let stubs = stubs.withLock { $0 }
        for stub in stubs.candidates(for: reading) {
            guard let captured = stub.matcher.match(reading), let turn = stub.takeTurn() else {
                continue
            }
            record.pathValues = captured
            record.stub = stub
            return next(for: record, passage, stub, turn)
        }
        if let closure {
            let request = record.request
            return .later { Script(answer: Answer(try await closure(request), to: request)) }
        }
        return .now(.failure(fail(.unmatched(reading, among: stubs.all))))
    }

    private func next(
        for record: RecordedRequest, _ passage: Passage, _ stub: Stub, _ turn: Stub.Turn
    ) -> Next {
        if let mistake = stub.mistake {
            return .now(.failure(MockFailure(.brokenStub, "\(mistake) (\(stub.place))")))
        }
        if stub.times == .never {
            return .now(.failure(MockFailure.forbidden(record, by: stub)))
        }
        switch turn {
        case .response(let response):
            return next(for: record, passage, stub, response.part(for: record.request))
        case .handler(let handler):
            return .later { [self] in
                let response = try await handler(record)
                if let mistake = response.mistake {
                    throw fail(MockFailure(.brokenStub, "\(mistake) (\(stub.place))"))
                }
                return try await script(
                    for: record, passage, stub, response.part(for: record.request))
            }
        case .usedUp(let count):
            return .now(.failure(fail(.usedUp(record, stub, after: count))))
        }
    }

    private func next(
        for record: RecordedRequest, _ passage: Passage, _ stub: Stub, _ response: MockResponse
    ) -> Next {
        if case .passed = response.ending {
            return .later { [self] in try await script(for: record, passage, stub, response) }
        }
        guard response.isImmediate else {
            return .play(response.script(for: record.request, gate: stub.gate))
        }
        if case .failure(let error) = response.ending { return .now(.failure(error)) }
        return .now(.success(response.answer(to: record.request)))
    }

    /// How a response is given; its answer comes from a real session if the request is passed on.
    private func script(
        for record: RecordedRequest, _ passage: Passage, _ stub: Stub, _ response: MockResponse
    ) async throws -> Script {
        var script = response.script(for: record.request, gate: stub.gate)
        guard case .passed(let session) = response.ending else { return script }
        if passage.contains(stub) { throw fail(.passedToItself(record, by: stub)) }
        let (data, http) = try await passage.passOn(
            record.request, by: stub, over: session, isServed: isServed)
        script.play(Answer(response: http, chunks: [data], isDecoded: true))
        script.isPassedThrough = true
        return script
    }

    /// Keeps a failure for `verify()`.
    private func fail(_ failure: MockFailure) -> MockFailure {
        unanswered.withLock { $0.add(failure) }
        return failure
    }

    /// Everything that `verify()` has to complain about, in order.
    ///
    /// - Parameter place: Where it is asked for. A stub that is added after that is a mistake.
    func findings(at place: String) -> [String] {
        verified.withLock { $0 = $0 ?? place }
        let stubs = stubs.withLock { $0.all }
        let broken = stubs.compactMap { stub in stub.mistake.map { "\($0) (\(stub.place))" } }
        let sound = stubs.filter { $0.mistake == nil }
        let awaited = journal.awaited
        let limit = UnansweredRequests.limit
        let others = awaited.count - limit
        let rest = others > 0 ? ["and \(others) more requests are still waited for."] : []
        return broken + unanswered.withLock { $0.findings } + sound.compactMap(\.finding)
            + awaited.prefix(limit).map(\.straggling) + rest
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
    var carrierClass: MockURLProtocol.Type {
        carrier.withLock { carrier in
            let leased = carrier ?? CarrierClass.lease(to: self)
            carrier = leased
            return leased.type
        }
    }
}
