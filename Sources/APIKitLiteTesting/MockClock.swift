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
public final class MockClock: Clock {
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
    private let sleeperCount = Milestone()
    /// How often somebody fell asleep, or the clock was moved.
    private let changes = Milestone()

    /// A clock at zero.
    public init() {}

    /// The moment that the clock was last moved to.
    public var now: Instant { sleepers.withLock { $0.now } }

    /// Zero: two moments may lie as close as `Duration` can tell apart.
    public var minimumResolution: Duration { .zero }

    /// How long each sleeper still has to wait, soonest first.
    public var pending: [Duration] {
        sleepers.withLock { sleepers in
            sleepers.waiting.map { sleepers.now.duration(to: $0.key.deadline) }
        }
    }

    /// Sleeps until the clock was moved to the deadline. One that has passed is no wait.
    ///
    /// - Throws: `CancellationError`, at once when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let key = sleepers.withLock { $0.makeKey(deadline) }
        // Whoever takes the sleeper out resumes it: so once. A cancellation that comes before it is
        // in is seen right after it is.
        let giveUp: @Sendable () -> Void = { [self] in remove(key)?(CancellationError()) }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                add(key) { error in
                    continuation.resume(with: error.map { .failure($0) } ?? .success(()))
                }
                if Task.isCancelled { giveUp() }
            }
        } onCancel: {
            giveUp()
        }
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
    /// timeout of thirty seconds, and waits for the retry.
    public func waitForSleeper(within duration: Duration) async {
        while !Task.isCancelled {
            let (count, isThere) = sleepers.withLock { sleepers in
                let latest = sleepers.now.advanced(by: duration)
                return (sleepers.changes, sleepers.waiting.first.map { $0.key.deadline <= latest })
            }
            if isThere == true { return }
            await changes.wait(for: count + 1)
        }
    }

    /// Moves the clock to the next moment at which somebody wakes; nowhere if nobody sleeps.
    public func advanceToNextSleeper() async {
        if let next = nextDeadline { await advance(to: next) }
    }

    /// Moves the clock, and wakes every sleeper that is due on the way, at its own moment, in
    /// order; also those that the woken add before they do anything that takes longer.
    ///
    /// It does not wait for what the woken go on to do: to see the next sleeper of a chain, wait
    /// for it with ``waitForSleepers(_:)``. Time does not run backwards: a negative duration moves
    /// nothing.
    public func advance(by duration: Duration) async {
        await advance(to: now.advanced(by: duration))
    }

    /// Moves the clock to a moment, as ``advance(by:)`` does.
    public func advance(to moment: Instant) async {
        while let wake = takeNext(until: moment) {
            sleeperCount.update { $0 -= 1 }
            let count = sleepers.withLock { $0.count }
            wake(nil)
            await settle(unlessBeyond: count)
        }
    }

    private func takeNext(until moment: Instant) -> Sleepers.Wake? {
        defer { changes.update { $0 += 1 } }
        return sleepers.withLock { $0.takeNext(until: moment) }
    }

    /// Lets the one that was woken go on until it sleeps again: a few turns are enough for one that
    /// only counts, and nothing is promised to one that does more.
    private func settle(unlessBeyond count: Int) async {
        for _ in 0..<64 where sleepers.withLock({ $0.count == count }) { await Task.yield() }
    }
}

extension MockClock {
    /// Calls back when the clock is moved to the deadline, within `advance`; at once where it has
    /// passed.
    func schedule(at deadline: Instant, _ work: @escaping @Sendable () -> Void) -> SleeperKey {
        let key = sleepers.withLock { $0.makeKey(deadline) }
        add(key) { error in
            if error == nil { work() }
        }
        return key
    }

    func cancel(_ key: SleeperKey) {
        _ = remove(key)
    }

    /// The next moment at which somebody wakes.
    var nextDeadline: Instant? { sleepers.withLock { $0.waiting.first?.key.deadline } }

    private func add(_ key: SleeperKey, _ wake: @escaping Sleepers.Wake) {
        let isDue = sleepers.withLock { !$0.add(key, wake) }
        guard !isDue else { return wake(nil) }
        sleeperCount.update { $0 += 1 }
        changes.update { $0 += 1 }
    }

    private func remove(_ key: SleeperKey) -> Sleepers.Wake? {
        let sleeper = sleepers.withLock { $0.remove(key) }
        if sleeper != nil { sleeperCount.update { $0 -= 1 } }
        return sleeper
    }
}

/// Tells one sleeper from another, and orders them: by deadline, then by arrival.
struct SleeperKey: Comparable {
    let deadline: MockClock.Instant
    let number: Int

    static func < (left: SleeperKey, right: SleeperKey) -> Bool {
        (left.deadline, left.number) < (right.deadline, right.number)
    }
}

/// Those who sleep on one clock, and its time.
private struct Sleepers {
    typealias Wake = @Sendable ((any Error)?) -> Void

    struct Sleeper: Sendable {
        let key: SleeperKey
        let wake: Wake
    }

    var now = MockClock.Instant()
    /// In the order in which they wake.
    private(set) var waiting: [Sleeper] = []
    /// How many came.
    private(set) var count = 0
    /// How often somebody fell asleep, or the time was moved.
    private(set) var changes = 0

    mutating func makeKey(_ deadline: MockClock.Instant) -> SleeperKey {
        count += 1
        return SleeperKey(deadline: deadline, number: count)
    }

    /// False where the deadline has passed.
    mutating func add(_ key: SleeperKey, _ wake: @escaping Wake) -> Bool {
        guard key.deadline > now else { return false }
        waiting.insert(Sleeper(key: key, wake: wake), at: index(of: key))
        changes += 1
        return true
    }

    mutating func remove(_ key: SleeperKey) -> Wake? {
        let index = index(of: key)
        guard index < waiting.count, waiting[index].key == key else { return nil }
        return waiting.remove(at: index).wake
    }

    /// Moves the time to the next sleeper and takes it out; to the moment itself if none is left.
    mutating func takeNext(until moment: MockClock.Instant) -> Wake? {
        changes += 1
        guard let next = waiting.first, next.key.deadline <= moment else {
            now = max(now, moment)
            return nil
        }
        now = max(now, next.key.deadline)
        return waiting.removeFirst().wake
    }

    /// Where the key is, or belongs.
    private func index(of key: SleeperKey) -> Int {
        var (low, high) = (0, waiting.count)
        while low < high {
            let middle = (low + high) / 2
            if waiting[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
