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
        @Sendable func found() -> Int { pending.count { $0 <= duration ?? $0 } }
        guard found() < count else { return }
        let arguments = [count == 1 ? nil : "\(count)", duration.map { "within: \($0)" }]
        let text = arguments.compactMap(\.self).joined(separator: ", ")
        await watch.run("clock.waitForSleepers(\(text))", "\(fileID):\(line)") { [self] in
            let sleepers = "\(found()) of \(count) sleeper\(count == 1 ? " is" : "s are")"
            guard let duration else { return "\(sleepers) waiting on the clock" }
            let next = pending.first.map { "the next one is due in \($0)" } ?? "there is none"
            return "\(sleepers) due within \(duration); \(next)"
        } _: {
            while !Task.isCancelled {
                let seen = changes.number
                if found() >= count { return }
                await changes.wait(for: seen + 1)
            }
        }
    }
}

extension MockClock: WatchedObject {
    var eventCount: Int { changes.number }
    var isWaitedFor: Bool { sleepers.withLock { $0.hasTask } }

    var wait: String? {
        guard isWaitedFor else { return nil }
        return "A task has slept on a MockClock for \(WaitWatch.time) of real time, and nothing "
            + "has moved the clock."
    }

    var details: [String] {
        let sleepers = sleepers.withLock { $0 }
        let counted = sleepers.waiting.filter(\.kind.isCounted)
        let deadlines = sleepers.waiting.filter { !$0.kind.isCounted }
        let now = sleepers.now.offset
        var lines = ["The clock is at \(now.shown). No task and no response waits on it."]
        if let first = counted.first {
            let list = counted.map {
                "\($0.kind == .task ? "a task" : "a response") at \($0.moment)"
            }
            lines = [
                "The clock is at \(now.shown). It wakes \(list.shown).",
                "To wake the first, move the clock by \((first.key.deadline.offset - now).shown).",
            ]
        }
        if !deadlines.isEmpty {
            let list = deadlines.map(\.moment).shown
            lines.append("Deadlines on the clock, which are no sleepers: \(list).")
        } else if counted.isEmpty, sleepers.hasEndedAtOnce {
            lines.append("A sleep on it ended at once, because its delay was zero or negative.")
        } else if counted.isEmpty, watch.members.count == 1 {
            lines.append(
                "Perhaps it was not passed: MockNetwork(clock: clock), .retrying(clock: clock).")
        }
        return lines
    }
}

extension Sleeper {
    fileprivate var moment: String { key.deadline.offset.shown }
}

extension [String] {
    /// The first elements, and the number of the others.
    fileprivate var shown: String {
        (prefix(5) + (count > 5 ? ["\(count - 5) more"] : [])).joined(separator: ", ")
    }
}

extension Duration {
    /// The duration as text, rounded up to microseconds.
    fileprivate var shown: String {
        let (seconds, attoseconds) = components
        let microseconds = (attoseconds + 999_999_999_999) / 1_000_000_000_000
        return "\(Duration.seconds(seconds) + .microseconds(microseconds))"
    }
}
