import Foundation

extension Task where Success == Void, Failure == Never {
    /// Starts a task, on the caller's thread if the system can do so (Linux, macOS 26 and later).
    ///
    /// Work that does not suspend has then ended when this returns, and no other thread was woken.
    /// The caller must not hold a lock. The task has the caller's priority and task-locals.
    @discardableResult
    static func immediateIfAvailable(
        _ work: @escaping @Sendable () async -> Void
    ) -> Task {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            Task.immediate(operation: work)
        } else {
            Task(operation: work)
        }
    }
}

extension Result where Failure == any Error {
    package init(of work: () async throws -> sending Success) async {
        do {
            self = .success(try await work())
        } catch {
            self = .failure(error)
        }
    }
}

extension Task where Success == Never, Failure == Never {
    /// Throws `URLError.cancelled` if the task is cancelled.
    ///
    /// Foundation reports a cancelled exchange with the same error, so callers get only one kind.
    package static func checkNotCancelled() throws {
        if isCancelled { throw URLError(.cancelled) }
    }
}
