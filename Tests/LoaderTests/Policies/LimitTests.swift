import APIKitLiteTesting
import TestSupport

@testable import APIKitLite

@Suite(.limited, .usesSockets) struct LimitTests {
    @Test(arguments: [(4, 4), (1, 1), (0, 1), (-3, 1), (.min, 1)])
    func letsSoManyOutAtATime(_ limit: Int, _ expected: Int) async throws {
        let traffic = Locked((now: 0, most: 0))
        // The first exchanges wait for each other, so the limit is certainly reached.
        let together = Barrier(expected)
        let network = MockNetwork { _ in
            traffic.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            await together.wait()
            await Task.yield()
            traffic.withLock { $0.now -= 1 }
            return (HTTPURLResponse(), nil)
        }
        let session = network.limited(to: limit)

        try await concurrently(200) { _ in _ = try await session.exchange(.test("a")) }
        #expect(network.requests.count == 200)
        #expect(traffic.withLock { $0.most } == expected)
    }

    @Test func servesInTheOrderOfArrival() async throws {
        let network = MockNetwork()
        network.stub(.any, .text("ok"), times: .any)
        let held = network.stub(.get("/first"), .text("ok").held)
        let session = network.limited(to: 1)
        async let first = session.outcome(of: .test("first"))
        await held.waitForRequests()
        let waiting = await settledTasks(20) { await session.outcome(of: .test("\($0)")) }

        // The others keep their order.
        for number in [0, 7, 19] {
            waiting[number].cancel()
            #expect(try await waiting[number].value == .error(.cancelled))
        }
        held.release()
        let others = (0..<20).filter { ![0, 7, 19].contains($0) }
        for number in others { #expect(try await waiting[number].value == .body("ok")) }
        #expect(await first == .body("ok"))
        #expect(network.requests.map(\.path) == ["/first"] + others.map { "/\($0)" })
    }

    // A permit that came together with a cancellation must go on to the next.
    @Test func losesNoPlaceUnderCancellation() async throws {
        let traffic = Locked((now: 0, most: 0))
        let network = MockNetwork { _ in
            await Task.yield()
            return (HTTPURLResponse(), nil)
        }
        // Not in the handler: as on a server, it may run on when its client has gone.
        let session = network.intercepting { request, next in
            traffic.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            defer { traffic.withLock { $0.now -= 1 } }
            return try await next(request)
        }.limited(to: 3)

        let outcomes = try await concurrently(1_000) { number in
            let task = Task { await session.outcome(of: .test("\(number)")) }
            if number % 3 != 0 {
                for _ in 0..<(number % 7) { await Task.yield() }
                task.cancel()
            }
            return await task.value
        }

        #expect(Set(outcomes).isSubset(of: [.body(""), .error(.cancelled)]))
        #expect(traffic.withLock { $0.most } <= 3)
        // All three places are still there: these wait for each other inside.
        let together = Barrier(3)
        network.stub(.get("/after")) { _ in
            await together.wait()
            return .text("ok")
        }
        try await concurrently(3) { _ in _ = try await session.exchange(.test("after")) }
    }

    @Test func sendsNothingWhereThePlaceCameTogetherWithACancellation() async throws {
        let (mayRespond, paths) = (Gate(), Locked<[String]>([]))
        // It sends every request, even in a cancelled task.
        let session = MockURLSession().intercepting { request, _ in
            paths.withLock { $0.append(request.url!.path) }
            if request.url!.path == "/first" { await mayRespond.wait() }
            return try makeResponse(to: request)
        }.limited(to: 1)
        let executor = QueueExecutor(isSerial: true)
        let second = Locked<Task<Void, any Error>?>(nil)
        let first = executor.start {
            _ = try await session.exchange(.test("first"))
            // The place is given on by now, and the second has not moved yet: this task has the
            // executor.
            second.withLock { $0 }?.cancel()
        }
        let task = executor.start { _ = try await session.exchange(.test("second")) }
        second.withLock { $0 = task }
        await executor.settle()
        mayRespond.open()

        try await first.value
        await #expect(throws: URLError(.cancelled)) { try await task.value }
        _ = try await session.exchange(.test("third"))
        #expect(paths.withLock { $0 } == ["/first", "/third"])
    }

    /// The server still works on the request that a shared exchange left.
    @Test func aSharedExchangeKeepsAPlaceUntilItEnds() async throws {
        let (stubborn, paths) = (StubbornSession(), Locked<[String]>([]))
        let session = stubborn.intercepting { request, next in
            paths.withLock { $0.append(request.url!.path) }
            return try await next(request)
        }.coalescing().limited(to: 2)
        let executor = QueueExecutor(isSerial: true)
        let tasks = ["shared", "shared", "0", "1"].map { path in
            executor.start { await session.outcome(of: .test(path)) }
        }
        await stubborn.arrived.wait()
        await executor.settle()

        // The other one still needs the exchange.
        tasks[0].cancel()
        #expect(try await tasks[0].value == .error(.cancelled))
        tasks[1].cancel()
        for _ in 0..<3 { await executor.settle() }
        #expect(stubborn.wasCancelled.withLock { $0 })
        #expect(paths.withLock { $0 } == ["/shared", "/0"])
        stubborn.mayRespond.open()

        #expect(try await tasks[1].value == .error(.cancelled))
        for task in tasks[2...] { #expect(try await task.value == .body("late")) }
        #expect(paths.withLock { $0 } == ["/shared", "/0", "/1"])
    }

    /// As a search field leaves them, while no request ends.
    @Test func cancelledRequestsLeaveTheQueue() async throws {
        let semaphore = AsyncSemaphore(1)
        try await semaphore.wait()
        let tasks = await settledTasks(1_000) { _ in try await semaphore.wait() }
        #expect(semaphore.waitingCount == 1_000)

        for task in tasks.dropLast() { task.cancel() }
        #expect(semaphore.waitingCount == 1)
        semaphore.signal()
        try await tasks[999].value
        #expect(semaphore.waitingCount == 0)
        semaphore.signal()
        try await semaphore.wait()
    }
}

/// A whole response may be as large as the limit, and no byte larger, over every session.
@Suite(.limited, .usesSockets) struct BodyLimitTests {
    enum Kind: CaseIterable { case mocked, mockSession, served, closure, pieces }

    enum Setting: CaseIterable { case session, sessionInside, load }

    @Test(arguments: Kind.allCases, Setting.allCases)
    func failsAResponseThatIsLarger(_ kind: Kind, _ setting: Setting) async throws {
        let (session, request, server) = try session(kind, body: String(repeating: "1", count: 10))

        #expect(try await size(of: request, over: session, setting, limit: 10) == 10)
        let error = await #expect(throws: (any Error).self) {
            try await size(of: request, over: session, setting, limit: 9)
        }
        let reason = (error as? APIRequestError)?.underlying ?? error
        #expect(reason as? TransportError == .bodyTooLarge(limit: 9))
        withExtendedLifetime(server) {}
    }

    @Test func theOutermostLimitDecides() async throws {
        let session = FixedSession(Data("0123456789".utf8))
        let limited = session.limitingBodies(to: 1).limitingBodies(to: 10)
        #expect(await limited.outcome(of: .test("a")) == .body("0123456789"))
        await #expect(throws: TransportError.bodyTooLarge(limit: 9)) {
            try await session.limitingBodies(to: 10).limitingBodies(to: 9).exchange(.test("a"))
        }
    }

    @Test func requestsWithOtherLimitsShareNoExchange() async throws {
        let network = MockNetwork()
        let stub = network.stub(.any, .text("0123456789").held)
        let session = network.coalescing()
        let limits = [9, 10, 10, Int.max]
        let loads = await settledTasks(4) { number in
            await session.limitingBodies(to: limits[number]).outcome(of: .test("a"))
        }
        stub.release()

        #expect(try await loads[0].value == .otherError)
        for load in loads.dropFirst() { #expect(try await load.value == .body("0123456789")) }
        #expect(stub.callCount == 3)
    }

    @Test(arguments: Kind.allCases)
    func aStreamHasNoSuchLimit(_ kind: Kind) async throws {
        let (session, request, server) = try session(kind, body: "0123456789")
        let (body, _) = try await session.limitingBodies(to: 9).stream(request)
        #expect(try await body.collect().count == 10)
        withExtendedLifetime(server) {}
    }

    @Test func collectStopsAtItsLimit() async throws {
        let endless = HTTPBody(unfolding: { Data(count: 10) })
        await #expect(throws: TransportError.bodyTooLarge(limit: 25)) {
            try await endless.collect(limit: 25)
        }

        let body = HTTPBody(Data(count: 10))
        #expect(try await body.collect(limit: 10).count == 10)
        await #expect(throws: TransportError.bodyTooLarge(limit: 9)) {
            try await body.collect(limit: 9)
        }
        // In a cancelled task, a body that is too large is as one in pieces.
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            #expect(try await body.collect(limit: 10).count == 10)
            _ = try await body.collect(limit: 9)
        }
        await #expect(throws: URLError(.cancelled)) { try await task.value }
    }

    #if os(Linux)
    @Test func endsATransferThatIsLarger() async throws {
        let server = try LargeServer()

        let session = URLSession(configuration: .withoutProxy).limitingBodies(to: 1 << 20)
        await #expect(throws: TransportError.bodyTooLarge(limit: 1 << 20)) {
            try await session.exchange(URLRequest(url: server.url))
        }
        await server.hasEnded.wait()
    }
    #endif

    private func session(_ kind: Kind, body: String) throws -> (
        any HTTPSession, URLRequest, Any?
    ) {
        let network = MockNetwork()
        network.stub(.any, .text(body), times: .any)
        let request = URLRequest.test("a")
        switch kind {
        case .mocked: return (network.urlSession, request, network)
        case .mockSession: return (network, request, network)
        case .served:
            let server = try network.serve()
            return (URLSession(configuration: .withoutProxy), URLRequest(url: server.url), server)
        case .closure:
            return (ClosureSession { (Data(body.utf8), try makeResponse(to: $0).1) }, request, nil)
        case .pieces:
            return (BodySession { HTTPBody(body.map { Data("\($0)".utf8) }) }, request, nil)
        }
    }

    /// The number of bytes in the body of the response.
    private func size(
        of request: URLRequest, over session: any HTTPSession, _ setting: Setting, limit: Int
    ) async throws -> Int {
        let limited = session.limitingBodies(to: limit)
        switch setting {
        case .session: return try await limited.exchange(request).0.count
        case .sessionInside:
            return try await limited.retrying(clock: MockClock()).exchange(request).0.count
        case .load: return "\(try await limited.load(request, as: Int.self))".count
        }
    }
}
