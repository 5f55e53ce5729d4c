import Foundation

extension Task where Success == Never, Failure == Never {
    /// Foundation's own error for a cancelled exchange, so that a caller meets one shape of it.
    package static func checkNotCancelled() throws {
        if isCancelled { throw URLError(.cancelled) }
    }
}
