import Foundation

/// A session whose exchanges are observed: see ``HTTPSession/observed(by:)``.
public struct ObservedSession: SessionPolicy {
    /// The session inside, nearer to the network.
    public let next: any HTTPSession
    let observer: ExchangeObserver

    /// Sends the request, and tells the observer before and after.
    ///
    /// - Throws: What the session inside throws.
    public func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await observer.observe(request, on: next)
    }

    /// Tells the observer, and the session inside.
    public func loadDidFail(_ error: APIRequestError) {
        observer.observe(error)
        next.loadDidFail(error)
    }
}

extension HTTPSession {
    /// This session with its exchanges observed, and the loads that are lost after them.
    ///
    ///     let session = URLSession.shared.observed { print($0) }
    ///     // #1 GET https://api.example.com/users/42
    ///     // #1 GET https://api.example.com/users/42: 200 (OK), 15 bytes, 0.030 s
    ///
    /// Inside ``retrying(_:clock:random:now:)`` it sees each attempt, outside it the whole.
    ///
    /// - Parameters:
    ///   - clock: What measures the durations.
    ///   - onEvent: Called in the task of the exchange, which waits for it; calls may overlap.
    public func observed(
        clock: any Clock<Duration> = ContinuousClock(),
        onEvent: @escaping @Sendable (ExchangeEvent) -> Void
    ) -> ObservedSession {
        observed(by: ExchangeObserver(clock: clock, onEvent: onEvent))
    }

    /// This session observed by an object, which other chains may share.
    public func observed(by observer: ExchangeObserver) -> ObservedSession {
        ObservedSession(next: self, observer: observer)
    }
}
