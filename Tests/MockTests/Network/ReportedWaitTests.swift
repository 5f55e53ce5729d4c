import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The reports of the functions that wait for a test.
@Suite(.limited) struct ReportedWaitTests {
    private let recorder = ReportRecorder()
    private let clock = MockClock()
    private let network: MockNetwork
    private let stub: Stub

    init() {
        network = recorder.network(clock: clock)
        stub = network.stub(.get("/a"), .json("{}"), fileID: "Tests/Stub.swift", line: 3)
    }

    /// A call that waits at line 7.
    enum Call: CaseIterable, Sendable {
        case stubRequests, requests, matchingRequests, responses, sleepers, sleeper

        func wait(_ network: MockNetwork, _ stub: Stub, _ clock: MockClock) async {
            let file: StaticString = "Tests/Wait.swift"
            switch self {
            case .stubRequests: await stub.waitForRequests(fileID: file, line: 7)
            case .requests: await network.waitForRequests(3, fileID: file, line: 7)
            case .matchingRequests:
                await network.waitForRequests(2, matching: .get("/a"), fileID: file, line: 7)
            case .responses:
                await network.waitForResponses(2, matching: .get("/b"), fileID: file, line: 7)
            case .sleepers: await clock.waitForSleepers(2, fileID: file, line: 7)
            case .sleeper: await clock.waitForSleepers(within: .seconds(1), fileID: file, line: 7)
            }
        }

        var text: String {
            switch self {
            case .stubRequests: "stub.waitForRequests()"
            case .requests: "network.waitForRequests(3)"
            case .matchingRequests: "network.waitForRequests(2)"
            case .responses: "network.waitForResponses(2)"
            case .sleepers: "clock.waitForSleepers(2)"
            case .sleeper: "clock.waitForSleepers(within: 1.0 seconds)"
            }
        }

        /// How far it gets after a request for `/b`, with a sleeper for 20 seconds.
        var progress: String {
            switch self {
            case .stubRequests:
                "0 of 1 request came to the stub for method GET, path /a (Tests/Stub.swift:3)"
            case .requests: "1 of 3 requests came"
            case .matchingRequests: "0 of 2 requests came that match method GET, path /a"
            case .responses: "0 of 2 requests ended that match method GET, path /b"
            case .sleepers: "1 of 2 sleepers are waiting on the clock"
            case .sleeper:
                "0 of 1 sleeper is due within 1.0 seconds; the next one is due in 20.0 seconds"
            }
        }
    }

    /// Starts a call that waits while a request for `/b` is delayed.
    private func start(_ call: Call) async -> (wait: Task<Void, Never>, load: Task<Void, Never>) {
        network.stub(
            .get("/b"), .json("{}").delayed(by: .seconds(20)), fileID: "Tests/Stub.swift", line: 4)
        let load = Task { _ = try? await send("/b") }
        await network.waitForRequests()
        await clock.waitForSleepers()
        let wait = Task { await call.wait(network, stub, clock) }
        await yieldWhile { network.watch.callCount < 1 }
        return (wait, load)
    }

    @discardableResult
    private func send(_ path: String) async throws -> Data {
        let url = URL(string: "https://api.example.com\(path)")!
        return try await MockURLSession(network).exchange(URLRequest(url: url)).0
    }

    @Test(arguments: Call.allCases)
    func aWaitOfFiveSecondsIsReportedOnce(_ call: Call) async {
        let (wait, load) = await start(call)

        await recorder.clock.advance(by: .milliseconds(4_900))
        #expect(recorder.reports == [])
        await recorder.waitForReport()

        #expect(
            recorder.reports == [
                """
                APIKitLiteTesting: \(call.text) (Tests/Wait.swift:7) has waited for 5.0 seconds: \
                \(call.progress).
                  The stub for method GET, path /b (Tests/Stub.swift:4) delays 1 request.
                  The clock is at 0.0 seconds. It wakes a response at 20.0 seconds.
                  To wake the first, move the clock by 20.0 seconds.

                """
            ])
        wait.cancel()
        load.cancel()
        await wait.value
        #expect(recorder.reports.count == 1)
    }

    @Test(arguments: Call.allCases)
    func aCancelledWaitIsNotReported(_ call: Call) async {
        let (wait, load) = await start(call)
        await recorder.clock.advance(by: .seconds(3))

        wait.cancel()
        await wait.value
        load.cancel()
        await load.value
        await recorder.clock.advance(by: .seconds(60))

        #expect(recorder.reports == [])
    }

    @Test(arguments: [
        Redaction.standard.adding("birthday"), .standard, .none,
    ])
    func aReportHidesWhatItsNetworkHides(_ redaction: Redaction) async throws {
        let network = recorder.network(redacting: redaction)
        let matcher = RequestMatcher.get("/a").query(["birthday": "hunter2", "token": "hunter3"])
        let stub = network.stub(matcher, .json("{}").held)
        let request = try URLRequest(
            "GET", URL(string: "https://h")!, path: "/a",
            query: ["birthday": "hunter2", "token": "hunter3"])
        let load = Task { try await MockURLSession(network).exchange(request) }
        await network.waitForRequests()
        let wait = Task {
            async let started: Void = stub.waitForRequests(2)
            async let requests = network.waitForRequests(2, matching: matcher)
            async let responses = network.waitForResponses(matching: matcher)
            _ = await (started, requests, responses)
        }
        await yieldWhile { network.watch.callCount < 3 }

        await recorder.waitForReport()
        wait.cancel()
        load.cancel()
        await wait.value
        _ = await load.result

        let lines = try #require(recorder.reports.first).split(separator: "\n")
        #expect(recorder.reports.count == 1)
        #expect(lines.count == 4)
        for line in lines {
            #expect(line.contains("hunter2") == (redaction != .standard.adding("birthday")))
            #expect(line.contains("hunter3") == (redaction == .none))
        }
    }

    @Test(
        arguments: [
            (
                .status(429).header("Retry-After", "7"),
                "The last request was answered with 429 (Too Many Requests), Retry-After: 7."
            ),
            (.status(503), "The last request was answered with 503 (Service Unavailable)."),
            (.error(.timedOut), "The last request failed: The request timed out."),
            (.status(404), nil), (.error(.cannotParseResponse), nil),
        ] as [(MockResponse, String?)])
    func asksForTheClockOfARetry(_ response: MockResponse, _ failure: String?) async throws {
        network.stub(.get("/b"), response)
        let session = MockURLSession(network).retrying(clock: MockClock())
        let load = Task { await session.outcome(of: .test("b")) }
        await network.waitForResponses()
        let wait = Task { await clock.waitForSleepers() }
        await yieldWhile { network.watch.callCount < 1 }

        await recorder.waitForReport()
        wait.cancel()
        load.cancel()
        await wait.value
        _ = await load.value

        let question = failure.map { "  \($0) Does retrying(clock:) have this clock?\n" } ?? ""
        let report = try #require(recorder.reports.first)
        #expect(report.hasSuffix("No task and no response waits on it.\n\(question)"))
    }

    @Test func aWaitThatEndsInTimeIsNotReported() async throws {
        let (wait, load) = await start(.stubRequests)
        await recorder.clock.advance(by: .seconds(4))

        try await send("/a")
        await wait.value
        load.cancel()
        await load.value
        await recorder.clock.advance(by: .seconds(60))

        #expect(recorder.reports == [])
        #expect(recorder.clock.pendingDeadlines == [])
    }

    @Test func showsTheRequestThatMatchedNoStub() async throws {
        let wait = Task { await Call.stubRequests.wait(network, stub, clock) }
        await yieldWhile { network.watch.callCount < 1 }
        await #expect(throws: MockError.self) { try await send("/c?access_token=swordfish") }

        await recorder.clock.advance(by: .seconds(6))
        wait.cancel()
        await wait.value

        let report = try #require(recorder.reports.first)
        #expect(
            report.hasPrefix(
                """
                APIKitLiteTesting: stub.waitForRequests() (Tests/Wait.swift:7) has waited for 5.0 seconds: \
                0 of 1 request came to the stub for method GET, path /a (Tests/Stub.swift:3).
                  1 request got no answer:
                    No stub answers GET https://api.example.com/c?access_token=REDACTED.
                    The only stub (Tests/Stub.swift:3):
                """))
        #expect(!report.contains("swordfish"))
        #expect(recorder.reports.count == 1)
    }
}
