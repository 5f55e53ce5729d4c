import APIKitLite

/// A network, as a wait sees it.
protocol WatchedNetwork: AnyObject, Sendable {
    /// The requests of the network, for a report.
    var waitState: WaitReport.Network { get }

    /// Whether a client waits for what only the test can give. The network reports that by itself.
    var isStalled: Bool { get }

    /// Counts a wait that begins. While there is one, the network does not report by itself.
    func beginWait()

    /// Counts a wait that ends.
    ///
    /// - Parameter hasReported: Whether a report of it showed the network.
    func endWait(hasReported: Bool)
}

/// One wait of a test, which is reported at most once: when it has lasted, when it is cancelled, or
/// when it ends early.
///
/// `state` has its own lock.
final class WaitWatch: Sendable {
    /// What a report shows of the wait.
    struct Call: Sendable {
        /// The call, such as `stub.started(3)`.
        let text: String
        let sourceLocation: String
        /// Returns how far the wait got.
        let progress: @Sendable () -> String
    }

    /// What is released at the end, so that the timer keeps no network alive.
    private struct State {
        var call: Call?
        var networks: [any WatchedNetwork]
        var clock: MockClock?
        var seconds = 0
        var hasReported = false
    }

    private let reporter = WaitReporter.current
    private let start: Duration
    private let eachSecond: @Sendable (WaitWatch, Duration) -> Void
    private let state: Locked<State>

    /// Begins to watch a wait.
    ///
    /// - Parameters:
    ///   - call: The call that waits.
    ///   - networks: The networks on which it depends.
    ///   - clock: The clock on which it depends, or that of its network; nil if that is not a
    ///     `MockClock`.
    ///   - eachSecond: Called each second until the end; the argument is the time since the start.
    init(
        _ call: Call, over networks: [any WatchedNetwork], on clock: MockClock?,
        eachSecond: @escaping @Sendable (WaitWatch, Duration) -> Void = { _, _ in }
    ) {
        start = reporter.now
        self.eachSecond = eachSecond
        state = Locked(State(call: call, networks: networks, clock: clock))
        for network in networks { network.beginWait() }
        clock?.sleepWatch?.beginWait()
    }

    /// Runs the wait, and then ends the watch. If the task is cancelled in the meantime, reports
    /// that.
    func run<R: Sendable>(_ wait: @Sendable () async -> R) async -> R {
        defer { end() }
        if Task.isCancelled { return await wait() }
        return await withTaskCancellationHandler {
            // In here, so that a cancellation is reported from the first second on.
            countSeconds()
            return await wait()
        } onCancel: {
            if reporter.now - start >= WaitReporter.grace { report(.cancelled) }
        }
    }

    /// Writes the report, unless it was written or the wait has ended.
    func report(_ occasion: WaitReport.Occasion) {
        let state = state.withLock { state -> State? in
            guard state.call != nil, !state.hasReported else { return nil }
            state.hasReported = true
            return state
        }
        guard let state, let call = state.call else { return }
        // Outside of the lock, because it runs the code of networks.
        reporter.write(
            WaitReport(
                subject: .call(
                    call.text, sourceLocation: call.sourceLocation, progress: call.progress(),
                    occasion),
                clock: state.clock?.waitState, networks: state.networks.map(\.waitState)))
    }

    private func countSeconds() {
        reporter.everySecond { [weak self] in
            guard let self, let seconds = countSecond() else { return false }
            eachSecond(self, reporter.now - start)
            if seconds == WaitReporter.seconds { report(.lasted) }
            return true
        }
    }

    /// Counts a second, and returns the number; nil after the end.
    private func countSecond() -> Int? {
        state.withLock { state in
            guard state.call != nil else { return nil }
            state.seconds += 1
            return state.seconds
        }
    }

    private func end() {
        let old = state.withLock { state in
            defer { (state.call, state.networks, state.clock) = (nil, [], nil) }
            return state
        }
        for network in old.networks { network.endWait(hasReported: old.hasReported) }
        old.clock?.sleepWatch?.endWait(hasReported: old.hasReported)
    }
}
