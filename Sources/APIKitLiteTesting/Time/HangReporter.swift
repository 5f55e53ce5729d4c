import APIKitLite
import Foundation

/// A network or a clock that a reporter watches. Its `wait` and `details` hide secrets.
protocol WatchedObject: AnyObject, Sendable {
    /// A number that grows whenever something happens on the network or the clock.
    var eventCount: Int { get }
    /// A sentence about something that is waiting; nil if nothing is waiting.
    var wait: String? { get }
    /// More lines for a report about the network or the clock.
    var details: [String] { get }
    /// Whether a client may still be busy with what it received.
    var hasBusyReader: Bool { get }
}

/// Writes a report if something is waiting and nothing happens for five seconds of real time.
///
/// A network shares one reporter with its `MockClock`. While something is waiting, the reporter
/// checks once per second. After a report, it checks again when something else starts to wait.
package final class HangReporter: Sendable {
    /// A function that writes reports, and a clock that counts seconds.
    package struct Output: Sendable {
        fileprivate let clock: MockClock?
        fileprivate let write: @Sendable (String) -> Void

        /// Creates an output that counts the seconds on a clock or, without a clock, in real time.
        package init(clock: MockClock?, write: @escaping @Sendable (String) -> Void) {
            (self.clock, self.write) = (clock, write)
        }

        fileprivate func afterSecond(_ work: @escaping @Sendable () -> Void) {
            guard let clock else {
                return DispatchQueue.global().asyncAfter(deadline: .now() + 1, execute: work)
            }
            let moment = clock.now.advanced(by: .seconds(1))
            _ = clock.schedule(at: moment, .deadline, work)
        }
    }

    private struct State {
        var output: Output? = Output(clock: nil, write: writeToStandardError)
        /// Closures that return the watched objects, or nil if an object was released.
        var members: [@Sendable () -> (any WatchedObject)?] = []
        /// The descriptions of the test's pending calls, such as `stub.waitForRequests(3)`.
        var calls: [Int: @Sendable () -> String] = [:]
        var lastCall = 0
        /// Whether a check is scheduled.
        var isLooking = false
    }

    /// The time without an event before a report is written.
    static let time = Duration.seconds(5)
    private let state = Locked(State())
    /// Whether the main actor has run the last job that a check enqueued on it.
    private let hasMainActorRun = Locked(true)

    /// Where reports go; nil to write no reports.
    package var output: Output? {
        get { state.withLock { $0.output } }
        set { state.withLock { $0.output = newValue } }
    }

    package var callCount: Int { state.withLock { $0.calls.count } }

    var members: [any WatchedObject] { state.withLock { $0.members }.compactMap { $0() } }

    /// Watches a network or a clock, without keeping it alive.
    func add(_ object: any WatchedObject) {
        state.withLock { state in
            state.members.removeAll { $0() == nil }
            state.members.append { [weak object] in object }
        }
    }

    /// Runs a waiting call made by the test, and includes the call in reports.
    func run<R: Sendable>(
        _ text: String, _ sourceLocation: String, _ progress: @escaping @Sendable () -> String,
        _ wait: () async throws -> R
    ) async rethrows -> R {
        let id = state.withLock { state in
            state.lastCall += 1
            state.calls[state.lastCall] = {
                "\(text) (\(sourceLocation)) has waited for \(Self.time): \(progress())."
            }
            return state.lastCall
        }
        begin()
        defer { state.withLock { $0.calls[id] = nil } }
        return try await wait()
    }

    /// Schedules a check in one second, unless a check is already scheduled or there is no output.
    /// Call this method when something starts to wait.
    ///
    /// The check compares the number of events with `seen`, by default the current number.
    func begin(_ seen: Int? = nil, _ quietSeconds: Int = 0) {
        let output = state.withLock { state -> Output? in
            if state.isLooking { return nil }
            state.isLooking = state.output != nil
            return state.output
        }
        guard let output else { return }
        let seen = seen ?? eventCount
        output.afterSecond { [weak self] in self?.look(output, seen, quietSeconds) }
    }

    /// Schedules another check, writes the report, or stops if nothing is waiting.
    private func look(_ output: Output, _ seen: Int, _ quietSeconds: Int) {
        // From now on, whatever starts to wait schedules a check, unless it is found below.
        let calls = state.withLock { state in
            state.isLooking = false
            return state.calls.sorted { $0.key < $1.key }
        }
        let members = members
        let waits =
            calls.isEmpty
            ? members.compactMap(\.wait).suffix(1) : calls.map { $0.value() }[...]
        if waits.isEmpty { return }
        let count = eventCount
        let quietSeconds = count == seen ? quietSeconds + 1 : 0
        if .seconds(quietSeconds) < Self.time {
            if hasMainActorRun.withLock({ $0 }) {
                hasMainActorRun.withLock { $0 = false }
                Task { @MainActor [hasMainActorRun] in hasMainActorRun.withLock { $0 = true } }
            }
            return begin(count, quietSeconds)
        }
        var details = members.flatMap(\.details)
        // The last job was enqueued on the main actor at least a second ago.
        if output.clock == nil, !hasMainActorRun.withLock({ $0 }) {
            details.append("Something blocks the main actor, such as a semaphore or a long loop.")
        }
        let lines = waits + details.map { "  " + $0 }
        output.write("APIKitLiteTesting: \(lines.joined(separator: "\n"))\n")
    }

    /// The number of all events and of calls that started to wait.
    var eventCount: Int {
        members.reduce(state.withLock { $0.lastCall }) { $0 + $1.eventCount }
    }

    var hasBusyReader: Bool { members.contains(where: \.hasBusyReader) }
}
