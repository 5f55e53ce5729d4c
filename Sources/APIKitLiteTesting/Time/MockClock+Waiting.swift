import APIKitLite

// Waiting for sleepers, and describing the clock in reports.
extension MockClock {
    /// Suspends until a number of sleepers wait on the clock, or until the task is cancelled.
    ///
    /// A task might not be sleeping yet, so call this method before you move the clock. If there
    /// are other sleepers, say how soon the sleeper that you mean is due. For example,
    /// `waitForSleepers(within: .seconds(1))` ignores a delay of thirty seconds.
    ///
    /// If nothing happens for five seconds, the wait is reported to standard error.
    ///
    /// - Parameters:
    ///   - count: The minimum number of sleepers.
    ///   - duration: The longest remaining time of a sleeper to count; nil for any remaining time.
    ///   - fileID: The file of this call, for reports.
    ///   - line: The line of this call, for reports.
    public func waitForSleepers(
        _ count: Int = 1, within duration: Duration? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) async {
        @Sendable func found() -> Int { sleepers.withLock { $0.count(within: duration) } }
        guard found() < count else { return }
        let arguments = [count == 1 ? nil : "\(count)", duration.map { "within: \($0)" }]
        let text = arguments.compactMap(\.self).joined(separator: ", ")
        await watch.run("clock.waitForSleepers(\(text))", "\(fileID):\(line)") { [self] in
            let wanted = "\(found()) of \(count) sleepers wait on the clock"
            if let duration, let next = pending.first {
                return "\(wanted) within \(duration); the next one is due in \(next)"
            }
            return wanted + (pending.isEmpty ? ". \(reason)" : "")
        } _: {
            await sleepers.wait { $0.count(within: duration) >= count }
        }
    }

    /// A sentence for a report, with a likely reason why nothing is waiting on the clock.
    private var reason: String {
        sleepers.withLock { $0.hasEndedAtOnce }
            ? "A sleep on it ended immediately, because its delay was zero or negative"
            : "Perhaps it was not passed: MockNetwork(clock: clock), .retrying(clock: clock)"
    }
}

extension MockClock: WatchedObject {
    var eventCount: Int { sleepers.withLock { $0.changeCount } }

    var wait: String? {
        guard sleepers.withLock({ $0.hasTask }) else { return nil }
        return "A task has slept on a MockClock for \(HangReporter.time) of real time, and nothing "
            + "has moved the clock."
    }

    var hasBusyReader: Bool { false }

    var details: [String] {
        let (now, waiting) = sleepers.withLock { ($0.now.offset, $0.waiting) }
        let counted = waiting.filter { $0.kind != .deadline }
        let place = "The clock is at \(now.shown)."
        guard let first = counted.first else {
            let none = "\(place) No task and no response waits on it."
            if waiting.isEmpty { return [none] }
            let limits = "waitForSleepers() does not count \(waiting.shown)."
            return ["\(none) \(limits) Instead, write: await network.waitForRequests()"]
        }
        return [
            "\(place) It wakes \(counted.shown).",
            "To wake the first: await clock.advance(by: \((first.deadline.offset - now).code))",
        ]
    }
}

extension [Sleeper] {
    /// The first five sleepers, and the number of further sleepers.
    fileprivate var shown: String {
        let first = prefix(5).map { "\($0.kind.rawValue) at \($0.deadline.offset.shown)" }
        return (first + (count > 5 ? ["\(count - 5) more"] : [])).joined(separator: ", ")
    }
}

extension Duration {
    /// The duration as Swift code, such as `.seconds(20)`.
    fileprivate var code: String {
        let number = shown.dropLast(" seconds".count)
        return ".seconds(\(number.hasSuffix(".0") ? number.dropLast(2) : number))"
    }

    /// The duration as text, rounded up to microseconds.
    fileprivate var shown: String {
        let (seconds, attoseconds) = components
        let microseconds = (attoseconds + 999_999_999_999) / 1_000_000_000_000
        return "\(Duration.seconds(seconds) + .microseconds(microseconds))"
    }
}
