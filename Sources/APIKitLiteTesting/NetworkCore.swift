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
        case later(@Sendable () async throws -> Answer)
        case never
    }

    let journal = Journal()
    private let closure: Closure?
    private let handlers = HandlerPool()
    private let stubs = Locked(StubIndex())
    private let unanswered = Locked<[MockFailure]>([])
    private let carrier = Locked<CarrierClass?>(nil)
    private let cookies = Locked<HTTPCookieStorage?>(nil)

    init(_ closure: Closure?) {
        self.closure = closure
    }

    deinit {
        handlers.close()
        carrier.withLock { $0 }?.giveBack()
    }

    func add(_ stub: Stub) {
        stubs.withLock { $0.add(stub) }
    }

    /// Records a request and decides what becomes of it.
    func receive(_ request: URLRequest) -> (id: Int, next: Next) {
        var record = RecordedRequest(request: request)
        let reading = RequestReading(record)
        // A copy: predicates run below, and may themselves stub or ask.
        let stubs = stubs.withLock { $0 }
        for stub in stubs.candidates(for: reading) {
            guard let captured = stub.matcher.match(reading), let turn = stub.takeTurn() else {
                continue
            }
            record.pathValues = captured
            record.stub = ObjectIdentifier(stub)
            return (journal.append(record), next(for: record, stub, turn))
        }
        let id = journal.append(record)
        if let closure {
            return (id, .later { Answer(try await closure(request), to: request) })
        }
        let failure = MockFailure.unmatched(reading, among: stubs.all)
        unanswered.withLock { $0.append(failure) }
        return (id, .now(.failure(failure)))
    }

    private func next(for record: RecordedRequest, _ stub: Stub, _ turn: Stub.Turn) -> Next {
        if let mistake = stub.mistake {
            return .now(.failure(MockFailure(.brokenStub, "\(mistake) (\(stub.place))")))
        }
        if stub.times == .never {
            let failure = MockFailure.forbidden(record, by: stub)
            return .now(.failure(failure))
        }
        switch turn {
        case .response(let response):
            return Self.next(for: response, to: record.request)
        case .handler(let handler):
            return .later { [self] in
                let response = try await handler(record)
                if let mistake = response.mistake {
                    throw MockFailure(.brokenStub, "\(mistake) (\(stub.place))")
                }
                return try await finish(Self.next(for: response, to: record.request))
            }
        }
    }

    private static func next(for response: MockResponse, to request: URLRequest) -> Next {
        switch response.ending {
        case .complete: .now(.success(response.answer(to: request)))
        case .failure(let error): .now(.failure(error))
        case .never: .never
        }
    }

    /// Goes the rest of the way in the caller's task.
    func finish(_ next: Next) async throws -> Answer {
        switch next {
        case .now(let result): return try result.get()
        case .later(let work): return try await work()
        case .never:
            try await Task.sleep(for: .seconds(Int64.max >> 2))
            throw CancellationError()
        }
    }
}

extension NetworkCore {
    func load(
        _ request: URLRequest, reply: @escaping @Sendable (Result<Answer, any Error>) -> Void
    ) -> Ticket {
        let (id, next) = receive(request)
        switch next {
        case .now(let result):
            reply(result)
        case .never:
            break
        case .later(let work):
            let call = HandlerCall {
                do { reply(.success(try await work())) } catch { reply(.failure(error)) }
            }
            handlers.submit(call)
            return Ticket(journal: journal, id: id, cancelWork: { call.cancel() })
        }
        return Ticket(journal: journal, id: id)
    }

    var cookieStorage: HTTPCookieStorage? {
        cookies.withLock { cookies in
            if cookies == nil { cookies = URLSessionConfiguration.ephemeral.httpCookieStorage }
            return cookies
        }
    }

    /// Whether a cookie may have been kept.
    var hasCookieStorage: Bool { cookies.withLock { $0 != nil } }

    /// The class that intercepts for this network alone.
    var carrierClass: MockURLProtocol.Type {
        carrier.withLock { carrier in
            let leased = carrier ?? CarrierClass.lease(to: self)
            carrier = leased
            return leased.type
        }
    }

    /// Everything that `verify()` has to complain about, in order.
    var findings: [String] {
        let stubs = stubs.withLock { $0.all }
        let broken = stubs.compactMap { stub in stub.mistake.map { "\($0) (\(stub.place))" } }
        let sound = stubs.filter { $0.mistake == nil }
        return broken + unanswered.withLock { $0.map(\.description) } + sound.compactMap(\.finding)
    }
}
