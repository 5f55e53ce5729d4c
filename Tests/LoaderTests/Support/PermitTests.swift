import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// A place in a limit belongs to the work, also when nobody waits for it any more.
@Suite(.timeLimit(.minutes(5)), .usesSockets) struct PermitTests {
    /// Counts what is on the wire, ignores cancellations, and answers when it may.
    private struct StubbornWire: HTTPSession {
        let now = Locked(0)
        let most = Locked(0)
        let arrivals = Recorder<Int>()
        let mayAnswer = Gate()

        func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            let count = now.withLock { now in
                now += 1
                return now
            }
            most.withLock { $0 = max($0, count) }
            arrivals.append(count)
            defer { now.withLock { $0 -= 1 } }
            await Task { await mayAnswer.wait() }.value
            return try answer(to: request, "late")
        }
    }

    enum Inside: CaseIterable {
        case timeout, retryDeadline, coalescing, all
    }

    private func chain(
        _ inside: Inside, on wire: StubbornWire, _ clock: MockClock
    ) -> any HTTPSession {
        let policy = RetryPolicy(maximumAttempts: 1, deadline: .seconds(20))
        return switch inside {
        case .timeout: wire.timingOut(after: .seconds(10), clock: clock)
        case .retryDeadline: wire.retrying(policy, clock: clock)
        case .coalescing: wire.coalescing()
        case .all:
            wire.timingOut(after: .seconds(10), clock: clock).coalescing()
                .retrying(policy, clock: clock)
        }
    }

    @Test(arguments: Inside.allCases, [false, true])
    func whatIsGivenUpKeepsItsPlace(_ inside: Inside, isCancelled: Bool) async throws {
        // Coalescing has no time limit of its own.
        guard isCancelled || inside != .coalescing else { return }
        let clock = MockClock()
        let wire = StubbornWire()
        let session = chain(inside, on: wire, clock).limited(to: 2)
        let first = (0..<2).map { number in
            Task { await session.outcome(of: .test("\(number)")) }
        }
        _ = await wire.arrivals.events { $0 == 2 }

        if isCancelled {
            for task in first { task.cancel() }
        } else {
            await clock.advance(by: .seconds(20))
        }
        for task in first {
            #expect(await task.value == .error(isCancelled ? .cancelled : .timedOut))
        }
        let later = (2..<40).map { number in
            Task { await session.outcome(of: .test("\(number)")) }
        }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(wire.now.withLock { $0 } == 2)

        wire.mayAnswer.open()
        for task in later { #expect(await task.value == .body("late")) }
        #expect(wire.most.withLock { $0 } == 2)
    }

    @Test func aTaskThatAnInterceptorLeavesBehindHoldsNothing() async throws {
        let end = Gate()
        let session = MockURLSession().intercepting { request, next in
            Task { await end.wait() }
            return try await next.exchange(request)
        }.limited(to: 1)

        for _ in 0..<3 {
            #expect(try await session.exchange(.test("a")).0.text == "{}")
        }

        end.open()
    }

    @Test func aTaskThatOutlivesItsExchangeNeedsAPlaceOfItsOwn() async throws {
        let wire = StubbornWire()
        let chain = Locked<(any HTTPSession)?>(nil)
        let isBack = Gate()
        let leftBehind = Locked<Task<ExchangeOutcome, Never>?>(nil)
        let session = wire.intercepting { request, next in
            guard request.url?.path == "/first" else { return try await next.exchange(request) }
            let task = Task {
                await isBack.wait()
                return await chain.withLock { $0 }!.outcome(of: .test("later"))
            }
            leftBehind.withLock { $0 = task }
            return try answer(to: request)
        }.limited(to: 1)
        chain.withLock { $0 = session }
        _ = try await session.exchange(.test("first"))
        let second = Task { await session.outcome(of: .test("second")) }
        _ = await wire.arrivals.events { $0 == 1 }

        isBack.open()
        for _ in 0..<1_000 { await Task.yield() }
        #expect(wire.now.withLock { $0 } == 1)

        wire.mayAnswer.open()
        #expect(await second.value == .body("late"))
        #expect(await leftBehind.withLock { $0 }?.value == .body("late"))
        #expect(wire.most.withLock { $0 } == 1)
    }
}
