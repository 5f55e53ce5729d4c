import APIKitLite
import Foundation

/// A network or a clock, as a watch sees it. All texts are redacted.
protocol WatchedObject: AnyObject, Sendable {
    /// A number that grows with everything that happens.
    var eventCount: Int { get }
    /// Whether something waits that the watch must look at.
    var isWaitedFor: Bool { get }
    /// A sentence about what waits for the test; nil if nothing does.
    var wait: String? { get }
    /// The further lines of a report.
    var details: [String] { get }
}

/// Writes a report if something waits that only the test can end, and nothing happens for five
/// seconds of real time.
///
/// A network has one watch, which it shares with its `MockClock`. The watch looks once each second
/// while something waits. After a report, it looks again when something else begins to wait.
package final class WaitWatch: Sendable {
    /// Where reports go, and what counts the seconds.
    package struct Reporter: Sendable {
        fileprivate var clock: MockClock?
        fileprivate var write: @Sendable (String) -> Void = writeToStandardError

        fileprivate init() {}

        /// Creates a reporter for the tests of this library.
        ///
        /// - Parameters:
        ///   - clock: Counts the seconds.
        ///   - write: Receives each report.
        package init(clock: MockClock, write: @escaping @Sendable (String) -> Void) {
            (self.clock, self.write) = (clock, write)
        }

        fileprivate func afterSecond(_ work: @escaping @Sendable () -> Void) {
            guard let clock else {
                return DispatchQueue.global().asyncAfter(deadline: .now() + 1, execute: work)
            }
            let moment = clock.now.advanced(by: .seconds(1))
            _ = clock.schedule(at: moment, isDeadline: true, work)
        }
    }

    /// A call of the test, such as `stub.waitForRequests(3)`.
    private struct Call {
        let text: @Sendable () -> String
    }

    private struct Member {
        weak var object: (any WatchedObject)?
    }

    private struct State {
        var reporter: Reporter? = Reporter()
        var members: [Member] = []
        var calls: [Int: Call] = [:]
        var lastCall = 0
        var isRunning = false
        var eventCount = 0
        /// The number of seconds in which nothing happened.
        var quietSeconds = 0
    }

    /// How long nothing happens before a report is written.
    static let time = Duration.seconds(5)
    private let state = Locked(State())
    private let mainActor = MainActorTurn()

    /// Where the reports go; nil if none are written.
    package var reporter: Reporter? {
        get { state.withLock { $0.reporter } }
        set { state.withLock { $0.reporter = newValue } }
    }

    package var callCount: Int { state.withLock { $0.calls.count } }

    var members: [any WatchedObject] { state.withLock { $0.members }.compactMap(\.object) }

    /// Watches a network or a clock, without keeping it alive.
    func add(_ object: any WatchedObject) {
        state.withLock { state in
            state.members.removeAll { $0.object == nil }
            state.members.append(Member(object: object))
        }
    }

    /// Runs a wait of the test.
    ///
    /// - Parameters:
    ///   - text: The call, and the place of the call.
    ///   - progress: How far the wait has come.
    ///   - wait: The wait.
    func run<R: Sendable>(
        _ text: String, _ sourceLocation: String, _ progress: @escaping @Sendable () -> String,
        _ wait: () async -> R
    ) async -> R {
        let call = Call {
            "\(text) (\(sourceLocation)) has waited for \(Self.time): \(progress())."
        }
        let id = state.withLock { state in
            state.lastCall += 1
            state.calls[state.lastCall] = call
            return state.lastCall
        }
        begin()
        defer { state.withLock { $0.calls[id] = nil } }
        return await wait()
    }

    /// Begins to look, unless it does so already. Call this when something begins to wait.
    func begin() {
        // Strong references, which are released after the lock: the last one runs code of the user.
        let members = members
        let reporter = state.withLock { state -> Reporter? in
            guard !state.isRunning, let reporter = state.reporter else { return nil }
            state.isRunning = true
            state.eventCount = members.eventCount + state.lastCall
            state.quietSeconds = 0
            return reporter
        }
        reporter?.afterSecond { [weak self] in self?.look() }
    }

    /// Looks once more after a second, or writes the report, or stops if nothing waits.
    private func look() {
        let members = members
        let (reporter, calls, isRunning) = state.withLock { state in
            // Under the lock: a new wait is either seen here, or starts another look.
            let isNeeded = !state.calls.isEmpty || members.contains(where: \.isWaitedFor)
            let eventCount = members.eventCount + state.lastCall
            state.quietSeconds = state.eventCount == eventCount ? state.quietSeconds + 1 : 0
            state.eventCount = eventCount
            state.isRunning = isNeeded && .seconds(state.quietSeconds) < Self.time
            return (isNeeded ? state.reporter : nil, state.calls, state.isRunning)
        }
        guard let reporter else { return }
        if isRunning {
            if mainActor.isTaken { mainActor.request() }
            return reporter.afterSecond { [weak self] in self?.look() }
        }
        let waits =
            calls.isEmpty
            ? members.compactMap(\.wait).suffix(1)
            : calls.sorted { $0.key < $1.key }.map { $0.value.text() }[...]
        if waits.isEmpty { return begin() }
        var details = members.flatMap(\.details)
        // It was asked a second ago, or earlier.
        if reporter.clock == nil, !mainActor.isTaken {
            details.append("Something blocks the main actor, such as a semaphore or a long loop.")
        }
        let lines = waits + details.map { "  " + $0 }
        reporter.write("APIKitLiteTesting: \(lines.joined(separator: "\n"))\n")
    }
}

extension [any WatchedObject] {
    fileprivate var eventCount: Int { reduce(0) { $0 + $1.eventCount } }
}
