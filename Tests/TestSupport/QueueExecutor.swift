import Foundation

/// Runs tasks on its own queue, so a test knows when all of them wait for something.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
package final class QueueExecutor: TaskExecutor {
    package let queue: DispatchQueue

    /// - Parameter isSerial: Whether each task runs up to its first wait before the next one
    ///   starts; otherwise they run side by side.
    package init(isSerial: Bool) {
        queue = DispatchQueue(label: "QueueExecutor", attributes: isSerial ? [] : .concurrent)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    package func start<R: Sendable>(
        _ work: @escaping @Sendable () async throws -> R
    ) -> Task<R, any Error> {
        Task(executorPreference: self) { try await work() }
    }

    /// Suspends until each task that was started before has reached its first suspension.
    package func settle() async {
        await withCheckedContinuation { continuation in
            queue.async(flags: .barrier) { continuation.resume() }
        }
    }
}
