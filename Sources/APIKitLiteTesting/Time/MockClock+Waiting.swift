import APIKitLite

// Waits for sleepers, and what a report says about the clock.
extension MockClock {
    /// Suspends until a number of sleepers wait on the clock, or until the task is cancelled.
    ///
    /// A task that is about to sleep may not have come to it yet, so call this before you move the
    /// clock.
    ///
    /// If nothing happens for five seconds, the wait is reported to standard error.
    ///
    /// - Parameters:
    ///   - count: The smallest number of sleepers.
    ///   - fileID: The file that a report names as the place of this call.
    ///   - line: The line that a report names as the place of this call.
    public func waitForSleepers(
        _ count: Int = 1, fileID: StaticString = #fileID, line: UInt = #line
    ) async {
        guard sleeperCount.number < count else { return }
        let call = call("waitForSleepers(\(count == 1 ? "" : "\(count)"))", "\(fileID):\(line)") {
            [sleeperCount] in
            let sleepers = count == 1 ? "sleeper waits" : "sleepers wait"
            return "\(sleeperCount.number) of \(count) \(sleepers) on the clock"
        }
        await watch.run(call) { await sleeperCount.wait(for: count) }
    }

    /// Suspends until a sleeper is due within a duration, or until the task is cancelled.
    ///
    /// Use it if there are other sleepers: `waitForSleeper(within: .seconds(1))` ignores a delay of
    /// thirty seconds, and waits for the retry.
    ///
    /// If nothing happens for five seconds, the wait is reported to standard error.
    ///
    /// - Parameters:
    ///   - duration: The longest remaining time of the sleeper.
    ///   - fileID: The file that a report names as the place of this call.
    ///   - line: The line that a report names as the place of this call.
    public func waitForSleeper(
        within duration: Duration, fileID: StaticString = #fileID, line: UInt = #line
    ) async {
        await wait("waitForSleeper", "\(fileID):\(line)", "sleeper", within: duration) {
            $0.nextRemaining
        }
    }

    /// Suspends until a deadline is due within a duration, or until the task is cancelled.
    ///
    /// Deadlines are the timeouts of policies: see ``pendingDeadlines``. Use it for a limit that
    /// begins inside an exchange, such as the longest silence of a stream. Such a limit begins
    /// again with each piece, so let the reader receive the piece before, and then wait.
    ///
    /// If nothing happens for five seconds, the wait is reported to standard error.
    ///
    /// - Parameters:
    ///   - duration: The longest remaining time of the deadline.
    ///   - fileID: The file that a report names as the place of this call.
    ///   - line: The line that a report names as the place of this call.
    public func waitForDeadline(
        within duration: Duration, fileID: StaticString = #fileID, line: UInt = #line
    ) async {
        await wait("waitForDeadline", "\(fileID):\(line)", "deadline", within: duration) {
            $0.pendingDeadlines.first
        }
    }

    /// Suspends until the next moment of one kind is due within a duration.
    private func wait(
        _ name: String, _ sourceLocation: String, _ noun: String, within duration: Duration,
        next: @escaping @Sendable (MockClock) -> Duration?
    ) async {
        if let next = next(self), next <= duration { return }
        let call = call("\(name)(within:)", sourceLocation) { [self] in
            let next = next(self).map { "the next one is due in \($0)" } ?? "there is none"
            return "no \(noun) is due within \(duration); \(next)"
        }
        await watch.run(call) {
            while !Task.isCancelled {
                let count = changeCount
                if let next = next(self), next <= duration { return }
                await changes.wait(for: count + 1)
            }
        }
    }

    private func call(
        _ text: String, _ sourceLocation: String, progress: @escaping @Sendable () -> String
    ) -> WaitReport.Call {
        WaitReport.Call(text: "clock.\(text)", sourceLocation: sourceLocation, progress: progress)
    }

    /// The number of sleepers that started to wait, and of steps that moved the clock.
    var changeCount: Int { sleepers.withLock { $0.changes } }

    private var nextRemaining: Duration? { sleepers.withLock { $0.nextRemaining } }
}

extension MockClock: WatchedObject {
    var eventCount: Int { changeCount }
    var isWaitedFor: Bool { sleepers.withLock { $0.hasTask } }
    func describe(in report: inout WaitReport) { report.clock = sleepers.withLock { $0.waitState } }
}
