import TestSupport

@Suite(.limited) struct MockClockTests {
    private func sleep(
        on clock: MockClock, _ seconds: Int, then note: @escaping @Sendable () -> Void
    ) -> Task<Void, any Error> {
        Task {
            try await clock.sleep(for: .seconds(seconds))
            note()
        }
    }

    @Test func standsStillUntilItIsMoved() async throws {
        let clock = MockClock()
        let sleeper = sleep(on: clock, 30) {}

        await clock.waitForSleepers()
        await clock.advance(by: .seconds(29))
        #expect(clock.pending == [.seconds(1)])
        #expect(clock.now.offset == .seconds(29))

        await clock.advance(by: .seconds(1))
        try await sleeper.value
        #expect(clock.pending.isEmpty)
    }

    @Test func wakesInTheOrderOfTheDeadlinesEachAtItsOwnMoment() async throws {
        let clock = MockClock(patience: .zero)
        let moments = Recorder<Duration>()
        let sleepers = [3, 1, 2].map { seconds in
            sleep(on: clock, seconds) { moments.append(clock.now.offset) }
        }

        await clock.waitForSleepers(3)
        #expect(clock.pending == [.seconds(1), .seconds(2), .seconds(3)])
        for index in [1, 2, 0] {
            await clock.advance(by: .seconds(1))
            try await sleepers[index].value
        }

        #expect(
            await moments.events { $0 == .seconds(3) } == [.seconds(1), .seconds(2), .seconds(3)])
    }

    // A woken task that sleeps again within the same step is woken in that step.
    @Test(arguments: [TaskPriority.high, .medium, .background])
    func wakesEachOfManySleepsInOneStep(_ priority: TaskPriority) async throws {
        let clock = MockClock(patience: .seconds(60))
        let tasks = (0..<200).map { _ in
            Task(priority: priority) {
                for _ in 0..<10 { try await clock.sleep(for: .seconds(1)) }
                return clock.now.offset
            }
        }
        await clock.waitForSleepers(200)

        await clock.advance(by: .seconds(10))

        #expect(clock.pending.isEmpty)
        for task in tasks { #expect(try await task.value == .seconds(10)) }
    }

    @Test func aDeadlineFiresAtItsMomentAndIsNotCounted() async throws {
        let clock = MockClock(patience: .zero)
        let events = Recorder<Int>()
        let session = MockURLSession().intercepting { _, _ in
            _ = try await waitForCancellation()
            throw TestError()
        }
        let exchanges = [1, 3].map { seconds in
            Task {
                let session = session.timingOut(after: .seconds(seconds), clock: clock)
                _ = await session.outcome(of: .test("a"))
                events.append(seconds)
            }
        }
        let sleeper = sleep(on: clock, 2) { events.append(2) }
        await clock.waitForSleepers()
        await yieldWhile { clock.pendingDeadlines.count < 2 }
        #expect(clock.pending == [.seconds(2)])
        #expect(clock.pendingDeadlines == [.seconds(1), .seconds(3)])

        for second in 1...3 {
            await clock.advance(by: .seconds(1))
            #expect(await events.events { _ in true } == [second])
        }

        for exchange in exchanges { await exchange.value }
        try await sleeper.value
    }

    @Test func aPastDeadlineReturnsAtOnce() async throws {
        let clock = MockClock(patience: .zero)
        await clock.advance(by: .seconds(5))

        try await clock.sleep(until: .init(offset: .seconds(5)))
        try await clock.sleep(for: .seconds(-1))

        await clock.advance(by: .seconds(-3))
        #expect(clock.now.offset == .seconds(5))
    }

    @Test func aCallbackThatIsDueIsCalledAtOnce() {
        let clock = MockClock()
        let count = Locked(0)

        _ = clock.schedule(at: clock.now) { count.withLock { $0 += 1 } }

        #expect(count.withLock { $0 } == 1)
    }

    @Test func aCancelledSleeperThrowsAtOnce() async throws {
        let clock = MockClock()
        let other = sleep(on: clock, 2) {}
        let sleeper = sleep(on: clock, 1) {}
        await clock.waitForSleepers(2)

        sleeper.cancel()

        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.pending == [.seconds(2)])
        await clock.advance(by: .seconds(2))
        try await other.value
    }

    @Test func aCancelledTaskDoesNotSleep() async throws {
        let clock = MockClock()
        let sleeper = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .zero)
        }

        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test func waitsForTheSleeperThatIsMeant() async throws {
        let clock = MockClock(patience: .zero)
        let late = sleep(on: clock, 30) {}
        await clock.waitForSleepers()
        let waiting = Task {
            await clock.waitForSleepers(within: .seconds(1))
            return clock.pending
        }

        let soon = sleep(on: clock, 1) {}

        #expect(await waiting.value == [.seconds(1), .seconds(30)])
        await clock.advanceToNextSleeper()
        try await soon.value
        #expect(clock.now.offset == .seconds(1))
        await clock.advanceToNextSleeper()
        try await late.value
        await clock.advanceToNextSleeper()
        #expect(clock.now.offset == .seconds(30))
    }

    @Test func movesToEverySleeperThatIsDueNext() async {
        let clock = MockClock()
        let sleepers = [1, 2, 1].map { seconds in sleep(on: clock, seconds) {} }
        await clock.waitForSleepers(3)

        await clock.advanceToNextSleeper()

        #expect(clock.pending == [.seconds(1)])
        for sleeper in sleepers {
            sleeper.cancel()
            _ = await sleeper.result
        }
    }

    @Test(arguments: [Int64.max, 500_000_000_000_000])
    func hasAnyPatience(_ seconds: Int64) async throws {
        _ = MockClock(patience: .seconds(-seconds))
        let clock = MockClock(patience: .seconds(seconds))
        let moment = clock.now.advanced(by: .seconds(1))
        let move = Task { await clock.advance(by: .seconds(1)) }
        // The move now waits, as long as the patience lasts, for the client to sleep.
        await yieldWhile { clock.watch.callCount == 0 }

        try await clock.sleep(until: moment)

        await move.value
        #expect(clock.now == moment)
    }

    @Test func cancellingAndMovingAtOnceWakesEachOnce() async {
        let clock = MockClock(patience: .zero)
        for _ in 0..<500 {
            let sleeper = sleep(on: clock, 1) {}
            await clock.waitForSleepers()
            async let moved: Void = clock.advance(by: .seconds(1))
            sleeper.cancel()
            await moved
            _ = await sleeper.result
        }
        #expect(clock.pending.isEmpty)
    }
}
