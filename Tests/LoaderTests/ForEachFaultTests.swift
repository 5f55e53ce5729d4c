import APIKitLite
import Foundation
import Testing

@testable import APIKitLiteTesting

@Suite struct ForEachFaultTests {
    struct User: Codable, Sendable {
        var name: String
    }

    struct UserRequest: APIRequest {
        typealias ResponseDataType = User

        var baseURL = URL(string: "https://api.example.com")!

        func makeRequest(from id: Int) throws -> URLRequest {
            try URLRequest("GET", baseURL, path: "/users/{id}", ["id": id])
        }
    }

    private static let sample = MockResponse.json(#"{"name": "Emma", "tags": ["a", null]}"#)

    @Test func allCarriersAgree() async throws {
        var reports: [FaultReport] = []
        for carrier in Carrier.allCases {
            let report = try await forEachFault(in: Self.sample, seed: 1) { network in
                let (session, baseURL) = try carrier.open(network)
                let loader = APIRequestLoader(
                    apiRequest: UserRequest(baseURL: baseURL), urlSession: session)
                return try await loader.load(42)
            }
            reports.append(report)
        }

        let report = reports[0]
        #expect(reports.allSatisfy { $0 == report })
        #expect(report.faults == Fault.all(of: Self.sample))
        #expect(report[.cut(afterBytes: 7, of: 37)] == .error(.transport))
        #expect(report[.truncated(toBytes: 7, of: 37)] == .error(.parse))
        #expect(report[.null(at: "$.name")] == .error(.parse))
        #expect(report[.null(at: "$.tags")] == .value)
        #expect(report[.status(429, retryAfter: "120")] == .error(.validate))
        #expect(report[.slow] == .value)
        #expect(report[.noAnswer] == .error(.transport))
        #expect(report[.cut(afterBytes: 99)] == nil)
        #expect(
            "\(report)"
                == "117 faults (seed: 0x1): value 7, .transport 61, .validate 4, .parse 45")
    }

    @Test func eachFaultHasANetworkOfItsOwn() async throws {
        let paths = Locked<[Int]>([])
        let report = try await forEachFault(in: .text("hello")) { network in
            _ = try? await MockURLSession(network).exchange(.test("a"))
            _ = try? await MockURLSession(network).exchange(.test("b", method: "POST"))
            paths.withLock { $0.append(network.requests.count) }
        }

        #expect(paths.withLock { $0 } == Array(repeating: 2, count: report.count))
    }

    @Test func manyRunAtOnceButNotAll() async throws {
        let running = Locked((now: 0, most: 0))
        try await forEachFault(in: Self.sample) { network in
            running.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            for _ in 0..<10 { await Task.yield() }
            running.withLock { $0.now -= 1 }
        }

        #expect(2...16 ~= running.withLock { $0.most })
    }

    @Test func aClientThatWaitsGetsTheClock() async throws {
        let report = try await forEachFault(in: .text("hello")) { network, clock in
            for _ in 0..<3 {
                if let (_, response) = try? await MockURLSession(network).exchange(.test("a")),
                    response.statusCode == 200
                {
                    return
                }
                try await clock.sleep(until: clock.now.advanced(by: .seconds(120)))
            }
            #expect(clock.now.offset >= .seconds(360))
        }

        #expect(report.count == 41)
    }

    @Test func aLongBodyTakesNoTime() async throws {
        let sample = MockResponse.text(String(repeating: "é", count: 20_000))
        let report = try await forEachFault(in: sample) { network in
            let loader = APIRequestLoader(
                apiRequest: TextRequest(), urlSession: MockURLSession(network))
            return try await loader.load("/a")
        }

        #expect(report[.slow] == .value)
        #expect(report[.noAnswer] == .error(.transport))
    }

    // MARK: What a client must not do

    private func failure(
        _ faults: [Fault]? = nil, sample: MockResponse = sample,
        watchdog: @escaping @Sendable (Fault) -> Watchdog = { _ in .oneSecond },
        _ body: @escaping FaultRun.Body
    ) async throws -> FaultFailure {
        let run = try FaultRun(
            sample, seed: 0x2a, place: "App/UserTests.swift:12", faults: faults, watchdog: watchdog)
        return try await #require(throws: FaultFailure.self) { try await run.report(body) }
    }

    @Test func anotherErrorIsReported() async throws {
        let faults: [Fault] = [.slow, .error(.timedOut), .cut(afterBytes: 7, of: 37)]
        let failure = try await failure(faults) { network, _ in
            _ = try await MockURLSession(network).exchange(.test("a"))
        }

        #expect(failure.violations.map(\.fault) == Array(faults[1...]))
        #expect(failure.report[.slow] == .value)
        let lines = "\(failure)".split(separator: "\n")
        #expect(lines[0] == "2 of 3 faults broke the client (App/UserTests.swift:12):")
        #expect(
            lines[1].hasPrefix(
                "  URLError.timedOut: threw URLError, which is no APIRequestError: "))
        #expect(
            lines[2].hasPrefix(
                "  cut after 7 of 37 bytes: threw URLError, which is no APIRequestError: "))
        #expect(
            lines.suffix(2) == [
                "A body must end in a value or an APIRequestError, within a second.",
                "The same faults again: forEachFault(in: sample, seed: 0x2a)",
            ])
        #expect(failure.errorDescription == "\(failure)")
    }

    @Test func tenAreShownAndTheRestCounted() async throws {
        let failure = try await failure { _, _ in throw TestError(number: 3) }

        #expect(failure.violations.count == 117)
        let lines = "\(failure)".split(separator: "\n")
        #expect(lines.count == 14)
        #expect(lines[0] == "117 of 117 faults broke the client (App/UserTests.swift:12):")
        #expect(
            lines[1] == "  URLError.timedOut: threw TestError, which is no APIRequestError: "
                + "TestError(number: 3)")
        #expect(lines[11] == "  and 107 more")
    }

    @Test func secretsAreNotShown() async throws {
        struct Leak: Error, CustomStringConvertible {
            var description: String { "https://a.example.com/?access_token=abc123 is odd" }
        }
        let failure = try await failure([.slow]) { _, _ in throw Leak() }

        #expect("\(failure)".contains(" is odd"))
        #expect(!"\(failure)".contains("abc123"))
    }

    @Test func aBodyThatHangsIsGivenUp() async throws {
        let hangs = Gate()
        let failure = try await failure(
            [.slow, .emptyBody, .html(status: 200)],
            // Time is up for the body that hangs, as soon as it does.
            watchdog: { fault in
                Watchdog { fault == .emptyBody ? await hangs.wait() : await Gate().wait() }
            }
        ) { network, _ in
            let data = try await MockURLSession(network).exchange(.test("a")).0
            guard data.isEmpty else { return }
            hangs.open()
            // Also one that cannot be cancelled.
            await Gate().wait()
        }

        #expect(failure.violations.map(\.fault) == [.emptyBody])
        #expect(
            failure.violations[0].event == """
                did not end within a second; GET https://api.example.com/a has had its answer \
                for a while
                """)
        #expect(failure.report[.slow] == .value)
        #expect(failure.skippedCount == 0)
    }

    @Test func aBodyThatBlocksItsThreadIsGivenUp() async throws {
        let hangs = Gate()
        let forever = DispatchSemaphore(value: 0)
        let failure = try await failure(
            [.emptyBody], watchdog: { _ in Watchdog { await hangs.wait() } }
        ) { _, _ in
            hangs.open()
            forever.waitHere()
        }
        forever.signal()

        #expect(failure.violations.first?.event == "did not end within a second; it sent nothing")
    }

    @Test func afterTenThatHangTheRestIsNotTried() async throws {
        let hanging = Locked(0)
        let all = Gate()
        let failure = try await failure(watchdog: { _ in Watchdog { await all.wait() } }) { _, _ in
            let count = hanging.withLock {
                $0 += 1
                return $0
            }
            if count == 16 { all.open() }
            await Gate().wait()
        }

        #expect(failure.violations.count >= 16)
        #expect(failure.violations.count + failure.skippedCount == 117)
        #expect(
            "\(failure)".contains(
                "So many hung that the last \(failure.skippedCount) faults were not tried."))
    }

    @Test func theWatchdogLetsASecondPass() async {
        let start = ContinuousClock.now
        await Watchdog.oneSecond.wait()
        #expect(ContinuousClock.now - start >= .seconds(1))
    }

    @Test func aCancelledWatchdogEnds() async {
        let watching = Task { await Watchdog.oneSecond.wait() }
        watching.cancel()
        await watching.value
    }

    @Test func aCancelledRunEnds() async throws {
        let running = Gate()
        let run = try FaultRun(
            Self.sample, seed: 1, place: "", watchdog: { _ in Watchdog { await Gate().wait() } })
        let task = Task {
            try await run.report { _, _ in
                running.open()
                await Gate().wait()
            }
        }
        await running.wait()
        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(arguments: [
        (MockResponse.json("{"), ".json(_:) was given text that is not JSON: {"),
        (.status(99), "99 is not an HTTP status: use 100...599."),
        (.text("x").chunked(by: 0), "chunked(by: 0): a piece has at least one byte."),
        (.hanging, "it is broken itself. Give the answer of a healthy server."),
        (.error(.timedOut), "it is broken itself. Give the answer of a healthy server."),
        (
            .text("x").failing(afterBytes: 0),
            "it is broken itself. Give the answer of a healthy server."
        ),
        (.text("x").held, "it is held, and nobody releases it."),
    ])
    func aBadSampleIsRefused(_ sample: MockResponse, _ mistake: String) async {
        let error = await #expect(throws: MockFailure.self) {
            try await forEachFault(in: sample, fileID: "A/B.swift", line: 3) { _ in }
        }
        #expect(
            error?.description
                == "forEachFault(in:) cannot use its sample: \(mistake) (A/B.swift:3)")
    }
}

extension DispatchSemaphore {
    /// What the compiler does not allow directly in a task, with reason.
    fileprivate func waitHere() { wait() }
}
