import TestSupport

/// Starts tasks on their own queue, and returns them once each of them waits for something.
///
/// - Parameter isSerial: Whether each task runs up to its first wait before the next one starts.
func settledTasks<R: Sendable>(
    _ count: Int, isSerial: Bool = true, _ work: @escaping @Sendable (Int) async throws -> R
) async -> [Task<R, any Error>] {
    let executor = QueueExecutor(isSerial: isSerial)
    let tasks = (0..<count).map { number in executor.start { try await work(number) } }
    await executor.settle()
    return tasks
}

/// Starts a task, and returns it once it waits for something.
func settledTask<R: Sendable>(
    _ work: @escaping @Sendable () async throws -> R
) async -> Task<R, any Error> {
    await settledTasks(1) { _ in try await work() }[0]
}
