import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

private let sample = MockResponse.json(#"{"name": "Emma", "tags": ["a", null]}"#)

@Suite(.limited) struct FaultErrorTests {
    private func run(
        _ faults: [Fault], timeLimit: Duration = .milliseconds(100),
        _ client: @escaping FaultRun.Client
    ) -> FaultRun {
        FaultRun(
            sample: sample, faults: faults, timeLimit: timeLimit,
            sourceLocation: "App/UserTests.swift:12", advice: "The advice."
        ) { fault, network, clock in
            if fault == .noFault { return .success(.value) }
            return await client(fault, network, clock)
        }
    }

    /// The error for a client that hangs under each of the faults.
    ///
    /// - Parameter pause: What each check waits for in place of a time, so that the client has
    ///   done what the error says, however busy the machine is.
    private func failure(
        _ faults: [Fault] = Fault.all(of: sample),
        pause: @escaping @Sendable () async -> Void = {},
        _ client: @escaping FaultRun.Client
    ) async throws -> String {
        var run = run(faults, client)
        // The run without a fault ends before its first check has waited.
        run.pause = { await Fault.current == .noFault ? Gate().wait() : pause() }
        return "\(try await #require(throws: FaultError.self) { try await run.report() })"
    }

    enum ShopError: Error { case busy }

    @Test func faultsThatBreakTheClientInTheSameWayShareALine() async throws {
        let failure = try await #require(throws: FaultError.self) {
            try await forEachFault(in: .text(""), fileID: "App/UserTests.swift", line: 12) {
                network in
                do {
                    let (_, response) = try await network.exchange(.test("a"))
                    if response.statusCode == 503 { throw ShopError.busy }
                } catch let error as URLError where error.code != .timedOut {
                    throw APIRequestError(stage: .transport, underlying: error)
                }
            }
        }

        #expect(
            "\(failure)" == """
                4 of 33 faults broke the client (App/UserTests.swift:12):
                  URLError.timedOut and 1 more: threw URLError.timedOut, not APIRequestError
                  503 with Retry-After: 120 and 1 more: threw ShopError (busy), not APIRequestError
                A body must end in a value or APIRequestError. For another type, pass `throwing:`.
                """)
        try expectPage("Faults.md", toShow: "\(failure)")
        #expect(failure.errorDescription == "\(failure)")
    }

    /// Otherwise, a client whose URL is wrong passes: it fails under every fault.
    @Test func theSampleMustGiveAValue() async throws {
        let count = Locked(0)
        let failure = try await #require(throws: FaultError.self) {
            try await forEachFault(in: .json("[]"), fileID: "App/UserTests.swift", line: 12) {
                network in
                count.withLock { $0 += 1 }
                return try await network.load(.test("a"), as: [String: Int].self)
            }
        }

        let text = "\(failure)"
        #expect(count.withLock { $0 } == 1)
        let start =
            "The client failed without a fault (App/UserTests.swift:12):\n  no fault: threw "
        #expect(text.hasPrefix(start))
        #expect(text.contains("GET https://api.example.com/a got a response that could not be"))
        #expect(text.hasSuffix("\nThe sample must give a value. The faults were not tried."))
    }

    @Test func aClientMayThrowErrorsOfItsOwn() async throws {
        let body = { @Sendable (network: MockNetwork) async throws -> Void in
            do { _ = try await network.exchange(.test("a")) } catch { throw ShopError.busy }
        }

        let report = try await forEachFault(in: sample, throwing: ShopError.self, body)

        #expect(report[.hanging] == .thrown("ShopError (busy)"))
        #expect(report[.slow] == .value)
        let failure = await #expect(throws: FaultError.self) {
            try await forEachFault(
                in: sample, throwing: TestError.self, fileID: "A/B.swift", line: 7, body)
        }
        let broken = report.faults.filter { report[$0] != .value }
        #expect(
            failure?.description == """
                \(broken.count) of \(report.faults.count) faults broke the client (A/B.swift:7):
                  \(broken[0]) and \(broken.count - 1) more: threw ShopError (busy), not TestError
                A body must end in a value or TestError. For another type, pass `throwing:`.
                """)
    }

    @Test func anErrorOfTheClientIsOneShortLineOfTheTable() async throws {
        struct Wrapped: Error { let error: APIRequestError }
        let report = try await forEachFault(in: sample, throwing: Wrapped.self) { network in
            let loader = APIRequestLoader(apiRequest: TextRequest(), urlSession: network)
            do throws(APIRequestError) {
                _ = try await loader.load("/a")
            } catch {
                throw Wrapped(error: error)
            }
        }

        let rows = report.table.split(separator: "\n")
        #expect(rows.count == report.faults.count)
        #expect(rows.allSatisfy { !$0.contains("curl") && $0.count < 200 })
    }

    @Test func aBodyThatHangsIsGivenUp() async throws {
        let hasResponse = Gate()
        let failure = try await failure([.truncated(toBytes: 0)]) {
            await hasResponse.wait()
        } _: { _, network, _ in
            _ = try? await network.exchange(.test("a"))
            hasResponse.open()
            // A gate is not cancelled with the task.
            await Gate().wait()
            return .success(.value)
        }

        #expect(
            failure == """
                1 of 1 faults broke the client (App/UserTests.swift:12):
                  empty body: did not end within 0.1 seconds; GET https://api.example.com/a has its \
                response. If the client waits (a retry, a timeout), pass it the clock: \
                forEachFault { network, clock in … }
                The advice.
                """)
    }

    @Test func aBodyThatBlocksItsThreadIsGivenUp() async throws {
        let forever = DispatchSemaphore(value: 0)
        let failure = try await failure([.slow]) { _, _, _ in
            forever.blockUntilSignalled()
            return .success(.value)
        }
        forever.signal()

        #expect(
            failure == """
                1 of 1 faults broke the client (App/UserTests.swift:12):
                  slow body: did not end within 0.1 seconds; it sent nothing
                The advice.
                """)
    }

    /// The time in which other tests occupy the main actor does not count.
    @Test func aBusyMainActorIsNoFaultOfTheClient() async throws {
        let isOver = Locked(false)
        for _ in 0..<4 {
            Task { @MainActor in
                while !isOver.withLock({ $0 }) {
                    usleep(5_000)
                    await Task.yield()
                }
            }
        }
        // Each turn takes the turns of four others: 1.2 seconds or more in all.
        let report = try await run([.slow], timeLimit: .seconds(1)) { _, _, _ in
            for _ in 0..<60 { await Task { @MainActor in }.value }
            return .success(.value)
        }.report()
        isOver.withLock { $0 = true }

        #expect(report[.slow] == .value)
    }

    @Test func aBodyThatNeverEndsItsRequestsIsGivenUp() async throws {
        let hasSentTwo = Gate()
        let failure = try await failure([.hanging]) {
            await hasSentTwo.wait()
        } _: { _, network, _ in
            network.stub(.any, .text(""))
            while !Task.isCancelled {
                _ = try? await network.exchange(.test("a"))
                if network.requests.count == 2 { hasSentTwo.open() }
            }
            return .success(.value)
        }

        #expect(failure.contains("\n  no response: did not end within 0.1 seconds; GET"))
        #expect(failure.contains(#/\(the last of \d+ requests\) /#))
    }

    @Test func aBodyThatNeverEndsItsSleepsIsGivenUp() async throws {
        let (ownClock, hasBegun) = (Locked<MockClock?>(nil), Gate())
        let failure = try await failure([.slow]) {
            await hasBegun.wait()
            await ownClock.withLock { $0 }?.waitForSleepers()
        } _: { _, _, clock in
            ownClock.withLock { $0 = clock }
            hasBegun.open()
            while !Task.isCancelled {
                try? await clock.sleep(until: clock.now.advanced(by: .seconds(60)))
            }
            return .success(.value)
        }

        let text = "did not end, although its clock has woken it 1000 times; it sent nothing"
        #expect(failure.hasSuffix("\n  slow body: \(text)\nThe advice."))
    }

    @Test func afterSomeThatHangTheRestIsNotTried() async throws {
        let failure = try await failure { _, _, _ in
            await Gate().wait()
            return .success(.value)
        }

        let counts = failure.matches(of: /\d+(?= faults| of)/).compactMap { Int($0.output) }
        try #require(counts.count == 3)
        #expect(counts[0] >= 16 && counts[1] == counts[0])
        #expect(counts[1] + counts[2] == Fault.all(of: sample).count)
        #expect(
            failure.hasSuffix(
                "\nSo many hung that the last \(counts[2]) faults were not tried.\nThe advice."))
    }

    @Test func aCancelledRunEnds() async throws {
        let running = Gate()
        let task = Task {
            try await forEachFault(in: sample) { _ in
                running.open()
                await Gate().wait()
            }
        }
        await running.wait()
        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
