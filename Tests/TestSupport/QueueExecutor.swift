/// Runs tasks on its own queue, so a test knows when all of them wait for something.
///
/// Only an old simulator has no executors of tasks. There, tasks run as they otherwise do.
package final class QueueExecutor: Sendable {
    package let queue: DispatchQueue

    /// - Parameter isSerial: Whether each task runs up to its first wait before the next one
    ///   starts; otherwise they run side by side.
    package init(isSerial: Bool) {
        queue = DispatchQueue(label: "QueueExecutor", attributes: isSerial ? [] : .concurrent)
    }

    package func start<R: Sendable>(
        _ work: @escaping @Sendable () async throws -> R
    ) -> Task<R, any Error> {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else {
            return Task { try await work() }
        }
        return Task(executorPreference: JobExecutor { [queue] in queue }) { try await work() }
    }

    /// Suspends until each task that was started before has reached its first suspension.
    package func settle() async {
        await withCheckedContinuation { continuation in
            queue.async(flags: .barrier) { continuation.resume() }
        }
    }
}

/// Runs each job on the queue that a function returns for it.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class JobExecutor: TaskExecutor {
    private let queue: @Sendable () -> DispatchQueue

    init(_ queue: @escaping @Sendable () -> DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue().async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
