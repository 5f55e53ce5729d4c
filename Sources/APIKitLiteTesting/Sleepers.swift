import APIKitLite

/// What waits on a ``MockClock`` for one moment.
struct Sleeper: Sendable {
    enum Kind: Sendable {
        /// A task that sleeps.
        case task
        /// A call, as of a delayed response.
        case callback
        /// A limit on something else that takes time.
        case deadline

        /// Whether a test that waits for sleepers means it.
        var isCounted: Bool { self != .deadline }
    }

    /// Tells one sleeper from another, and orders them: by deadline, then by arrival.
    struct Key: Comparable {
        let deadline: MockClock.Instant
        var number = 0

        static func < (left: Key, right: Key) -> Bool {
            (left.deadline, left.number) < (right.deadline, right.number)
        }
    }

    fileprivate(set) var key: Key
    let kind: Kind
    let wake: @Sendable () -> Void

    init(_ deadline: MockClock.Instant, kind: Kind, wake: @escaping @Sendable () -> Void) {
        key = Key(deadline: deadline)
        self.kind = kind
        self.wake = wake
    }
}

/// The time of one clock, and what waits on it.
struct Sleepers {
    private(set) var now = MockClock.Instant()
    /// In the order in which they wake.
    private(set) var waiting: [Sleeper] = []
    /// How many came, those included whose moment had passed.
    private(set) var count = 0
    /// How often something came to wait, or the time was moved.
    private(set) var changes = 0
    /// The tasks that were woken and have not run yet.
    private var resuming: Set<Int> = []

    /// Returns `nil` where the moment has passed.
    mutating func add(_ sleeper: Sleeper) -> Sleeper.Key? {
        count += 1
        var sleeper = sleeper
        sleeper.key.number = count
        guard sleeper.key.deadline > now else { return nil }
        waiting.insert(sleeper, at: index(of: sleeper.key))
        changes += 1
        return sleeper.key
    }

    mutating func remove(_ key: Sleeper.Key) -> Sleeper? {
        let index = index(of: key)
        guard index < waiting.count, waiting[index].key == key else { return nil }
        return waiting.remove(at: index)
    }

    /// Whether the next step up to a moment moves the time.
    func movesTime(until moment: MockClock.Instant) -> Bool {
        min(waiting.first?.key.deadline ?? moment, moment) > now
    }

    /// Moves the time to the next sleeper and takes it out; to the moment itself if none is left.
    mutating func takeNext(until moment: MockClock.Instant) -> Sleeper? {
        changes += 1
        guard let next = waiting.first, next.key.deadline <= moment else {
            now = max(now, moment)
            return nil
        }
        now = max(now, next.key.deadline)
        waiting.removeFirst()
        if next.kind == .task { resuming.insert(next.key.number) }
        return next
    }

    /// Records that a task which slept runs again.
    mutating func didResume(_ key: Sleeper.Key) {
        resuming.remove(key.number)
    }

    func isResuming(_ key: Sleeper.Key) -> Bool {
        resuming.contains(key.number)
    }

    /// How long the next sleeper has to wait that is no deadline.
    var nextRemaining: Duration? {
        waiting.first { $0.kind.isCounted }.map { now.duration(to: $0.key.deadline) }
    }

    func remaining(areDeadlines: Bool) -> [Duration] {
        waiting.filter { ($0.kind == .deadline) == areDeadlines }
            .map { now.duration(to: $0.key.deadline) }
    }

    /// Where the key is, or belongs.
    private func index(of key: Sleeper.Key) -> Int {
        // Most come in the order in which they wake.
        if let last = waiting.last, last.key < key { return waiting.count }
        var (low, high) = (0, waiting.count)
        while low < high {
            let middle = (low + high) / 2
            if waiting[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
