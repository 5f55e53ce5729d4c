import TestSupport

@testable import APIKitLiteTesting

/// The place of a call of the test.
private let file: StaticString = "Tests/Wait.swift"

/// The reports about what waits for a test: calls of the test, requests and sleeping tasks.
/// `Wordings.txt` shows them.
@Suite(.limited) struct WaitReportTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var hasClock = true
        let start: @Sendable (Place) async -> Void
    }

    /// A network and a clock, whose waits are recorded.
    final class Place: Sendable {
        let recorder = ReportRecorder()
        let clock = MockClock()
        let network: MockNetwork
        private let tasks = Locked<[Task<Void, Never>]>([])

        init(hasClock: Bool) {
            network = recorder.network(clock: hasClock ? clock : nil)
            recorder.record(clock.watch)
        }

        @discardableResult
        func stub(_ matcher: RequestMatcher, _ response: MockResponse, line: UInt = 3) -> Stub {
            network.stub(matcher, response, fileID: "Tests/Stub.swift", line: line)
        }

        /// Starts a load, and returns when the network has its request.
        func load(_ path: String = "b", over session: (any HTTPSession)? = nil) async {
            let count = network.requests.count
            let session = session ?? network
            let request = URLRequest(url: URL(string: "https://api.example.com/\(path)")!)
            start { _ = try? await session.exchange(request) }
            await network.waitForRequests(count + 1)
        }

        /// Starts a call, and returns when it waits.
        func wait(_ call: @escaping @Sendable () async -> Void) async {
            let count = network.watch.callCount + clock.watch.callCount
            let hasReturned = Locked(false)
            start {
                await call()
                hasReturned.withLock { $0 = true }
            }
            await yieldWhile {
                network.watch.callCount + clock.watch.callCount == count
                    && !hasReturned.withLock { $0 }
            }
            #expect(!hasReturned.withLock { $0 }, "The call did not wait.")
        }

        func start(_ work: @escaping @Sendable () async -> Void) {
            tasks.withLock { $0.append(Task(operation: work)) }
        }

        func end() async {
            for task in tasks.withLock({ $0 }) {
                task.cancel()
                await task.value
            }
        }
    }

    /// A call that waits while a request is delayed.
    private static func call(
        _ text: String, _ call: @escaping @Sendable (Place, Stub) async -> Void
    ) -> Row {
        Row(testDescription: text) { place in
            let stub = place.stub(.get("/a"), .json("{}"))
            place.stub(.get("/b"), .json("{}").delayed(by: .seconds(20)), line: 4)
            await place.load()
            await place.clock.waitForSleepers()
            await place.wait { await call(place, stub) }
        }
    }

    private static let calls = [
        call("requests of a stub") { await $1.waitForRequests(fileID: file, line: 7) },
        call("requests") { place, _ in await place.network.waitForRequests(3, fileID: file, line: 7)
        },
        call("matching requests") { place, _ in
            await place.network.waitForRequests(2, matching: .get("/a"), fileID: file, line: 7)
        },
        call("matching responses") { place, _ in
            await place.network.waitForResponses(2, matching: .get("/b"), fileID: file, line: 7)
        },
        call("sleepers") { place, _ in await place.clock.waitForSleepers(2, fileID: file, line: 7)
        },
        call("a sleeper that is due soon") { place, _ in
            await place.clock.waitForSleepers(within: .seconds(1), fileID: file, line: 7)
        },
        call("a reader") { try? await $1.waitForReader(fileID: file, line: 7) },
    ]

    /// A call that waits for a sleeper that does not come.
    private static func sleepers(
        _ name: String, hasClock: Bool = true, _ start: @escaping @Sendable (Place) async -> Void
    ) -> Row {
        Row(testDescription: name, hasClock: hasClock) { place in
            await start(place)
            await place.wait { await place.clock.waitForSleepers(fileID: file, line: 7) }
        }
    }

    private static let advice = [
        sleepers("a clock that nothing has", hasClock: false) { _ in },
        sleepers("no request") { _ in },
        sleepers("a retry that does not wait") { place in
            place.stub(.any, .status(503))
            await place.load(over: place.network.retrying(clock: place.clock, random: { 0 }))
            await place.network.waitForResponses(3)
        },
        sleepers("a retry on another clock") { place in
            place.stub(.any, .status(503))
            await place.load(over: place.network.retrying(clock: MockClock()))
            await place.network.waitForResponses()
        },
        sleepers("deadlines") { place in
            let network = MockNetwork(.hanging)
            for second in 1...7 {
                let session = network.timingOut(after: .seconds(second), clock: place.clock)
                place.start { _ = try? await session.exchange(.test("a")) }
            }
            await network.waitForRequests(7)
        },
    ]

    private static let noRequest =
        "The network received no request. Perhaps no load was started or awaited, or it "
        + "uses a different session. Pass it network, or network.urlSession."

    /// A client that waits for a response, without a call of the test.
    private static func request(_ name: String, _ response: MockResponse, count: Int = 1) -> Row {
        Row(testDescription: name, hasClock: false) { place in
            place.stub(.any, response)
            for _ in 0..<count { await place.load() }
        }
    }

    private static let requests = [
        request("held requests", .json("{}").held, count: 2),
        request("a hanging request", .hanging), request("an open stream", .stream()),
        request("a writer", .stream { _ in _ = try await waitForCancellation() }),
        Row(testDescription: "closures and many stubs", hasClock: false) { place in
            place.network.requestHandler = { _ in
                _ = try await waitForCancellation()
                return (HTTPURLResponse(), nil)
            }
            await place.load("0")
            place.network.stub(.any, fileID: "Tests/Stub.swift", line: 3) { _ in
                try await waitForCancellation()
            }
            await place.load("1")
            for number in 2...6 {
                place.stub(.get("/\(number)"), .json("{}").held)
                await place.load("\(number)")
            }
        },
        Row(testDescription: "another session", hasClock: false) { place in
            place.stub(.any, .passthrough(to: MockNetwork(.hanging)))
            await place.load()
            await place.wait { await place.network.waitForResponses(fileID: file, line: 7) }
        },
        Row(testDescription: "a sleeping task", hasClock: false) { place in
            place.start { try? await place.clock.sleep(for: .seconds(7) - .nanoseconds(1)) }
            // No call waits, so the task itself must be watched.
            await yieldWhile { place.clock.pending.isEmpty }
        },
        Row(testDescription: "five tasks on a clock that has moved", hasClock: false) { place in
            for second in 1...6 {
                place.start { try? await place.clock.sleep(for: .seconds(second)) }
            }
            await place.clock.waitForSleepers(6)
            await place.clock.advanceToNextSleeper()
        },
        Row(testDescription: "two calls") { place in
            let stub = place.stub(.get("/a"), .json("{}"))
            await place.wait { await stub.waitForRequests(fileID: file, line: 7) }
            await place.wait { await place.network.waitForRequests(fileID: file, line: 8) }
        },
        Row(testDescription: "a request and a sleeping task") { place in
            place.stub(.any, .hanging)
            await place.load()
            place.start { try? await place.clock.sleep(for: .seconds(1)) }
            await place.clock.waitForSleepers(2)
        },
        Row(testDescription: "requests without a response") { place in
            let stub = place.stub(.get("/a"), .json("{}"))
            for _ in 0..<3 { await place.load("c?access_token=swordfish") }
            await place.network.waitForResponses(3)
            await place.wait { await stub.waitForRequests(fileID: file, line: 7) }
        },
    ]

    private static let rows = calls + advice + requests

    /// The report about each row, which is written once.
    static func wordings() async -> Wordings {
        var texts: [String] = []
        for row in rows {
            let place = Place(hasClock: row.hasClock)
            await row.start(place)
            await place.recorder.waitForWatch()
            await place.recorder.clock.advance(by: .milliseconds(4_900))
            #expect(place.recorder.reports == [])
            await place.recorder.waitForReport()
            await place.end()
            await place.recorder.clock.advance(by: .seconds(60))
            #expect(place.recorder.reports.count == 1)
            #expect(place.recorder.clock.pendingDeadlines == [])
            texts.append(place.recorder.reports[0].trimmingCharacters(in: .newlines))
        }
        return Wordings("What has waited for five seconds", texts)
    }

    @Test(arguments: [calls[0], advice[0], requests[0]])
    func aWaitThatEndsInTimeIsNotReported(_ row: Row) async {
        let place = Place(hasClock: row.hasClock)
        await row.start(place)
        await place.recorder.waitForWatch()
        await place.recorder.clock.advance(by: .seconds(3))

        await place.end()
        await place.recorder.clock.advance(by: .seconds(60))

        #expect(place.recorder.reports == [])
        #expect(place.recorder.clock.pendingDeadlines == [])
    }

    @Test(.usesSockets, arguments: Transport.allCases)
    func aClientOverEachTransportIsReported(_ transport: Transport) async throws {
        let place = Place(hasClock: true)
        place.stub(.any, .json("{}").held)
        let (session, baseURL) = try transport.open(place.network)
        let url = baseURL.appending(queryItems: [.init(name: "access_token", value: "swordfish")])
        place.start { _ = try? await session.exchange(URLRequest(url: url)) }
        await place.network.waitForRequests()

        await place.recorder.waitForReport()
        await place.end()

        let report = try #require(place.recorder.reports.first)
        #expect(report.contains("_token=swordfish has waited for its response for 5.0 seconds."))
        #expect(report.contains("holds 1 request. Call stub.release()."))
    }

    /// A request, a stub in place of another, or a call of the test.
    enum Event: CaseIterable { case request, stub, call }

    @Test(arguments: Event.allCases)
    func anEventBeginsTheTimeAgain(_ event: Event) async {
        let place = Place(hasClock: false)
        let stub = place.stub(.any, .json("{}").held)
        await place.load()
        await place.recorder.waitForWatch()
        await place.recorder.clock.advance(by: .seconds(3))
        switch event {
        case .request: await place.load()
        case .stub:
            place.network.remove(stub)
            place.stub(.any, .json("{}"))
        case .call: await place.wait { await place.network.waitForRequests(2) }
        }

        await place.recorder.clock.advance(by: .seconds(4))
        #expect(place.recorder.reports == [])
        await place.recorder.clock.advance(by: .seconds(2))

        #expect(place.recorder.reports.count == 1)
        await place.end()
    }

    @Test func whatWaitsWhileNobodyReadsReportsIsReportedOnceSomebodyDoes() async {
        let place = Place(hasClock: false)
        place.stub(.any, .json("{}").held)
        place.network.watch.output = nil
        await place.load()
        // The watch may begin a moment after the request.
        for _ in 0..<100 { await Task.yield() }
        place.recorder.record(place.network.watch)
        await place.wait { await place.network.waitForRequests(2) }

        await place.recorder.clock.advance(by: .seconds(10))

        #expect(place.recorder.reports.count == 1)
        await place.end()
    }

    @Test func whatBeginsToWaitDuringAReportIsReportedNext() async {
        let place = Place(hasClock: false)
        place.stub(.any, .json("{}").held)
        let count = Locked(0)
        let watch = place.network.watch
        watch.output = HangReporter.Output(clock: place.recorder.clock) { [weak watch] _ in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            if isFirst { watch?.begin() }
        }
        // No call waits, so only the request begins the watch.
        place.start { _ = try? await place.network.exchange(.test("b")) }
        await place.recorder.waitForWatch()

        await place.recorder.clock.advance(by: .seconds(20))

        #expect(count.withLock { $0 } == 2)
        await place.end()
    }

    @Test func aClockThatMovesIsNotReported() async {
        let place = Place(hasClock: true)
        place.start { try? await place.clock.sleep(for: .seconds(7)) }
        await place.clock.waitForSleepers()
        await place.recorder.waitForWatch()

        for _ in 0..<3 {
            await place.recorder.clock.advance(by: .seconds(4))
            await place.clock.advance(by: .seconds(1))
        }

        #expect(place.recorder.reports == [])
        await place.end()
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func aMoveThatWaitsForABlockedTaskIsReported() async {
        let place = Place(hasClock: true)
        let executor = QueueExecutor(isSerial: true)
        let sleeper = executor.start { try await place.clock.sleep(for: .seconds(1)) }
        await place.clock.waitForSleepers()
        // Otherwise, the task may still be running, and would not need the queue to continue.
        await executor.settle()
        executor.queue.suspend()
        await place.wait { await place.clock.advance(by: .seconds(1), fileID: file, line: 7) }

        await place.recorder.waitForReport()
        executor.queue.resume()
        await place.end()

        #expect(
            place.recorder.reports == [
                """
                APIKitLiteTesting: clock.advance() (Tests/Wait.swift:7) has waited for 5.0 seconds: \
                a task that it woke does not run. Something blocks its thread or its actor.
                  The clock is at 1.0 seconds. No task and no response waits on it.
                  \(Self.noRequest)

                """
            ])
        _ = await sleeper.result
    }

    @Test func anImmediateResponseIsNotWatched() async throws {
        let place = Place(hasClock: true)
        place.stub(.any, .json("{}"))

        _ = try await place.network.exchange(.test("a"))

        #expect(place.recorder.clock.pendingDeadlines == [])
    }

    #if os(Linux)
    private static let variable = "APIKITLITE_TEST_HANGS"

    /// Hangs, only in the process that the next test starts.
    @Test(.enabled(if: ProcessInfo.processInfo.environment[variable] != nil))
    func hangs() async {
        StandardErrorRecorder.waits.isPaused = true
        let network = MockNetwork()
        let stub = network.stub(.get("/a"), .json("{}"), fileID: "Tests/Stub.swift", line: 3)
        Task { @MainActor in block() }
        await stub.waitForRequests(fileID: file, line: 7)
        try? network.verify()
    }

    private func block() { DispatchSemaphore(value: 0).wait() }

    /// Starts this test program once more, with one test, in real time. That needs
    /// `/proc/self/exe`.
    @Test(.enabled(if: ProcessInfo.processInfo.environment[variable] == nil))
    func aProcessThatHangsWritesWhy() async throws {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [
            "--testing-library", "swift-testing", "--filter", "WaitReportTests.hangs",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging([Self.variable: "1"]) {
            $1
        }
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        let (output, continuation) = AsyncStream.makeStream(of: Data.self)
        try process.run()
        defer { process.terminate() }
        // A `readabilityHandler` may crash: libdispatch, issue 949.
        Thread.detachNewThread {
            while case let data = errors.fileHandleForReading.availableData, !data.isEmpty {
                continuation.yield(data)
            }
            continuation.finish()
        }

        var text = ""
        for await data in output {
            text += String(decoding: data, as: UTF8.self)
            if text.hasSuffix("loop.\n") { break }
        }

        #expect(
            text.contains(
                """
                APIKitLiteTesting: stub.waitForRequests() (Tests/Wait.swift:7) has waited for 5.0 seconds: \
                0 of 1 request came to the stub for method GET, path /a (Tests/Stub.swift:3).
                  \(Self.noRequest)
                  Something blocks the main actor, such as a semaphore or a long loop.

                """))
    }
    #endif
}
