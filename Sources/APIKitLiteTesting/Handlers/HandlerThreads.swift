import Foundation

/// Starts a task on the threads for handlers, where the system has task executors.
///
/// - Parameters:
///   - isInline: Whether the task runs inside the calls that start and resume it instead.
///   - work: The work, which must not block if it is inline.
@discardableResult
func startHandlerTask(
    isInline: Bool = false, _ work: @escaping @Sendable () async -> Void
) -> Task<Void, Never> {
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
        Task(
            executorPreference: isInline ? InlineExecutor() : HandlerThreads.shared, operation: work
        )
    } else {
        Task(operation: work)
    }
}

/// Runs each job at once, before `enqueue` returns.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class InlineExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}

/// Threads for handlers that block.
///
/// Swift's own pool has one thread for each core: as many handlers that sleep or wait on a
/// semaphore would stop every task of the process. These grow up to 64, one at a time, only while
/// none is idle, and go after five idle seconds.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class HandlerThreads: TaskExecutor, @unchecked Sendable {  // Under `condition`.
    static let shared = HandlerThreads()

    private static let limit = 64
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var next = 0
    private var idle = 0
    private var count = 0

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let needsThread = condition.withLock {
            jobs.append(job)
            guard idle < jobs.count - next, count < Self.limit else { return false }
            count += 1
            return true
        }
        guard needsThread else { return condition.signal() }
        let thread = Thread { [self] in run() }
        thread.stackSize = 1 << 20
        thread.start()
    }

    private func run() {
        while let job = takeJob() {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    private func takeJob() -> UnownedJob? {
        condition.withLock {
            let idleTimeout = Date(timeIntervalSinceNow: 5)
            while next == jobs.count {
                idle += 1
                let wasSignalled = condition.wait(until: idleTimeout)
                idle -= 1
                if !wasSignalled, next == jobs.count {
                    count -= 1
                    return nil
                }
            }
            let job = jobs[next]
            next += 1
            if next == jobs.count {
                jobs.removeAll(keepingCapacity: true)
                next = 0
            }
            return job
        }
    }
}
