import Foundation

/// The state of a client that keeps a connection to an event stream: what it sends, and whether and
/// when it connects again.
///
/// ``EventStream`` uses it. It is a value, and its decision is a pure function. A test needs no
/// session and no clock:
///
///     var reconnection = Reconnection(.eventStream)
///     reconnection.retry = .seconds(5)
///
///     let decision = reconnection.decision(after: .complete, of: request)
///
///     #expect(decision == .reconnect(after: .seconds(5)))
///
/// The rules are those of the HTML Standard, section 9.2.3, within the limits of a ``RetryPolicy``:
/// - Only a `GET` is sent again. Any other request may have an effect, so it is sent once.
/// - The status 204 ends the events.
/// - After a complete body, and after a `URLError` with one of the policy's codes, the client
///   connects again.
/// - After one of the policy's statuses, such as 503, the client connects again, too. The standard
///   fails here.
/// - Any other status, another media type, and a body that cannot be parsed fail.
///
/// The delay after the *n*-th connection without an event is `random × min(maximumDelay, retry ×
/// 2ⁿ⁻¹)`. `retry` is the last value that the server sent, or else the policy's `baseDelay`. A
/// `Retry-After` header replaces the delay, as in any ``RetryPolicy``.
public struct Reconnection: Sendable, Hashable {
    /// The limits and the jitter. Its `methods` have no effect.
    ///
    /// `maximumAttempts` limits the connections in a row that deliver no event; 1 means that nothing
    /// is sent again. `deadline` limits the time without a connection.
    public var policy: RetryPolicy

    /// The number of connections since the last event, or since the start. It is 0 while the
    /// connection that delivered the last event exists, and after that connection.
    public var attempts: Int

    /// The ID of the last event, which the next connection sends as `Last-Event-ID`. Empty if there
    /// is none.
    public var lastEventID: String

    /// The time to wait before a new connection, as the server asked with a `retry` field. `nil` if
    /// there was none.
    public var retry: Duration?

    /// Creates the state before the first connection.
    ///
    /// - Parameters:
    ///   - policy: The limits and the jitter.
    ///   - lastEventID: The ID of the last event of an earlier stream. Empty if there is none.
    public init(_ policy: RetryPolicy, lastEventID: String = "") {
        self.policy = policy
        self.lastEventID = lastEventID
        attempts = 0
    }

    /// How a connection ended.
    public enum Ending: Sendable, Equatable {
        /// The body was complete. It may have had no event.
        case complete
        /// The server answered with another status than 200.
        case response(status: Int, headers: [String: String] = [:])
        /// A `URLError` of this code occurred, before or after the headers.
        case failure(URLError.Code)
        /// The response was no event stream, or another error occurred: a new connection would end
        /// in the same way.
        case unusable
    }

    /// What a client does after a connection has ended.
    public enum Decision: Sendable, Equatable {
        /// The events end without an error.
        case end
        /// The events end with the error of the connection.
        case fail
        /// The client connects again after a delay.
        case reconnect(after: Duration)
    }

    /// Returns what a client does after a connection has ended.
    ///
    /// - Parameters:
    ///   - ending: How the connection ended.
    ///   - request: The request that was sent.
    ///   - elapsed: The time since the client had a connection, or else since it began to connect.
    ///   - now: The current time. A date in `Retry-After` is measured from it if the response has no
    ///     `Date` header.
    ///   - random: The jitter factor, from 0 to 1. The default, 1, gives the longest delay.
    /// - Returns: The decision.
    public func decision(
        after ending: Ending, of request: URLRequest, elapsed: Duration = .zero,
        now: Date = Date(), random: Double = 1
    ) -> Decision {
        var policy = policy
        policy.methods = ["GET"]
        policy.baseDelay = retry ?? policy.baseDelay
        let outcome: RetryPolicy.Outcome
        switch ending {
        case .response(status: 204, _): return .end
        case .unusable: return .fail
        case .complete where !isSentAgain(request): return .end
        case .complete:
            // The server may end a connection at any time, so this counts as a lost one.
            policy.errorCodes.insert(.networkConnectionLost)
            outcome = .failure(.networkConnectionLost)
        case .response(let status, let headers):
            outcome = .response(status: status, headers: headers)
        case .failure(let code): outcome = .failure(code)
        }
        let delay = policy.wait(
            afterAttempt: attempts, of: request, outcome: outcome, elapsed: elapsed, now: now,
            random: random)
        guard isSentAgain(request), let delay else { return .fail }
        return .reconnect(after: delay)
    }

    /// Returns the request of the next connection.
    ///
    /// - Parameter request: The request of the stream.
    /// - Returns: The request with `Last-Event-ID`, unless the ID is empty. `Accept` and
    ///   `Cache-Control` are set to `text/event-stream` and `no-store` if they are missing.
    /// - Throws: ``RequestBuildingError`` if the ID contains a line break or NUL.
    public func request(_ request: URLRequest) throws -> URLRequest {
        var request = request
        for (name, value) in [("Accept", "text/event-stream"), ("Cache-Control", "no-store")]
        where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(value, forHTTPHeaderField: name)
        }
        // Otherwise, a cache could answer each connection with the same events.
        if request.cachePolicy == .useProtocolCachePolicy {
            request.cachePolicy = .reloadIgnoringLocalCacheData
        }
        return lastEventID.isEmpty ? request : try request.header("Last-Event-ID", lastEventID)
    }

    /// Whether the policy and the method allow a second connection.
    private func isSentAgain(_ request: URLRequest) -> Bool {
        policy.maximumAttempts > 1 && (request.httpMethod?.uppercased() ?? "GET") == "GET"
            && request.httpBodyStream == nil
    }
}

extension RetryPolicy {
    /// The default policy of an event stream: 10 connections in a row without an event, and no
    /// deadline.
    ///
    /// The delays are at most 3 seconds at first, unless the server asks for others, and at most 30
    /// seconds.
    public static let eventStream = RetryPolicy(
        maximumAttempts: 10, baseDelay: .seconds(3), deadline: nil)
}
