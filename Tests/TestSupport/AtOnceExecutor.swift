/// Runs a job immediately, on the thread that made it ready.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
package final class AtOnceExecutor: TaskExecutor {
    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
    }
}
