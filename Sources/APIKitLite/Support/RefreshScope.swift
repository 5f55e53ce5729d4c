/// The refresh of a credential that the current task performs.
///
/// The requests of a refresh may go through the same chain as the requests that wait for it. They
/// differ from all others:
/// - They are sent without the credential that is refreshed.
/// - They are redirected only to the origins of the credential.
/// - Over a session that was chosen for the refresh, they do not wait for a place in a limit, because
///   the requests that have the places may wait for the refresh.
/// - They share no exchange with requests that are sent with the credential.
/// - The progress of one upload does not cancel them, because many requests need the refresh.
package final class RefreshScope: Sendable {
    /// The innermost refresh that this task is a part of, even if the refresh has ended.
    @TaskLocal static var innermost: RefreshScope?

    /// The refresh that needs this one.
    private let outer: RefreshScope?
    private let credentials: ObjectIdentifier
    /// The origins that the refresh may be redirected to, besides its own.
    let origins: Set<[String]>
    /// Whether its requests wait for no place in a limit.
    let needsNoPlace: Bool
    private let isOver = Locked(false)

    private init(_ credentials: AnyObject, _ origins: Set<[String]>, needsNoPlace: Bool) {
        self.credentials = ObjectIdentifier(credentials)
        self.origins = origins
        self.needsNoPlace = needsNoPlace
        outer = RefreshScope.current
    }

    /// The innermost refresh of this task, or `nil` if it performs none.
    ///
    /// A task that was started during a refresh may outlive it, and performs none then.
    static var current: RefreshScope? {
        var scope = innermost
        while let candidate = scope, candidate.isOver.withLock({ $0 }) { scope = candidate.outer }
        return scope
    }

    /// Whether this task refreshes some credentials.
    static func isRefreshing(_ credentials: AnyObject) -> Bool {
        var scope = current
        while let candidate = scope {
            if candidate.credentials == ObjectIdentifier(credentials) { return true }
            scope = candidate.outer
        }
        return false
    }

    /// Runs the refresh of some credentials.
    static func run<Value: Sendable>(
        _ credentials: AnyObject, _ origins: Set<[String]>, needsNoPlace: Bool,
        _ refresh: () async -> Value
    ) async -> Value {
        let scope = RefreshScope(credentials, origins, needsNoPlace: needsNoPlace)
        defer { scope.isOver.withLock { $0 = true } }
        return await $innermost.withValue(scope) { await refresh() }
    }
}
