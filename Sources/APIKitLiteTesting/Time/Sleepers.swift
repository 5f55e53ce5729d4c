import APIKitLite

/// A task that waits on a ``MockClock``, or a callback or a deadline that is scheduled on it.
struct Sleeper: Sendable {
    /// The kind of work waiting on the clock, as a report names it.
    enum Kind: String {
        /// A task that sleeps.
        case task = "a task"
        /// A callback, such as one that ends a response's delay, or that times out a held response.
        case callback = "a response"
        /// The timeout of an exchange or a handler. `waitForSleepers` does not count deadlines.
        case deadline = "a deadline"
    }

    let deadline: MockClock.Instant
    let kind: Kind
    /// The identity of the sleeping task; nil for a callback or a deadline.
    var task: Int?
    /// The identity of the sleeper, which `Sleepers.add` assigns.
    fileprivate(set) var number = 0
    /// Wakes the sleeper. Returns false for a task that has already been cancelled.
    let wake: @Sendable () -> Bool
}

/// The current time of one clock, and its sleepers. The clock's lock guards this value.
struct Sleepers: Sendable {
    private(set) var now = MockClock.Instant()
    /// The sleepers in the order in which they wake.
    private(set) var waiting: [Sleeper] = []
    /// A number that grows with each call of `add`, even for a sleeper that is already due, and
    /// whenever a move wakes a sleeper or ends.
    private(set) var changeCount = 0
    /// Whether a task tried to sleep until a moment that the clock had already reached.
    private(set) var hasEndedAtOnce = false
    /// The number of woken tasks that are not running yet.
    private(set) var wokenCount = 0
    /// The tasks that the clock woke and the handlers that were called, until they wait or return.
    private var awake: Set<Int> = []
    /// The number of clients, other than the tasks in `awake`, that continued, for example after a
    /// response, and have not waited again. The initial value counts a client that the test may
    /// have started before it moves the clock.
    private var activeCount = 1
    /// The number of reply steps in progress, during which the time must not move.
    var stepCount = 0
    /// Whether the reader of a stream may be busy with a piece that it has received.
    private(set) var mayRead = false

    /// Adds a sleeper and returns its number, or returns nil if the sleeper is already due.
    mutating func add(_ sleeper: Sleeper) -> Int? {
        changeCount += 1
        if let task = sleeper.task { clientWaits(task) }
        var sleeper = sleeper
        sleeper.number = changeCount
        guard sleeper.deadline > now else {
            if sleeper.kind == .task { hasEndedAtOnce = true }
            return nil
        }
        // The search begins at the end, because most sleepers arrive in the order in which they
        // wake.
        let last = waiting.lastIndex { $0.deadline <= sleeper.deadline }
        waiting.insert(sleeper, at: last.map { $0 + 1 } ?? 0)
        return sleeper.number
    }

    /// Removes the sleeper with a number, if it is still waiting. For nil, removes nothing.
    mutating func remove(_ number: Int?) {
        if let index = waiting.firstIndex(where: { $0.number == number }) {
            waiting.remove(at: index)
        }
    }

    /// Records that a task waits for the clock, or has returned from the user's code or a session.
    /// Without a task, records that a client waits for a response that is not immediate.
    mutating func clientWaits(_ task: Int? = nil) {
        if task == nil, !awake.isEmpty {
            // Nothing says whether the client is one of these tasks, so from now on only the number
            // of tasks counts.
            activeCount += awake.count
            awake = []
        }
        if task.flatMap({ awake.remove($0) }) == nil { activeCount = max(0, activeCount - 1) }
    }

    /// Records that a client continues, for example because its response has ended.
    mutating func clientContinues() { activeCount += 1 }

    /// Records that a task is running, until it waits.
    mutating func taskRuns(_ task: Int) { awake.insert(task) }

    /// Records that a running task is about to move the clock. Returns the task, or nil if it is
    /// not in `awake`.
    mutating func taskMoves(_ task: Int) -> Int? { awake.remove(task) }

    /// Records that a client receives a part of a response.
    mutating func clientReads() { mayRead = true }

    /// Stops waiting for the clients that are active.
    mutating func clientsRest() { (awake, activeCount, mayRead) = ([], 0, false) }

    /// What a move does next.
    enum Move {
        /// The clock does not move yet, because a step is in progress, a client is active or a
        /// reader is busy.
        case wait
        case wake(Sleeper)
        case end
    }

    /// Unless the clock must wait, moves the time to the next sleeper that is due by `moment`, and
    /// removes and returns that sleeper. If no sleeper is due by then, moves the time to `moment`.
    /// If `moment` is nil, moves to the next sleeper, if any.
    mutating func move(to moment: MockClock.Instant?, whileReading isReading: Bool) -> Move {
        let next = waiting.first.flatMap { $0.deadline <= moment ?? $0.deadline ? $0 : nil }
        let target = next?.deadline ?? moment
        let isActive = !awake.isEmpty || activeCount > 0 || isReading
        if stepCount > 0 || isActive && target.map({ $0 > now }) != false { return .wait }
        changeCount += 1
        if let target { now = max(now, target) }
        guard let next else { return .end }
        waiting.removeFirst()
        if let task = next.task {
            wokenCount += 1
            taskRuns(task)
        }
        return .wake(next)
    }

    /// Records that a woken task runs again.
    mutating func didResume() { wokenCount -= 1 }

    /// Whether a task sleeps.
    var hasTask: Bool { waiting.contains { $0.kind == .task } }

    /// Returns the number of tasks and callbacks due within a duration or, for nil, at any time.
    func count(within duration: Duration?) -> Int {
        remaining(areDeadlines: false).count { $0 <= duration ?? $0 }
    }

    /// Returns the remaining time of each deadline, or of each other sleeper, shortest first.
    func remaining(areDeadlines: Bool) -> [Duration] {
        waiting.filter { ($0.kind == .deadline) == areDeadlines }
            .map { now.duration(to: $0.deadline) }
    }
}
