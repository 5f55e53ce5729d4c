import Foundation

extension Task where Success == Never, Failure == Never {
    /// Throws `URLError.cancelled` if the task is cancelled.
    ///
    /// Foundation reports a cancelled exchange with the same error, so callers get only one kind.
    package static func checkNotCancelled() throws {
        if isCancelled { throw URLError(.cancelled) }
    }
}
