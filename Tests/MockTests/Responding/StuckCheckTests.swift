import APIKitLite
import Testing

@testable import APIKitLiteTesting

/// When the wait for a stub ends early.
@Suite(.timeLimit(.minutes(5))) struct StuckCheckTests {
    /// A network whose activity a test sets.
    private final class Network: StubNetwork {
        let current: Locked<NetworkActivity>

        init(_ activity: NetworkActivity) {
            current = Locked(activity)
        }

        var mockClock: MockClock? { nil }
        var activity: NetworkActivity { current.withLock { $0 } }
        var waitState: WaitReport.Network { .init() }
        var isStalled: Bool { false }
        func beginWait() {}
        func endWait(hasReported: Bool) {}
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var atStart = NetworkActivity()
        var atFirst = NetworkActivity(eventCount: 1, errorCount: 1, isLastUnmatched: true)
        var atLast: NetworkActivity?
        /// The time of the last call. The calls before it come one second after the other.
        var last = Duration.seconds(5)
        var isStuck = false
    }

    @Test(arguments: [
        Case(testDescription: "a request matched nothing", isStuck: true),
        Case(
            testDescription: "it came before the wait",
            atStart: .init(eventCount: 1, errorCount: 1, isLastUnmatched: true), isStuck: true),
        Case(
            testDescription: "an answered request came after it, before the wait",
            atStart: .init(eventCount: 2, errorCount: 1),
            atFirst: .init(eventCount: 2, errorCount: 1)),
        Case(testDescription: "every request was answered", atFirst: .init(eventCount: 1)),
        Case(
            testDescription: "a request is in flight",
            atFirst: .init(eventCount: 2, errorCount: 1, isIdle: false)),
        Case(
            testDescription: "another request came",
            atLast: .init(eventCount: 2, errorCount: 2, isLastUnmatched: true)),
        Case(testDescription: "the machine is busy", last: .milliseconds(5_300)),
    ])
    func endsOnlyWhereNothingIsLeft(_ test: Case) {
        let network = Network(test.atStart)
        let check = StuckCheck(network)
        network.current.withLock { $0 = test.atFirst }

        for second in 1...4 { #expect(!check.isStuck(at: .seconds(second))) }
        network.current.withLock { $0 = test.atLast ?? test.atFirst }

        #expect(check.isStuck(at: test.last) == test.isStuck)
    }
}
