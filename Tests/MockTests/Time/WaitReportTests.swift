import TestSupport
import Testing

@testable import APIKitLiteTesting

/// The texts of reports, from values alone.
@Suite(.limited) struct WaitReportTests {
    private static let stub = "the stub for GET /a (Tests/A.swift:3)"

    private let call = WaitReport.Call(
        text: "stub.waitForRequests(3)", sourceLocation: "Tests/A.swift:7",
        progress: { "1 of 3 requests" })

    private func report(
        clock: WaitReport.Clock? = nil, _ networks: WaitReport.Network...
    ) -> WaitReport {
        WaitReport(
            calls: [call], request: ("GET https://a.test/", false), clock: clock, networks: networks
        )
    }

    private func details(_ report: WaitReport) -> [String] {
        report.description.split(separator: "\n").dropFirst().map(String.init)
    }

    @Test func theFirstLinesSayWhatWaitsAndWhere() {
        let lines = report().description.split(separator: "\n")

        #expect(
            lines == [
                "stub.waitForRequests(3) (Tests/A.swift:7) has waited for 5.0 seconds: 1 of 3 requests."
            ])
        var both = report()
        both.calls.append(call)
        #expect(both.description.split(separator: "\n") == lines + lines)
    }

    @Test(arguments: [
        (
            Array(repeating: WaitReport.Waiting(cause: .release, stub: stub), count: 2),
            [
                "  The stub for GET /a (Tests/A.swift:3) holds 2 requests. To release them, call "
                    + "stub.release()."
            ]
        ),
        (
            [.init(cause: .handler, stub: stub), .init(cause: .handler)],
            [
                "  The handler of the stub for GET /a (Tests/A.swift:3) has not returned for "
                    + "1 request.",
                "  The closure of the network has not returned for 1 request.",
            ]
        ),
        (
            [.init(cause: .session, stub: stub)],
            [
                "  The session to which the stub for GET /a (Tests/A.swift:3) passes 1 request has "
                    + "not answered."
            ]
        ),
    ])
    func aLineForEachStubSaysWhatItsRequestsWaitFor(
        _ waiting: [WaitReport.Waiting], _ lines: [String]
    ) {
        #expect(details(report(.init(requestCount: 2, waiting: waiting))) == lines)
    }

    @Test func listsFiveStubs() {
        let waiting = (1...7).map { WaitReport.Waiting(cause: .release, stub: "the stub \($0)") }

        let lines = details(report(.init(requestCount: 7, waiting: waiting)))

        #expect(lines.count == 6)
        #expect(lines.last == "  The requests of 2 more stubs wait.")
    }

    @Test(arguments: [
        (1, ["  1 request got no answer:", "    No stub answers.", "      ✗ path", "    b"]),
        (
            4,
            [
                "  4 requests got no answer:", "    No stub answers.", "      ✗ path", "    b",
                "    and 2 more.",
            ]
        ),
    ])
    func errorTextsAreIndented(_ count: Int, _ lines: [String]) {
        let errors = ["No stub answers.\n  ✗ path", "b"]
        let shown = min(count, 2)

        let network = WaitReport.Network(
            requestCount: 4, errors: Array(errors.prefix(shown)), errorCount: count)

        #expect(details(report(network)) == lines.filter { shown > 1 || $0 != "    b" })
    }

    @Test func aNetworkWithoutRequestsGetsAdvice() {
        #expect(details(report(.init())) == ["  \(WaitReport.noRequest)"])
        #expect(details(report()) == [])
        #expect(details(report(.init(), .init(requestCount: 1))) == [])
    }

    private static let isQuiet =
        "  The clock is at 0.0 seconds. No task and no response waits on it."

    @Test(arguments: [
        (
            WaitReport.Network(requestCount: 1, failure: "It failed."),
            [isQuiet, "  It failed. Does retrying(clock:) have this clock?"]
        ),
        (.init(requestCount: 1), [isQuiet]),
        (.init(), ["  \(WaitReport.noRequest)", isQuiet]),
    ])
    func aQuietClockMayBeAnotherThanThatOfARetry(_ network: WaitReport.Network, _ lines: [String]) {
        #expect(details(report(clock: .init(now: .zero), network)) == lines)
    }

    @Test(arguments: [WaitReport.Clock(now: .zero), nil])
    func aStreamMayHaveADeadlineOnAnotherClock(_ clock: WaitReport.Clock?) {
        let stream = WaitReport.Network(
            requestCount: 1, waiting: [.init(cause: .test, stub: Self.stub)])

        #expect(
            details(report(clock: clock, stream)) == [
                "  The stub for GET /a (Tests/A.swift:3) keeps the stream of 1 request open. To end "
                    + "it, call stub.finish().",
                clock == nil
                    ? "  If timingOut(idle:) has a MockClock, pass it to MockNetwork(clock:), too. "
                        + "Then this report shows its deadlines." : Self.isQuiet,
            ])
    }

    @Test(arguments: [
        (
            WaitReport.Clock(now: .seconds(3)),
            [
                "  The clock is at 3.0 seconds. No task and no response waits on it.",
                "  Perhaps it was not passed: MockNetwork(clock: clock), .retrying(clock: clock).",
            ]
        ),
        (
            WaitReport.Clock(
                now: .seconds(3),
                sleepers: [
                    (isTask: true, moment: .seconds(5) - .nanoseconds(1)),
                    (isTask: false, moment: .seconds(9)),
                ],
                deadlines: [.seconds(60)]),
            [
                "  The clock is at 3.0 seconds. It wakes a task at 5.0 seconds, a response at "
                    + "9.0 seconds.",
                "  To wake the first, move the clock by 2.0 seconds.",
                "  Deadlines on the clock, which are no sleepers: 60.0 seconds.",
            ]
        ),
        (
            WaitReport.Clock(now: .zero, deadlines: (1...7).map { .seconds($0) }),
            [
                "  The clock is at 0.0 seconds. No task and no response waits on it.",
                "  Deadlines on the clock, which are no sleepers: 1.0 seconds, 2.0 seconds, "
                    + "3.0 seconds, 4.0 seconds, 5.0 seconds, 2 more.",
            ]
        ),
    ])
    func theClockSaysWhatWaitsOnIt(_ clock: WaitReport.Clock, _ lines: [String]) {
        #expect(details(report(clock: clock)) == lines)
    }
}
