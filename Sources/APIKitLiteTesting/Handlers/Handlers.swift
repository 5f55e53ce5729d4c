import APIKitLite
import Foundation

/// Calls handlers with the task-local values of the code that created this object. If the system
/// has task executors, each handler runs on a thread that it may block.
///
/// With these values, a failing `#expect` in a handler is attributed to the test that created the
/// network.
final class Handlers: Sendable {
    private typealias Call = (work: @Sendable () async -> Void, task: TaskSlot)

    /// The calls that have not been started, oldest first.
    private let calls = Locked<[Call]>([])
    private let wakes: AsyncStream<Void>.Continuation

    init() {
        let (stream, wakes) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.wakes = wakes
        // Only a task created here has the task-local values, so this task starts the tasks of all
        // calls. If possible, this task runs inside `start`, because otherwise each call would have
        // to wake a thread.
        startHandlerTask(isInline: true) { [calls] in
            for await _ in stream {
                var waiting: [Call] = []
                calls.withLock { swap(&$0, &waiting) }
                for call in waiting { call.task.fill(with: startHandlerTask(call.work)) }
            }
        }
    }

    deinit {
        wakes.finish()
    }

    /// Calls a handler concurrently with the other handlers. Do not cancel `task` on the loading
    /// thread: cancelling runs the user's cancellation handlers, and a `URLSession` call on that
    /// thread crashes.
    func start(in task: TaskSlot = TaskSlot(), _ handler: @escaping @Sendable () async -> Void) {
        // `calls` stores the call, because the thread sanitizer does not see how a stream passes an
        // element to another thread.
        calls.withLock { $0.append((handler, task)) }
        wakes.yield()
    }
}

/// Starts a task. If the system has task executors, an inline task runs inside the calls that start
/// and resume it, so it must not block, and any other task runs on a thread that it may block.
@discardableResult
func startHandlerTask(
    isInline: Bool = false, _ work: @escaping @Sendable () async -> Void
) -> Task<Void, Never> {
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
        Task(
            executorPreference: isInline ? InlineExecutor() : QueueExecutor.shared, operation: work)
    } else {
        Task(operation: work)
    }
}

/// Runs each job immediately, before `enqueue` returns.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class InlineExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}

/// Runs each job on a separate queue.
///
/// Swift's own pool has one thread per core. If that many handlers blocked their threads, for
/// example with a semaphore, all other tasks in the pool would stop. A serial queue gets a new
/// thread if all other threads are blocked.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class QueueExecutor: TaskExecutor {
    static let shared = QueueExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        DispatchQueue(label: "APIKitLite.Handlers").async { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
