import APIKitLite

/// Reports once if a network has not answered a request for ``WaitReporter/patience``, and no call
/// of the test waits, which would report it.
///
/// It looks once each second while a request waits. An immediate answer never comes here.
///
/// `state` has its own lock.
final class StallWatch: Sendable {
    private struct State {
        var isRunning = false
        var hasReported = false
        /// The number of calls of the test that wait.
        var waitCount = 0
        /// The ID of the newest request at each of the last seconds, oldest first.
        var newestIDs: [Int] = []
    }

    /// What to do after a second.
    private enum Step {
        case stop
        case goOn
        /// Report, if the requests up to this ID include one that waits for the test.
        case report(upTo: Int)
    }

    private let reporter: WaitReporter?
    private let state = Locked(State())

    /// Creates a watch that has not begun.
    ///
    /// - Parameter reporter: Receives the report; nil if the network does not report.
    init(_ reporter: WaitReporter?) {
        self.reporter = reporter
    }

    /// Begins to watch, unless it does so already. Call this after the request was recorded.
    ///
    /// - Parameters:
    ///   - id: The ID of the request.
    ///   - core: The network, which the watch does not keep alive.
    func begin(_ id: Int, of core: NetworkCore) {
        guard let reporter else { return }
        let mustStart = state.withLock { state in
            guard !state.isRunning, !state.hasReported else { return false }
            state.isRunning = true
            state.newestIDs = [id]
            return true
        }
        guard mustStart else { return }
        reporter.everySecond { [weak core] in
            guard let core else { return false }
            return core.stallWatch.check(core, reporter)
        }
    }

    func beginWait() {
        state.withLock { $0.waitCount += 1 }
    }

    func endWait(hasReported: Bool) {
        state.withLock { state in
            state.waitCount -= 1
            state.hasReported = state.hasReported || hasReported
        }
    }

    /// Reports the requests that have waited for too long. Returns whether to look again.
    private func check(_ core: NetworkCore, _ reporter: WaitReporter) -> Bool {
        switch nextStep(in: core.journal) {
        case .stop: return false
        case .goOn: return true
        case .report(let id):
            guard let report = core.stallReport(upTo: id) else { return true }
            let isFirst = state.withLock { state in
                defer { state.hasReported = true }
                return !state.hasReported
            }
            if isFirst { reporter.write(report) }
            return false
        }
    }

    private func nextStep(in journal: Journal) -> Step {
        // The journal is read under the lock, so that a request that comes now is either seen here
        // or starts the watch again.
        state.withLock { state in
            guard !state.hasReported, journal.pendingCount > 0 else {
                state.isRunning = false
                return .stop
            }
            let isLong = state.newestIDs.count == WaitReporter.seconds
            let id = isLong ? state.newestIDs.removeFirst() : nil
            state.newestIDs.append(journal.lastID)
            guard let id, state.waitCount == 0 else { return .goOn }
            return .report(upTo: id)
        }
    }
}
