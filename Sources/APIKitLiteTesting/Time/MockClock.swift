import APIKitLite

/// A clock that stands still until a test moves it.
///
/// With this clock, a test of a 20-second delay takes milliseconds, and events always happen in
/// the same order:
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
/// The clock works wherever a `Clock` is accepted: in a network, in a policy, and in your own code.
public final class MockClock: CallbackClock {
    /// A moment of this clock.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created.
        package let offset: Duration

        /// Creates a moment at a time after the clock was created.
        package init(offset: Duration = .zero) {
            self.offset = offset
        }

        /// Returns the moment that is later than this moment by a duration.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// Returns the time from this moment to another moment.
        public func duration(to other: Instant) -> Duration {
            other.offset - offset
        }

        /// Returns whether the left moment is earlier.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }
    }

    let sleepers = Monitor(Sleepers())
    /// Reports what is waiting on this clock and on its networks.
    package let watch = HangReporter()

    /// The real time without events after which the clock moves on, in milliseconds.
    private let patience: Int

    /// Creates a clock at zero.
    ///
    /// - Parameter patience: How long ``advance(by:fileID:line:)`` waits while nothing happens, in
    ///   real time. On a busy machine, the wait takes longer.
    public init(patience: Duration = .milliseconds(500)) {
        // The limit, about a day, keeps 20 times the patience within an `Int` of 32 bits.
        self.patience = Int(min(max(0, patience / .milliseconds(1)), 1e8))
        watch.add(self)
    }

    /// The clock's current moment.
    public var now: Instant { sleepers.withLock { $0.now } }

    /// Zero, because the clock distinguishes any two moments.
    public var minimumResolution: Duration { .zero }

    /// The remaining time of each sleeper, shortest first. Deadlines are not included.
    ///
    /// A deadline is the timeout of an exchange or a handler. A held, delayed or hanging response
    /// is a sleeper, not a deadline. The clock fires a deadline at its moment, just as it wakes a
    /// sleeper, but ``waitForSleepers(_:within:fileID:line:)`` does not count deadlines either.
    public var pending: [Duration] { sleepers.withLock { $0.remaining(areDeadlines: false) } }

    /// The remaining time of each deadline, shortest first.
    package var pendingDeadlines: [Duration] {
        sleepers.withLock { $0.remaining(areDeadlines: true) }
    }

    /// Suspends until the clock reaches a moment. If the clock has already reached the moment,
    /// returns immediately.
    ///
    /// - Parameters:
    ///   - deadline: The moment at which the sleep ends.
    ///   - tolerance: This value is ignored, because the clock wakes every sleeper at its exact
    ///     moment.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let promise = Promise<Void>()
        let sleeper = Sleeper(deadline: deadline, kind: .task, task: currentTask) {
            promise.resolve(with: .success(()))
        }
        guard let number = sleepers.update({ $0.add(sleeper) }) else { return }
        watch.begin()
        try await promise.value(ifCancelled: .failure(CancellationError())) { [self] in
            sleepers.withLock { $0.remove(number) }
        }
        sleepers.update { $0.didResume() }
    }

    /// Moves the clock to the next moment at which a sleeper wakes or a deadline fires. If there is
    /// no such moment, the clock does not move.
    ///
    /// - Parameters:
    ///   - fileID: The file of this call, for reports.
    ///   - line: The line of this call, for reports.
    public func advanceToNextSleeper(
        fileID: StaticString = #fileID, line: UInt = #line
    ) async {
        await move(to: nil, "clock.advanceToNextSleeper()", "\(fileID):\(line)")
    }

    /// Moves the clock forward, and wakes each sleeper that is due, in order, at its exact moment.
    ///
    /// If a woken task adds a sleeper that is due, that sleeper wakes too. Before the clock moves
    /// on from a moment, each client that continued at that moment runs until it waits again. A
    /// client waits if it sleeps on this clock, awaits a response of a network with this clock, or
    /// has read all that a stream sent. A stub's handler runs until it sleeps or returns. So a loop
    /// that advances the clock does not move the clock before the clients and handlers have run.
    ///
    /// Nothing tells the clock that a client has ended, or waits for something else, such as a
    /// user. If nothing happens on the clock and its networks for half a second of real time, or
    /// for as long as you pass to ``init(patience:)``, the clock moves on. The clock waits for that
    /// time at most once at each moment, however many sleepers wake at that moment. If a client
    /// needs longer, or works in several tasks, wait with
    /// ``waitForSleepers(_:within:fileID:line:)``.
    ///
    /// If a woken task is blocked and cannot run for five seconds, the wait is reported to standard
    /// error.
    ///
    /// - Parameters:
    ///   - duration: How far to move. A negative duration does not move the clock.
    ///   - fileID: The file of this call, for reports.
    ///   - line: The line of this call, for reports.
    public func advance(
        by duration: Duration, fileID: StaticString = #fileID, line: UInt = #line
    ) async {
        await move(to: now.advanced(by: duration), "clock.advance()", "\(fileID):\(line)")
    }

    /// Moves the clock to a moment or, for nil, to the next sleeper. A report names the call that
    /// moves the clock, and says what the move is waiting for.
    private func move(to moment: Instant?, _ call: String, _ sourceLocation: String) async {
        // A client or a handler may itself move the clock.
        let mover = currentTask.flatMap { task in sleepers.withLock { $0.taskMoves(task) } }
        defer { if let mover { sleepers.withLock { $0.taskRuns(mover) } } }
        await watch.run(call, sourceLocation) { [self] in
            sleepers.withLock(\.wokenCount) > 0
                ? "a task that it woke does not run. Something blocks its thread or its actor"
                : "a response that is due was not sent. Something blocks its thread"
        } _: {
            var moment = moment
            while let sleeper = await takeNext(until: moment) {
                moment = moment ?? sleeper.deadline
                // A task that was cancelled at the same moment has already resumed.
                if !sleeper.wake() { sleepers.update { $0.didResume() } }
            }
        }
    }

    /// The number of checks until `takeNext` pauses instead of yielding. Most clients need no more.
    private static let quickChecks = 16

    /// Waits until all steps have ended and the woken task runs, which may take a long time on a
    /// busy machine. Unless a sleeper is due or the clock has reached `moment`, also waits until
    /// each active client waits again or nothing has happened for `patience`. The wait for clients
    /// has a limit, because a client might never stop sending requests. Then moves the time, and
    /// returns the sleeper to wake; nil at the end of the move.
    private func takeNext(until moment: Instant?) async -> Sleeper? {
        var (checks, quiet, seen) = (0, -Self.quickChecks, watch.eventCount)
        while true {
            await sleepers.waitEvenIfCancelled { $0.stepCount == 0 && $0.wokenCount == 0 }
            // The readers are checked outside the lock, because readers have their own locks.
            let isReading = sleepers.withLock(\.mayRead) && watch.hasBusyReader
            switch sleepers.update({ $0.move(to: moment, whileReading: isReading) }) {
            case .wake(let sleeper): return sleeper
            case .end: return nil
            case .wait: break
            }
            let count = watch.eventCount
            if count != seen { (quiet, seen) = (-Self.quickChecks, count) }
            if quiet >= patience || checks >= 20 * (patience + Self.quickChecks) {
                sleepers.withLock { $0.clientsRest() }
                continue
            }
            // The pauses grow, because each check must wait for a free thread when many tests run
            // in parallel.
            let pause = quiet < 0 ? 0 : 1 + quiet / 16
            checks += 1
            quiet += max(1, pause)
            if pause == 0 {
                await Task.yield()
            } else {
                // The detached task sleeps even if this task is cancelled.
                await Task.detached { try? await Task.sleep(for: .milliseconds(pause)) }.value
            }
        }
    }
}

extension MockClock {
    /// Calls back once at a client's deadline, and records that the client continues.
    package func schedule(
        at moment: Instant, _ work: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        schedule(at: moment, .deadline) { [sleepers] in
            sleepers.withLock { $0.clientContinues() }
            work()
        }
    }

    /// Calls back once, inside the move that reaches a moment. If the clock has already reached the
    /// moment, calls back immediately.
    func schedule(
        at moment: Instant, _ kind: Sleeper.Kind, _ work: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        let sleeper = Sleeper(deadline: moment, kind: kind) {
            work()
            return true
        }
        let number = sleepers.update { $0.add(sleeper) }
        if number == nil { work() }
        return { [sleepers] in sleepers.withLock { $0.remove(number) } }
    }
}

/// The identity of the current task; nil outside a task.
var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }
