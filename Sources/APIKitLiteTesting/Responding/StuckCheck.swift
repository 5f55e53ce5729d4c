import APIKitLite

/// The network of a stub, as a wait for the stub sees it.
protocol StubNetwork: WatchedNetwork {
    /// The clock that only the test moves; nil if the network has none.
    var mockClock: MockClock? { get }

    /// What has happened on the network, and whether more can happen.
    var activity: NetworkActivity { get }
}

/// What has happened on a network up to a moment.
struct NetworkActivity: Sendable, Equatable {
    /// The number of things that happened, of any kind.
    var eventCount = 0
    /// The number of requests that were not answered.
    var errorCount = 0
    /// Whether no stub answered the last request.
    var isLastUnmatched = false
    /// Whether no request is in flight, and nothing sleeps on the network's clock.
    var isIdle = true
}

/// Decides whether nothing is left that could end the wait for a stub.
///
/// `state` has its own lock.
final class StuckCheck: Sendable {
    /// The time between two calls up to which the machine counts as not too busy.
    private static let longestSecond = Duration.milliseconds(1_250)

    private let network: any StubNetwork
    /// The number of errors that the wait knows of already, and that do not end it.
    private let knownErrors: Int
    private let state: Locked<(activity: NetworkActivity, time: Duration)?>

    /// Begins at the start of a wait.
    init(_ network: any StubNetwork) {
        self.network = network
        let activity = network.activity
        // The request of the wait may have come before the wait.
        knownErrors = activity.errorCount - (activity.isLastUnmatched ? 1 : 0)
        state = Locked(nil)
    }

    /// Whether a request was not answered, and nothing has happened since the last call. Call it
    /// each second.
    ///
    /// A call that comes late does not count, because what is left to happen may be late as well.
    func isStuck(at now: Duration) -> Bool {
        let activity = network.activity
        let last = state.withLock { state in
            defer { state = (activity, now) }
            return state
        }
        guard let last, now - last.time <= Self.longestSecond else { return false }
        return activity == last.activity && activity.isIdle && activity.errorCount > knownErrors
    }
}
