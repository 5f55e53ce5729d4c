import APIKitLite
import APIKitLiteTesting
import TestSupport

/// Each policy, cancelled or left at each moment of a request: its caller gets a cancellation, and the
/// transfer ends.
@Suite(.limited, .usesSockets) struct PolicyCancellationTests {
    enum Policy: CaseIterable {
        case none, timingOut, retrying, limited, coalescing, authenticated, redirecting
        case intercepting, mapping, observed, all

        func around(_ session: any HTTPSession) -> any HTTPSession {
            let clock = MockClock()
            switch self {
            case .none: return session
            case .timingOut:
                return session.timingOut(after: .seconds(9), idle: .seconds(9), clock: clock)
            case .retrying: return session.retrying(clock: clock)
            case .limited: return session.limited(to: 1)
            case .coalescing: return session.coalescing()
            case .authenticated: return session.authenticated(by: .bearer("token"))
            case .redirecting: return session.redirecting(.sameOrigin)
            case .intercepting: return session.intercepting { try await $1($0) }
            case .mapping:
                return session.intercepting { request, next in
                    let (body, response) = try await next(request)
                    return (body.map { $0 }, response)
                }
            case .observed: return session.observed { _ in }
            case .all: return Self.allCases.dropLast().reduce(session) { $1.around($0) }
            }
        }
    }

    enum Moment: CaseIterable {
        case before, beforeAStream, sending, sendingAStream, reading, left, released
    }

    @Test(arguments: Policy.allCases, Moment.allCases)
    func endsTheTransfer(_ policy: Policy, _ moment: Moment) async throws {
        await forEachRow(Transport.allCases) { transport, comment in
            // This clock stands still.
            let network = MockNetwork(clock: MockClock())
            let handlerHasEnded = Gate()
            network.stub(.get("/hanging")) { _ in
                defer { handlerHasEnded.open() }
                return try await waitForCancellation()
            }
            network.stub(.get("/stream"), .chunks(["a", "b"], every: .seconds(9)))
            let client = try TestClient(transport, network)
            let session = policy.around(client.session)
            let hanging = client.request("hanging")
            let isReading = Gate()

            let isBefore = [.before, .beforeAStream].contains(moment)
            let isSending = [.sending, .sendingAStream].contains(moment)
            let task = Task {
                if isBefore { withUnsafeCurrentTask { $0?.cancel() } }
                switch moment {
                case .before, .sending: _ = try await session.load(hanging, as: Data.self)
                case .beforeAStream, .sendingAStream: _ = try await session.stream(hanging)
                case .reading, .left, .released:
                    let (body, _) = try await session.stream(client.request("stream"))
                    if moment == .released { return }
                    for try await _ in body {
                        if moment == .left { break }
                        isReading.open()
                    }
                }
            }
            if isSending { await network.waitForRequests() }
            if moment == .reading { await isReading.wait() }
            if moment != .left, moment != .released { task.cancel() }

            switch await task.result {
            case .success: #expect(moment == .left || moment == .released, comment)
            case .failure(let error as APIRequestError):
                #expect(moment == .before || moment == .sending, comment)
                #expect(error.stage == .transport, comment)
                #expect(error.isCancellation, comment)
                #expect((error.underlying as? URLError)?.code == .cancelled, comment)
            case .failure(let error): #expect((error as? URLError)?.code == .cancelled, comment)
            }
            if !isBefore { await network.waitForResponses() }
            #expect(network.requests.map(\.wasCancelled) == (isBefore ? [] : [true]), comment)
            // The task of the handler is cancelled too.
            if isSending { await handlerHasEnded.wait() }
        }
    }
}

@Suite(.limited, .usesSockets) struct PolicyRaceTests {
    private let clock = MockClock(patience: .zero)

    @Test func aThousandExchangesEndOnceEach() async throws {
        let arrivals = Locked(0)
        let session = MockURLSession().intercepting { request, _ in
            arrivals.withLock { $0 += 1 }
            if request.url?.path == "/0" { return try makeResponse(to: request, "value") }
            _ = try await waitForCancellation()
            throw TestError()
        }.timingOut(after: .seconds(10), clock: clock)
        let tasks = (0..<1_000).map { number in
            Task { await session.outcome(of: .test("\(number % 3)")) }
        }
        await yieldWhile { arrivals.withLock { $0 } < 1_000 }

        // A response that comes after the timeout is refused.
        for number in stride(from: 0, to: 1_000, by: 3) { _ = await tasks[number].value }
        for number in stride(from: 1, to: 1_000, by: 3) { tasks[number].cancel() }
        await clock.advance(by: .seconds(10))
        let endings: [ExchangeOutcome] = [.body("value"), .error(.cancelled), .error(.timedOut)]
        for (number, task) in tasks.enumerated() {
            #expect(await task.value == endings[number % 3])
        }
    }

    @Test func aCancellationArrivesAtOnce() async throws {
        let (executor, network) = (QueueExecutor(isSerial: true), MockNetwork())
        network.stub(.any, .hanging)
        // On the real clock, whose deadlines wait in another way. It goes on beside busy tests.
        let hour = Duration.seconds(3_600)
        let session = network.timingOut(after: hour).retrying(RetryPolicy(deadline: hour))
            .coalescing().timingOut(after: hour)
        let task = executor.start { await session.outcome(of: .test("a")) }
        await network.waitForRequests(1)
        // Every policy waits.
        await executor.settle()

        task.cancel()
        #expect(network.requests.map(\.wasCancelled) == [true])
        try network.verify()
        #expect(try await task.value == .error(.cancelled))
    }

    @Test func aTimeoutArrivesAtOnce() async throws {
        let (executor, stubborn) = (QueueExecutor(isSerial: true), StubbornSession())
        let session = stubborn.timingOut(after: .seconds(10), clock: clock)
            .retrying(RetryPolicy(maximumAttempts: 1), clock: clock)
        let task = executor.start { await session.outcome(of: .test("a")) }
        await stubborn.arrived.wait()
        await executor.settle()
        let wasCancelled = Locked(false)
        // This runs at the same moment as the timeout, after it.
        _ = clock.schedule(at: clock.now.advanced(by: .seconds(10))) {
            wasCancelled.withLock { $0 = stubborn.wasCancelled.withLock { $0 } }
        }

        await clock.advance(by: .seconds(10))
        #expect(wasCancelled.withLock { $0 })
        #expect(try await task.value == .error(.timedOut))
        stubborn.mayRespond.open()
    }

    @Test func aResponseAtTheTimeoutEndsItOnce() async throws {
        let session = MockURLSession().intercepting { request, _ in
            try await clock.sleep(for: .milliseconds(1))
            return try makeResponse(to: request, "value")
        }.timingOut(after: .milliseconds(1), clock: clock)
        for number in 1...500 {
            let task = Task { await session.outcome(of: .test("a")) }
            await clock.waitForSleepers()
            async let moved: Void = clock.advance(by: .milliseconds(1))
            if number.isMultiple(of: 3) { task.cancel() }
            let ending = await task.value
            await moved
            #expect([.body("value"), .error(.timedOut), .error(.cancelled)].contains(ending))
        }
    }

    @Test func aThousandWaitsAreCancelledOrEnd() async throws {
        let attempts = Locked(0)
        // It responds even in a cancelled task.
        let session = MockURLSession().intercepting { request, _ in
            attempts.next()
            return try makeResponse(to: request, status: 503)
        }.retrying(RetryPolicy(maximumAttempts: 2), clock: clock, random: { 1 })
        let tasks = (0..<1_000).map { _ in Task { await session.outcome(of: .test("a")) } }
        await clock.waitForSleepers(1_000)

        for number in stride(from: 0, to: 1_000, by: 2) { tasks[number].cancel() }
        await clock.advance(by: .milliseconds(500))
        for (number, task) in tasks.enumerated() {
            #expect(await task.value == (number % 2 == 0 ? .error(.cancelled) : .body("")))
        }
        #expect(attempts.withLock { $0 } == 1_500)
    }
}

/// All policies in the documented order, on a server where everything goes wrong now and then.
@Suite(.limited, .usesSockets) struct ChainTests {
    private let clock = MockClock(patience: .zero)
    private let network: MockNetwork
    private let tokens: Credentials<Token>
    private let log: EventLog

    init() {
        let clock = clock
        log = EventLog(clock: clock)
        network = MockNetwork(clock: clock)
        tokens = TokenServer().tokens(.expired)
        let (valid, calls, refreshes) = (Locked(0), Locked(0), Locked(0))

        network.stub(.any, times: .any) { request in
            let number = calls.next()
            let isValid = request.header("Authorization") == "Bearer \(valid.withLock { $0 })"
            guard isValid else { return .status(401) }
            if number.isMultiple(of: 97) { valid.withLock { $0 = -1 } }
            switch number % 11 {
            case 0: return .status(503)
            case 1: return .status(429).header("Retry-After", "3")
            case 2: return .error(.networkConnectionLost)
            case 3: return .text("late").delayed(by: .seconds(40))
            case 4: return .text("value").delayed(by: .seconds(10))
            default: return .text("value")
            }
        }
        network.stub(.post("/token"), times: .any) { _ in
            let number = refreshes.next()
            if number.isMultiple(of: 3) { return .status(503) }
            valid.withLock { $0 = number }
            return .json(encoding: Token(access: "\(number)"))
        }
    }

    /// How many requests have a place in the limit, and how many had one at most.
    private let inProgress = Locked((now: 0, most: 0))

    private func chain(on session: any HTTPSession) -> any HTTPSession {
        session.timingOut(after: .seconds(30), clock: clock)
            .intercepting { [inProgress] request, next in
                inProgress.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                defer { inProgress.withLock { $0.now -= 1 } }
                return try await next(request)
            }
            .limited(to: 6).coalescing().authenticated(by: tokens).retrying(.standard, clock: clock)
            .observed(by: log)
    }

    @Test(arguments: [false, true])
    func endsEachRequestOnce(usesURLSession: Bool) async throws {
        let session = chain(on: usesURLSession ? network.urlSession : network)
        let time = Task { [clock] in
            while !Task.isCancelled {
                await clock.waitForSleepers()
                await clock.advance(by: .milliseconds(500))
            }
        }

        let tasks = (0..<400).map { number in
            Task { await session.outcome(of: .test("\(number % 120)")) }
        }
        var random = SeededGenerator(seed: 1)
        let cancelled = Set((0..<400).filter { _ in Int.random(in: 0..<3, using: &random) == 0 })
        for number in cancelled {
            tasks[number].cancel()
            await Task.yield()
        }
        for (number, task) in tasks.enumerated() {
            let ending = await task.value
            #expect(ending != .error(.cancelled) || cancelled.contains(number))
            #expect(ending != .body("late"))
        }
        time.cancel()

        #expect(inProgress.withLock { $0.most } <= 6)
        let events = Dictionary(grouping: log.events, by: \.id)
        #expect(Set(events.keys) == Set(1...400))
        #expect(events.values.allSatisfy { $0.count == 2 })
    }
}
