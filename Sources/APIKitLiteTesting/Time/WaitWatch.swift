import APIKitLite
import Foundation

/// A network or a clock, as a watch sees it.
protocol WatchedObject: AnyObject, Sendable {
    /// A number that grows with everything that happens.
    var eventCount: Int { get }

    /// Whether something waits that the watch must look at.
    var isWaitedFor: Bool { get }

    /// Adds what waits, and what came, to a report.
    func describe(in report: inout WaitReport)
}

/// Writes a report if something waits that only the test can end, and nothing happens for five
/// seconds of real time.
///
/// A network has one watch, which it shares with its `MockClock`. The watch looks once each second
/// while something waits. After a report, it looks again when something else begins to wait.
package final class WaitWatch: Sendable {
    /// Where reports go, and what counts the seconds.
    package struct Reporter: Sendable {
        fileprivate let afterSecond: @Sendable (@escaping @Sendable () -> Void) -> Void
        fileprivate let write: @Sendable (String) -> Void

        /// Creates a reporter for the tests of this library.
        ///
        /// - Parameters:
        ///   - clock: Counts the seconds.
        ///   - write: Receives each report.
        package init(clock: MockClock, write: @escaping @Sendable (String) -> Void) {
            afterSecond = { work in
                let moment = clock.now.advanced(by: .seconds(1))
                _ = clock.schedule(at: moment, isDeadline: true, work)
            }
            self.write = write
        }

        fileprivate init() {
            afterSecond = { work in
                DispatchQueue.global().asyncAfter(deadline: .now() + 1, execute: work)
            }
            write = writeToStandardError
        }
    }

    private struct Member {
        weak var object: (any WatchedObject)?
    }

    private struct State {
        var reporter: Reporter? = Reporter()
        var members: [Member] = []
        var calls: [Int: WaitReport.Call] = [:]
        var lastCall = 0
        var isRunning = false
        var eventCount = 0
        /// The number of seconds in which nothing happened.
        var quietSeconds = 0
    }

    private let state = Locked(State())

    /// Where the reports go; nil if none are written.
    package var reporter: Reporter? {
        get { state.withLock { $0.reporter } }
        set { state.withLock { $0.reporter = newValue } }
    }

    package var callCount: Int { state.withLock { $0.calls.count } }

    /// Watches a network or a clock, without keeping it alive.
    func add(_ object: any WatchedObject) {
        state.withLock { state in
            state.members.removeAll { $0.object == nil }
            state.members.append(Member(object: object))
        }
    }

    func run<R: Sendable>(_ call: WaitReport.Call, _ wait: () async -> R) async -> R {
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

    private var members: [any WatchedObject] {
        state.withLock { $0.members }.compactMap(\.object)
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
            state.isRunning = isNeeded && state.quietSeconds < WaitReport.seconds
            return (isNeeded ? state.reporter : nil, state.calls, state.isRunning)
        }
        guard let reporter else { return }
        if isRunning { return reporter.afterSecond { [weak self] in self?.look() } }
        var report = WaitReport(calls: calls.sorted { $0.key < $1.key }.map(\.value))
        for member in members { member.describe(in: &report) }
        if report.isForTheTest { reporter.write("APIKitLiteTesting: \(report)\n") } else { begin() }
    }
}

extension [any WatchedObject] {
    fileprivate var eventCount: Int { reduce(0) { $0 + $1.eventCount } }
}
