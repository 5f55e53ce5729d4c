import APIKitLite

/// A clock that stands still until a test moves it.
///
/// Code that waits cannot be tested by waiting: a test of a 30-second timeout would take 30
/// seconds. With this clock it takes milliseconds, and always the same path:
///
/// ```swift
/// let clock = MockClock()
/// let network = MockNetwork(clock: clock)
/// network.stub(.get("/report"), .json("{}").delayed(by: .seconds(20)))
/// async let report = loader.load(7)
///
/// await clock.waitForSleepers()
/// await clock.advance(by: .seconds(20))
///
/// _ = try await report
/// ```
///
/// It fits wherever a `Clock` is asked for: a network, a policy, your own code.
public final class MockClock: CallbackClock {
    /// A moment of this clock.
    public struct Instant: InstantProtocol {
        /// The time since the clock was made.
        public var offset: Duration

        /// The moment that is this long after the clock was made.
        public init(offset: Duration = .zero) {
            self.offset = offset
        }

        /// The moment that is this much later.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// How long it is from this moment to the other.
        public func duration(to other: Instant) -> Duration {
            other.offset - offset
        }

        /// Whether the left moment comes first.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }
    }

    private let sleepers = Locked(Sleepers())
    private let sleeperCount = AwaitableCounter()
    /// How often somebody fell asleep, or the clock was moved.
    private let changes = AwaitableCounter()

    /// A clock at zero.
    public init() {}

    /// The moment that the clock was last moved to.
    public var now: Instant { sleepers.withLock { $0.now } }

    /// Zero: two moments may lie as close as `Duration` can tell apart.
    public var minimumResolution: Duration { .zero }

    /// How long each sleeper still has to wait, soonest first, without the ``pendingDeadlines``.
    public var pending: [Duration] { sleepers.withLock { $0.remaining(areDeadlines: false) } }

    /// How long it is until each deadline, soonest first: the timeouts of exchanges that are under
    /// way, and of handlers that have not answered.
    ///
    /// A deadline limits something else that takes time. The clock fires it as it wakes a sleeper,
    /// but ``waitForSleepers(_:)`` and ``pending`` do not count it.
    public var pendingDeadlines: [Duration] {
        sleepers.withLock { $0.remaining(areDeadlines: true) }
    }

    /// Sleeps until the clock was moved to the deadline. One that has passed is no wait.
    ///
    /// - Throws: `CancellationError`, at once when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let waiter = Waiter<Void>()
        let task = withUnsafeCurrentTask { $0?.hashValue }
        let key = add(Sleeper(deadline, kind: .task, task) { waiter.end(with: .success(())) })
        guard let key else { return }
        defer {
            let thread = ThreadWatch.currentThread
            sleepers.withLock { $0.didResume(key, task: task, on: thread) }?
                .end(with: .success(()))
        }
        try await waiter.value(ifCancelled: .failure(CancellationError())) { [self] in remove(key) }
    }

    /// Suspends until at least `count` sleepers wait, or the task is cancelled.
    ///
    /// What is about to sleep may not be there yet: a test that moves the clock waits first.
    public func waitForSleepers(_ count: Int = 1) async {
        await sleeperCount.wait(for: count)
    }

    /// Suspends until somebody sleeps who wakes within this duration, or the task is cancelled.
    ///
    /// For a sleeper that is not the only one: `waitForSleeper(within: .seconds(1))` passes over a
    /// delay of thirty seconds, and waits for the retry.
    public func waitForSleeper(within duration: Duration) async {
        while !Task.isCancelled {
            let (count, next) = sleepers.withLock { ($0.changes, $0.nextRemaining) }
            if let next, next <= duration { return }
            await changes.wait(for: count + 1)
        }
    }

    /// Moves the clock to the next moment at which somebody wakes or a deadline is; nowhere if there
    /// is none.
    public func advanceToNextSleeper() async {
        if let next = nextDeadline { await advance(to: next) }
    }

    /// Moves the clock, and wakes every sleeper that is due on the way, at its own moment, in
    /// order; also those that the woken add before they do anything that takes longer.
    ///
    /// Before time goes on, each woken task has run, up to its next sleep on this clock or until
    /// nothing more is heard of it for a moment. What it goes on to do elsewhere is not waited for:
    /// to see the next sleeper of a chain, wait for it with ``waitForSleepers(_:)``. Time does not
    /// run backwards: a negative duration moves nothing.
    public func advance(by duration: Duration) async {
        await advance(to: now.advanced(by: duration))
    }

    /// Moves the clock to a moment, as ``advance(by:)`` does.
    public func advance(to moment: Instant) async {
        // Made for the first task that is waited for: most moves wake none.
        var limit: Task<Void, any Error>?
        defer { limit?.cancel() }
        while true {
            await settle(before: moment)
            guard let sleeper = takeNext(until: moment) else { return }
            guard sleeper.wake() else {
                // Cancelled in the same moment, so it has been resumed before.
                _ = sleepers.withLock { $0.didResume(sleeper.key) }
                continue
            }
            // On a busy machine it may take long until the task is scheduled at all.
            guard let resumption = sleepers.withLock({ $0.resumption(of: sleeper.key) }) else {
                continue
            }
            limit = limit ?? limitOfResumptions()
            try? await resumption.value()
        }
    }

    /// Ends waits for woken tasks after ten seconds. Whether a task cannot run does not show: it may
    /// wait for a thread that waits for this clock.
    private func limitOfResumptions() -> Task<Void, any Error> {
        Task.detached { [weak self] in
            while true {
                try await Task.sleep(for: .seconds(10))
                self?.stopWaitingForResumptions()
            }
        }
    }

    /// Lets those who were woken come to sleep again before time goes on, if that is what they do.
    private func settle(before moment: Instant) async {
        for _ in 0..<16 where mustSettle(before: moment) { await Task.yield() }
        guard mustSettle(before: moment) else { return }
        // The system may have taken the processor from one of them.
        var watches = sleepers.withLock(\.awakeThreads).compactMap { ThreadWatch($0) }
        for _ in 0..<2_000 where mustSettle(before: moment) {
            await pause()
            watches = watches.compactMap { watch in
                var watch = watch
                return watch.hasGotOn() ? nil : watch
            }
            if watches.isEmpty { return }
        }
    }

    private func mustSettle(before moment: Instant) -> Bool {
        sleepers.withLock { $0.mustSettle(before: moment) }
    }

    private func takeNext(until moment: Instant) -> Sleeper? {
        let sleeper = sleepers.withLock { $0.takeNext(until: moment) }
        if let sleeper, sleeper.kind.isCounted { sleeperCount.update { $0 -= 1 } }
        changes.update { $0 += 1 }
        return sleeper
    }

    private func stopWaitingForResumptions() {
        for resumption in sleepers.withLock({ $0.takeResumptions() }) {
            resumption.end(with: .success(()))
        }
    }

    /// A millisecond of real time, also in a cancelled task.
    private func pause() async {
        await Task.detached { try? await Task.sleep(for: .milliseconds(1)) }.value
    }
}

extension MockClock {
    package func schedule(
        at moment: Instant, isDeadline: Bool, _ work: @escaping @Sendable () -> Void
    ) -> Cancellation {
        let kind = isDeadline ? Sleeper.Kind.deadline : .callback
        let key = add(
            Sleeper(moment, kind: kind) {
                work()
                return true
            })
        if key == nil { work() }
        return Cancellation { [self] in if let key { remove(key) } }
    }

    /// The next moment at which somebody wakes or a deadline is.
    var nextDeadline: Instant? { sleepers.withLock { $0.waiting.first?.key.deadline } }

    /// The key of a sleeper that waits from now on; nil where its moment has passed.
    private func add(_ sleeper: Sleeper) -> Sleeper.Key? {
        let key = sleepers.withLock { $0.add(sleeper) }
        guard key != nil else { return nil }
        if sleeper.kind.isCounted { sleeperCount.update { $0 += 1 } }
        changes.update { $0 += 1 }
        return key
    }

    private func remove(_ key: Sleeper.Key) {
        let sleeper = sleepers.withLock { $0.remove(key) }
        if let sleeper, sleeper.kind.isCounted { sleeperCount.update { $0 -= 1 } }
    }
}
