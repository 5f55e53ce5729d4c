import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@Suite(.limited, .usesSockets) struct LimitTests {
    /// How many exchanges are under way, and how many there were at most.
    private struct Traffic {
        var now = 0
        var most = 0
        var total = 0

        mutating func enter() {
            now += 1
            total += 1
            most = max(most, now)
        }
    }

    @Test(arguments: [(4, 4), (1, 1), (0, 1), (-3, 1), (.min, 1)])
    func letsSoManyOutAtATime(_ limit: Int, _ expected: Int) async throws {
        let traffic = Locked(Traffic())
        // The first exchanges wait for each other, so the limit is certainly reached.
        let together = Barrier(expected)
        let network = MockNetwork { _ in
            traffic.withLock { $0.enter() }
            await together.wait()
            await Task.yield()
            traffic.withLock { $0.now -= 1 }
            return (HTTPURLResponse(), nil)
        }
        let session = network.limited(to: limit)

        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask { _ = try await session.exchange(.test("a")) }
            }
            try await group.waitForAll()
        }

        #expect(traffic.withLock { $0.total } == 200)
        #expect(traffic.withLock { $0.most } == expected)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func servesInTheOrderOfArrival() async throws {
        let arrived = Gate()
        let mayAnswer = Gate()
        let network = MockNetwork { request in
            if request.url?.path == "/first" {
                arrived.open()
                await mayAnswer.wait()
            }
            return (HTTPURLResponse(), nil)
        }
        let session = network.limited(to: 1)
        let first = Task { try await session.exchange(.test("first")) }
        await arrived.wait()
        let executor = QueueExecutor(isSerial: true)
        let waiting = (0..<20).map { number in
            executor.start { _ = try await session.exchange(.test("\(number)")) }
        }
        await executor.settle()

        // The others keep their order.
        for number in [0, 7, 19] {
            waiting[number].cancel()
            await #expect(throws: URLError(.cancelled)) { try await waiting[number].value }
        }
        mayAnswer.open()
        let others = (0..<20).filter { ![0, 7, 19].contains($0) }
        for number in others { try await waiting[number].value }
        _ = try await first.value

        #expect(network.requests.map(\.path) == ["/first"] + others.map { "/\($0)" })
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func cancelledWaitersEndAtOnceAndSendNothing() async throws {
        let network = MockNetwork()
        network.stub(.any, .text("ok"), times: .any)
        let held = network.stub(.get("/first"), .text("first").held)
        let session = network.limited(to: 1)
        let first = Task { await session.outcome(of: .test("first")) }
        await held.waitForRequests()

        let executor = QueueExecutor(isSerial: true)
        // No cancelled task stays in the queue.
        let waiting = (0..<1_000).map { _ in
            executor.start { await session.outcome(of: .test("second")) }
        }
        await executor.settle()
        for task in waiting {
            task.cancel()
            #expect(try await task.value == .error(.cancelled))
        }

        #expect(network.requests.count == 1)
        held.release()
        #expect(await first.value == .body("first"))
        #expect(await session.outcome(of: .test("third")) == .body("ok"))
    }

    // A permit that came together with a cancellation must go on to the next.
    @Test func losesNoPlaceUnderCancellation() async throws {
        let traffic = Locked(Traffic())
        let network = MockNetwork { _ in
            await Task.yield()
            return (HTTPURLResponse(), nil)
        }
        // Not in the handler: as on a server, it may run on when its client has gone.
        let session = network.intercepting { request, next in
            traffic.withLock { $0.enter() }
            defer { traffic.withLock { $0.now -= 1 } }
            return try await next(request)
        }.limited(to: 3)

        await withTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                let task = Task { try await session.exchange(.test("\(number)")) }
                group.addTask {
                    if number % 3 != 0 {
                        for _ in 0..<(number % 7) { await Task.yield() }
                        task.cancel()
                    }
                    do {
                        _ = try await task.value
                    } catch {
                        #expect((error as? URLError)?.code == .cancelled)
                    }
                }
            }
        }

        #expect(traffic.withLock { $0.most } <= 3)
        // All three places are still there: these wait for each other inside.
        let together = Barrier(3)
        network.stub(.get("/after")) { _ in
            await together.wait()
            return .text("ok")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask { _ = try await session.exchange(.test("after")) }
            }
            try await group.waitForAll()
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func sendsNothingWhereThePlaceCameTogetherWithACancellation() async throws {
        let mayAnswer = Gate()
        let paths = Locked<[String]>([])
        // It sends every request, even in a cancelled task.
        let session = MockURLSession().intercepting { request, _ in
            paths.withLock { $0.append(request.url!.path) }
            if request.url!.path == "/first" { await mayAnswer.wait() }
            return try answer(to: request)
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
        mayAnswer.open()

        try await first.value
        let error = await #expect(throws: URLError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        _ = try await session.exchange(.test("third"))
        #expect(paths.withLock { $0 } == ["/first", "/third"])
    }

    @Test func givesThePlaceBackAfterAFailure() async throws {
        let network = MockNetwork()
        network.stub(.any, .error(.notConnectedToInternet), .text("ok"))
        let session = network.limited(to: 1)

        await #expect(throws: URLError.self) { try await session.exchange(.test("a")) }
        #expect(try await session.exchange(.test("a")).0.text == "ok")
    }
}
