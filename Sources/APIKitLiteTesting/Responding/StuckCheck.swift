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
/// A client may do something else in between, such as sleep before a retry. So nothing must have
/// happened for almost as long as a wait lasts before it is reported.
final class StuckCheck: Sendable {
    /// The time between two calls up to which the machine counts as not too busy.
    private static let longestSecond = Duration.milliseconds(1_250)

    /// The number of calls in which nothing has happened since the call before them.
    private static let quietCalls = WaitReporter.seconds - 1

    /// Weak, because the timer of the wait may retain this for a second longer.
    private weak let network: (any StubNetwork)?
    /// The number of errors that the wait knows of already, and that do not end it.
    private let knownErrors: Int
    private let state: Locked<(activity: NetworkActivity, time: Duration, quietCalls: Int)?>

    /// Begins at the start of a wait.
    init(_ network: any StubNetwork) {
        self.network = network
        let activity = network.activity
        // The request of the wait may have come before the wait.
        knownErrors = activity.errorCount - (activity.isLastUnmatched ? 1 : 0)
        state = Locked(nil)
    }

    /// Whether a request was not answered, and nothing has happened since for four calls. Call it
    /// each second.
    ///
    /// A call that comes late does not count, because what is left to happen may be late as well.
    func isStuck(at now: Duration) -> Bool {
        guard let activity = network?.activity else { return false }
        let quietCalls = state.withLock { state in
            var quietCalls = 0
            if let state, state.activity == activity {
                let isLate = now - state.time > Self.longestSecond
                quietCalls = state.quietCalls + (isLate ? 0 : 1)
            }
            state = (activity, now, quietCalls)
            return quietCalls
        }
        return quietCalls >= Self.quietCalls && activity.isIdle && activity.errorCount > knownErrors
    }
}
