import APIKitLite

/// One wait on a ``MockClock``: a waiting task, a callback or a deadline.
struct Sleeper: Sendable {
    /// What kind of work waits for the clock, in the words of a report.
    enum Kind: String {
        /// A task that sleeps.
        case task = "a task"
        /// A callback, such as the callback of a delayed response.
        case callback = "a response"
        /// The timeout of an exchange or of a handler. `waitForSleepers` does not count it.
        case deadline = "a deadline"

        /// Whether `waitForSleepers` counts it.
        var isCounted: Bool { self != .deadline }
    }

    /// Identifies a sleeper, and orders sleepers by deadline and then by arrival.
    struct Key: Comparable {
        let deadline: MockClock.Instant
        var number = 0

        static func < (left: Key, right: Key) -> Bool {
            (left.deadline, left.number) < (right.deadline, right.number)
        }
    }

    fileprivate(set) var key: Key
    let kind: Kind
    /// The identity of the task that sleeps; nil for a callback or a deadline.
    let task: Int?
    /// Wakes the sleeper. Returns false for a task that was cancelled before.
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

/// The time of one clock, and the sleepers on it. The lock of the clock owns it.
struct Sleepers: Sendable {
    private(set) var now = MockClock.Instant()
    /// The sleepers in the order in which they wake.
    private(set) var waiting: [Sleeper] = []
    /// The number of sleepers that were added, including those whose moment had passed.
    private(set) var count = 0
    /// A number that grows whenever something starts to wait, and at each step of a move.
    private(set) var changeCount = 0
    /// Whether a task was to sleep until a moment that had passed.
    private(set) var hasEndedAtOnce = false
    /// A promise for each task that was woken and has not run yet, by the number of its sleeper.
    private var resuming: [Int: Promise<Void>] = [:]
    /// The tasks that were woken and have not slept again.
    private var awake: Set<Int> = []
    /// The woken tasks that the clock no longer waits for.
    private var late: Set<Int> = []
    /// How many times in a row the clock has waited for woken tasks of which none slept again.
    private var vainWaits = 0

    /// Adds a sleeper, and returns its key; nil if its moment has passed.
    mutating func add(_ sleeper: Sleeper) -> Sleeper.Key? {
        count += 1
        if let task = sleeper.task, awake.remove(task) != nil || late.remove(task) != nil {
            vainWaits = 0
        }
        var sleeper = sleeper
        sleeper.key.number = count
        guard sleeper.key.deadline > now else {
            if sleeper.kind == .task { hasEndedAtOnce = true }
            return nil
        }
        // From the end: most sleepers come in the order in which they wake.
        let last = waiting.lastIndex { $0.key < sleeper.key }
        waiting.insert(sleeper, at: last.map { $0 + 1 } ?? 0)
        changeCount += 1
        return sleeper.key
    }

    /// Removes and returns a sleeper; nil if it does not wait any more.
    mutating func remove(_ key: Sleeper.Key) -> Sleeper? {
        waiting.firstIndex { $0.key == key }.map { waiting.remove(at: $0) }
    }

    /// Whether the next step up to a moment moves the time while a woken task may not have reached
    /// its next sleep.
    func mustSettle(before moment: MockClock.Instant) -> Bool {
        !awake.isEmpty && min(waiting.first?.key.deadline ?? moment, moment) > now
    }

    /// Whether the next step up to a moment waits as long as it can for a woken task: not after many
    /// waits in vain, if another sleeper is due.
    func isPatient(before moment: MockClock.Instant) -> Bool {
        vainWaits < 32 || waiting.first.map { $0.key.deadline > moment } ?? true
    }

    /// Moves the time to the next sleeper, and removes and returns it. If none is due up to the
    /// moment, moves the time to the moment and returns nil.
    mutating func takeNext(until moment: MockClock.Instant) -> Sleeper? {
        changeCount += 1
        // Stop waiting for woken tasks that did not sleep again.
        if mustSettle(before: moment) {
            late.formUnion(awake)
            awake = []
            vainWaits += 1
        }
        guard let next = waiting.first, next.key.deadline <= moment else {
            now = max(now, moment)
            return nil
        }
        now = max(now, next.key.deadline)
        waiting.removeFirst()
        if let task = next.task {
            resuming[next.key.number] = Promise()
            awake.insert(task)
        }
        return next
    }

    /// Records that a woken task runs again, and returns the promise for that; nil if there is none.
    mutating func didResume(_ key: Sleeper.Key) -> Promise<Void>? {
        resuming.removeValue(forKey: key.number)
    }

    /// Returns the promise for a woken task; nil if the task runs already.
    func resumption(of key: Sleeper.Key) -> Promise<Void>? { resuming[key.number] }

    /// Whether a task was woken that does not run yet.
    var hasWokenTask: Bool { !resuming.isEmpty }

    /// Whether a task sleeps.
    var hasTask: Bool { waiting.contains { $0.kind == .task } }

    /// The number of sleepers that are due within a duration, or at any time.
    func count(within duration: Duration?) -> Int {
        remaining(areDeadlines: false).count { $0 <= duration ?? $0 }
    }

    /// Returns the remaining time of all deadlines, or of all other sleepers, shortest first.
    func remaining(areDeadlines: Bool) -> [Duration] {
        waiting.filter { ($0.kind == .deadline) == areDeadlines }
            .map { now.duration(to: $0.key.deadline) }
    }
}
