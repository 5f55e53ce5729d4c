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
    /// Tells the task that sleeps from others.
    let task: Int?
    /// Returns false for a task that was cancelled before.
    let wake: @Sendable () -> Bool

    init(
        _ deadline: MockClock.Instant, kind: Kind, _ task: Int? = nil,
        wake: @escaping @Sendable () -> Bool
    ) {
        key = Key(deadline: deadline)
        self.kind = kind
        self.task = task
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
    /// The tasks that were woken and have not run yet, each with who waits for that.
    private var resuming: [Int: Waiter<Void>] = [:]
    /// The tasks that were woken and have not come to sleep again, each with the thread on which it
    /// went on.
    private var awake: [Int: String?] = [:]

    /// Returns `nil` where the moment has passed.
    mutating func add(_ sleeper: Sleeper) -> Sleeper.Key? {
        count += 1
        if let task = sleeper.task { awake[task] = nil }
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

    /// Whether the next step up to a moment moves the time, and a woken task may not have come as far
    /// as to its next sleep.
    func mustSettle(before moment: MockClock.Instant) -> Bool {
        !awake.isEmpty && min(waiting.first?.key.deadline ?? moment, moment) > now
    }

    /// Moves the time to the next sleeper and takes it out; to the moment itself if none is left.
    mutating func takeNext(until moment: MockClock.Instant) -> Sleeper? {
        changes += 1
        // Whoever has not come to sleep when the time moves on does something else.
        if mustSettle(before: moment) { awake = [:] }
        guard let next = waiting.first, next.key.deadline <= moment else {
            now = max(now, moment)
            return nil
        }
        now = max(now, next.key.deadline)
        waiting.removeFirst()
        if next.kind == .task {
            resuming[next.key.number] = Waiter()
            if let task = next.task { awake[task] = .some(nil) }
        }
        return next
    }

    /// The threads on which those went on who have not come to sleep again.
    var awakeThreads: [String] { awake.values.compactMap(\.self) }

    /// Records that a task which slept runs again, and returns who waits for that.
    mutating func didResume(
        _ key: Sleeper.Key, task: Int? = nil, on thread: String? = nil
    ) -> Waiter<Void>? {
        if let task, awake[task] != nil { awake[task] = .some(thread) }
        return resuming.removeValue(forKey: key.number)
    }

    /// The wait for a woken task. If it runs already, `nil`.
    func resumption(of key: Sleeper.Key) -> Waiter<Void>? {
        resuming[key.number]
    }

    mutating func takeResumptions() -> [Waiter<Void>] {
        defer { resuming = [:] }
        return Array(resuming.values)
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
