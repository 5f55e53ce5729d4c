import APIKitLite

// Waits for sleepers, and what a report says about the clock.
extension MockClock {
    /// Suspends until a number of sleepers wait on the clock, or until the task is cancelled.
    ///
    /// A task that is about to sleep may not have come to it yet, so call this before you move the
    /// clock. If there are other sleepers, say how soon the one that you mean is due:
    /// `waitForSleepers(within: .seconds(1))` ignores a delay of thirty seconds, and waits for the
    /// retry.
    ///
    /// If nothing happens for five seconds, the wait is reported to standard error.
    ///
    /// - Parameters:
    ///   - count: The smallest number of sleepers.
    ///   - duration: The longest remaining time of a sleeper that counts; nil for any.
    ///   - fileID: The file that a report names as the place of this call.
    ///   - line: The line that a report names as the place of this call.
    public func waitForSleepers(
        _ count: Int = 1, within duration: Duration? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) async {
        guard sleeperCount(within: duration) < count else { return }
        let arguments = [count == 1 ? nil : "\(count)", duration.map { "within: \($0)" }]
        let text = "waitForSleepers(\(arguments.compactMap(\.self).joined(separator: ", ")))"
        let call = call(text, "\(fileID):\(line)") { [self] in
            let state = duration.map { "due within \($0)" } ?? "waiting on the clock"
            let found =
                "\(sleeperCount(within: duration)) of \(count) "
                + "\(count == 1 ? "sleeper is" : "sleepers are") \(state)"
            guard duration != nil else { return found }
            return found + "; "
                + (pending.first.map { "the next one is due in \($0)" } ?? "there is none")
        }
        await watch.run(call) {
            guard duration != nil else { return await sleeperCount.wait(for: count) }
            while !Task.isCancelled {
                let changeCount = changeCount
                if sleeperCount(within: duration) >= count { return }
                await changes.wait(for: changeCount + 1)
            }
        }
    }

    /// The number of sleepers that are due within a duration; nil for any.
    private func sleeperCount(within duration: Duration?) -> Int {
        duration.map { duration in pending.count { $0 <= duration } } ?? sleeperCount.number
    }

    private func call(
        _ text: String, _ sourceLocation: String, progress: @escaping @Sendable () -> String
    ) -> WaitReport.Call {
        WaitReport.Call(text: "clock.\(text)", sourceLocation: sourceLocation, progress: progress)
    }

    /// The number of sleepers that started to wait, and of steps that moved the clock.
    var changeCount: Int { sleepers.withLock { $0.changes } }
}

extension MockClock: WatchedObject {
    var eventCount: Int { changeCount }
    var isWaitedFor: Bool { sleepers.withLock { $0.hasTask } }
    func describe(in report: inout WaitReport) { report.clock = sleepers.withLock { $0.waitState } }
}
