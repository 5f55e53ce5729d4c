import TestSupport

@testable import APIKitLiteTesting

/// A test that moves the clock in a loop of a hundred seconds, and waits for nothing in between.
@Suite(.limited, .usesSockets) struct AdvanceLoopTests {
    enum App: CaseIterable, Sendable {
        case retries, polls, pollsSlowly, pollsHandler, pollsTwice, timesOut, reconnects, reads
    }

    private static let policy = RetryPolicy(
        maximumAttempts: 8, baseDelay: .seconds(10), maximumDelay: .seconds(10), deadline: nil)

    /// The responses that an app receives, and the moments of its requests in seconds.
    private static func plan(for app: App) -> (responses: [MockResponse], moments: [Int]) {
        let text = MockResponse.text("x")
        return switch app {
        case .retries: ([.status(503), .status(503), text], [0, 10, 20])
        case .polls: ([text], Array(stride(from: 0, to: 100, by: 3)))
        case .pollsSlowly, .pollsHandler:
            ([text.delayed(by: .seconds(1))], Array(stride(from: 0, to: 100, by: 3)))
        case .pollsTwice:
            ([text.delayed(by: .seconds(1))], stride(from: 3, to: 100, by: 3).flatMap { [$0, $0] })
        case .timesOut: ([.hanging, .hanging, text], [0, 15, 30])
        case .reconnects: ([.events(["a"]), .events(["b"]), .status(204)], [0, 10, 20])
        case .reads:
            ([.events(["a", "b", "c", "d"], every: .seconds(10)), .status(204)], [0, 40])
        }
    }

    private static func run(_ app: App, _ client: TestClient, _ clock: MockClock) async throws {
        let (session, request) = (client.session, client.request())
        switch app {
        case .retries:
            let session = session.retrying(policy, clock: clock, random: { 1 })
            _ = try await session.exchange(request)
        case .polls, .pollsSlowly, .pollsHandler:
            while true {
                _ = try await session.exchange(request)
                try await clock.sleep(for: .seconds(app == .polls ? 3 : 2))
            }
        case .pollsTwice:
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...2 {
                    group.addTask {
                        try await clock.sleep(for: .seconds(3))
                        while true {
                            _ = try await session.exchange(request)
                            try await clock.sleep(for: .seconds(2))
                        }
                    }
                }
                try await group.waitForAll()
            }
        case .timesOut:
            let session = session.timingOut(after: .seconds(5), clock: clock)
                .retrying(policy, clock: clock, random: { 1 })
            _ = try await session.exchange(request)
        case .reconnects, .reads:
            let session = session.timingOut(after: .seconds(5), idle: .seconds(15), clock: clock)
            let events = session.events(request, reconnecting: policy, clock: clock, random: { 1 })
            for try await _ in events {}
        }
    }

    /// In two cases, the clock cannot see over a socket when the app waits again: after the pieces of
    /// a stream, and after the timeout of a response that no client awaits. It then waits for its
    /// patience, which is too short on a busy machine.
    private static let cases = Transport.allCases.flatMap { transport in
        App.allCases.filter { transport != .loopback || ![.reads, .timesOut].contains($0) }
            .map { (transport, $0) }
    }

    @Test(arguments: cases)
    func neverOutrunsTheApp(_ transport: Transport, _ app: App) async throws {
        let clock = MockClock(patience: .seconds(60))
        let client = try TestClient(transport, MockNetwork(clock: clock))
        let (responses, moments) = Self.plan(for: app)
        let last = responses[responses.count - 1]
        if app == .pollsHandler {
            client.network.stub(.any) { _ in last }
        } else {
            client.network.stub(.any, last, times: .any)
        }
        for response in responses.dropLast().reversed() {
            client.network.stub(.any, response, times: .once)
        }
        // The clock would wait for an app that has ended until its patience ends. So the app sleeps.
        let running = Task {
            do {
                try await Self.run(app, client, clock)
                try await clock.sleep(for: .seconds(1_000))
            } catch {
                if !Task.isCancelled { Issue.record(error) }
            }
        }
        defer { running.cancel() }

        if app == .pollsTwice { await clock.waitForSleepers(2) }
        for _ in 1...100 { await clock.advance(by: .seconds(1)) }

        #expect(client.network.requests.map { Int($0.startTime.components.seconds) } == moments)
    }

    /// The client and the test share the main actor.
    @MainActor @Test func advancesOnTheMainActor() async throws {
        let clock = MockClock(patience: .seconds(60))
        let network = MockNetwork(.text("x").delayed(by: .seconds(1)), clock: clock)
        let polling = Task { @MainActor in
            for _ in 0..<20 {
                _ = try await network.exchange(.test("a"))
                try await clock.sleep(for: .seconds(2))
            }
        }

        for _ in 1...60 { await clock.advance(by: .seconds(1)) }

        try await polling.value
        #expect(network.requests.map(\.startTime) == (0..<20).map { .seconds(3 * $0) })
    }

    /// The handler's own request has no response while it moves the clock, which waits for nobody.
    @Test func advancesInAHandler() async throws {
        let clock = MockClock(patience: .seconds(1_000))
        let network = MockNetwork(clock: clock)
        network.stub(.any) { _ in
            for _ in 1...30 { await clock.advance(by: .seconds(1)) }
            return .text("x").delayed(by: .seconds(1))
        }
        let load = Task { try await network.exchange(.test("a")).0.text }

        await clock.waitForSleepers()
        await clock.advance(by: .seconds(1))

        #expect(try await load.value == "x")
        #expect(network.requests.first?.endTime == .seconds(31))
    }

    @Test func waitsForAHandlerThatHasMovedTheClock() async throws {
        let clock = MockClock(patience: .seconds(1_000))
        let network = MockNetwork(clock: clock)
        let hasMoved = Gate()
        let moment = Locked<Duration?>(nil)
        network.stub(.any) { _ in
            await clock.advance(by: .seconds(1))
            hasMoved.open()
            for _ in 0..<100 { await Task.yield() }
            moment.withLock { $0 = clock.now.offset }
            return .text("x")
        }
        let load = Task {
            _ = try await network.exchange(.test("a"))
            try await clock.sleep(for: .seconds(1))
        }

        await hasMoved.wait()
        await clock.advance(by: .seconds(1))

        try await load.value
        #expect(moment.withLock { $0 } == .seconds(1))
    }

    private static let second = MockClock.Instant(offset: .seconds(1))

    /// What happens on a clock at one moment.
    enum Event: Sendable {
        case due(Int, Sleeper.Kind = .task)
        case moves, continues, rests, steps
        case waits(Int?)
        case handlerRuns(Int)
        case handlerMoves(Int)
    }

    @Test(
        arguments: [
            ([], false),
            // Whatever else is due at the same moment wakes first.
            ([.due(1), .moves], true), ([.due(1), .due(2), .moves], false),
            ([.due(1, .callback), .moves], false), ([.due(1, .deadline), .moves], false),
            ([.due(1), .moves, .rests], false),
            // Until it waits. A request does not say who waits, and another task may only sleep.
            ([.due(1), .moves, .waits(1)], false), ([.due(1), .moves, .waits(nil)], false),
            ([.due(1), .moves, .waits(2)], true),
            // Each counts, and none counts below zero.
            ([.due(1), .due(2), .moves, .moves, .waits(nil)], true),
            ([.due(1), .due(2), .moves, .moves, .waits(nil), .waits(nil)], false),
            ([.due(1), .due(2), .moves, .moves, .waits(nil), .waits(1)], false),
            ([.due(1), .due(2), .moves, .moves, .waits(nil), .waits(2)], false),
            ([.due(1), .moves, .continues, .waits(nil)], true),
            ([.due(1), .moves, .continues, .waits(nil), .waits(2)], false),
            ([.continues], true), ([.continues, .waits(1)], false),
            ([.continues, .waits(nil)], false), ([.continues, .continues, .waits(nil)], true),
            ([.waits(nil), .continues], true), ([.steps], true), ([.handlerRuns(1)], true),
            ([.handlerRuns(1), .waits(1)], false), ([.handlerRuns(1), .handlerMoves(1)], false),
        ] as [([Event], Bool)])
    func waitsAtEachMomentForWhatRuns(_ events: [Event], _ waits: Bool) {
        var sleepers = Sleepers()
        sleepers.clientsRest()
        for event in events {
            switch event {
            case .due(let task, let kind):
                let task = kind == .task ? task : nil
                _ = sleepers.add(Sleeper(deadline: Self.second, kind: kind, task: task) { true })
            case .moves: _ = sleepers.move(to: Self.second, whileReading: false)
            case .continues: sleepers.clientContinues()
            case .rests: sleepers.clientsRest()
            case .steps: sleepers.stepCount += 1
            case .waits(let task): sleepers.clientWaits(task)
            case .handlerRuns(let task): sleepers.taskRuns(task)
            case .handlerMoves(let task): _ = sleepers.taskMoves(task)
            }
        }

        for moment in [nil, MockClock.Instant(offset: .seconds(2))] {
            var sleepers = sleepers
            let move = sleepers.move(to: moment, whileReading: false)
            if case .wait = move { #expect(waits) } else { #expect(!waits) }
        }
    }

    /// The clock waits in vain for tasks that end, as long as its patience lasts, and then for the
    /// next task.
    @Test func waitsForATaskThatSleepsAgainAfterOthersThatDidNot() {
        var sleepers = Sleepers()
        func sleep(_ task: Int, until second: Int) {
            let moment = MockClock.Instant(offset: .seconds(second))
            _ = sleepers.add(Sleeper(deadline: moment, kind: .task, task: task) { true })
        }
        /// The task that a move wakes; nil if the clock waits.
        func next() -> Int? {
            let move = sleepers.move(to: .init(offset: .seconds(50)), whileReading: false)
            return if case .wake(let sleeper) = move { sleeper.task } else { nil }
        }
        for (task, second) in [(1, 1), (2, 2), (3, 30)] { sleep(task, until: second) }

        for task in 1...2 {
            #expect(next() == task)
            #expect(next() == nil)
            sleepers.clientsRest()
        }
        #expect(next() == 3)
        #expect(next() == nil)
        sleep(3, until: 31)
        #expect(next() == 3)
    }

    /// The test may have started a client before it moves a new clock.
    @Test func waitsOnANewClock() {
        var sleepers = Sleepers()
        let move = sleepers.move(to: Self.second, whileReading: false)
        if case .wait = move {} else { Issue.record("The clock moves.") }
    }

    /// A report says that a sleep ended immediately, but a deadline or a delay is no sleep.
    @Test(arguments: [(Sleeper.Kind.task, true), (.callback, false), (.deadline, false)])
    func noticesASleepThatEndsAtOnce(_ kind: Sleeper.Kind, _ isSleep: Bool) {
        var sleepers = Sleepers()

        #expect(sleepers.add(Sleeper(deadline: MockClock.Instant(), kind: kind) { true }) == nil)

        #expect(sleepers.hasEndedAtOnce == isSleep)
    }
}
