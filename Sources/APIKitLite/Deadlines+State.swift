import Foundation

extension Deadlines {
    struct Waiter {
        let continuation: CheckedContinuation<Answer, any Error>
        /// Nil for a moment, in which it has started.
        var work: Task<Void, Never>?

        func end(_ error: any Error) {
            // Before the caller goes on, so that it never meets work that has not been told.
            work?.cancel()
            continuation.resume(throwing: error)
        }
    }

    struct Patrol {
        let id: Int
        let task: Task<Void, Never>
        var isOnClock = false
        /// Whether the grace begins: at first, and after a moment in which nothing was under way.
        var mustWait = true
    }

    /// What a patrol does next.
    enum Step: Equatable {
        /// It waits for the grace, in real time.
        case wait(atMost: Duration)
        case sleep(until: Duration)
    }

    /// Who waits, and who is sent out for them. All that is decided about it is decided here.
    struct State {
        /// Nil for an exchange whose caller does not wait yet.
        var queue = DeadlineQueue<Waiter?>()
        /// Those of the queue who have nothing under way that could last too long.
        private var resting: Set<Int> = []
        private(set) var patrol: Patrol?
        private var patrols = 0

        private var isIdle: Bool { queue.count == resting.count }

        mutating func rest(_ id: Int) {
            if queue.contains(id) { resting.insert(id) }
        }

        mutating func goOn(_ id: Int) {
            // It may have less time left than the grace that has begun: a new one takes over.
            if resting.remove(id) != nil, patrol?.isOnClock == false { patrol = nil }
        }

        mutating func remove(_ id: Int) -> Waiter? {
            resting.remove(id)
            return queue.remove(id) ?? nil
        }

        mutating func takeDue(at now: Duration) -> [Waiter?] {
            let due = queue.takeDue(at: now)
            if !due.isEmpty { resting = resting.filter(queue.contains) }
            return due
        }

        /// Sends out a patrol, or calls it back, as those who wait need it.
        mutating func update(_ start: (Int) -> Task<Void, Never>) {
            guard isIdle else {
                guard patrol == nil else { return }
                patrols += 1
                patrol = Patrol(id: patrols, task: start(patrols))
                return
            }
            // Within the grace it goes on: the next exchange may come at once.
            patrol?.mustWait = true
            if patrol?.isOnClock == true { patrol = nil }
        }

        mutating func forget(_ id: Int) {
            if patrol?.id == id { patrol = nil }
        }

        /// - Parameter hasGrace: Whether those who have just come are not waited for on the clock.
        /// - Returns: Nil where this patrol is not needed any more.
        mutating func nextStep(of id: Int, at now: Duration, hasGrace: Bool) -> Step? {
            guard patrol?.id == id else { return nil }
            guard !isIdle, let next = queue.next else {
                patrol = nil
                return nil
            }
            if hasGrace, patrol?.mustWait == true {
                patrol?.mustWait = false
                // Over in time, also where the machine is busy.
                return .wait(atMost: min((next - now) / 2, .seconds(10)))
            }
            patrol?.isOnClock = true
            return .sleep(until: next)
        }
    }
}
