import Foundation

/// The state of a client that keeps a connection to an event stream: what it sends, and whether and
/// when it connects again.
///
/// ``EventStream`` describes the rules. This is a value, and its decision is a pure function.
struct Reconnection: Sendable, Hashable {
    /// The limits and the jitter. Its `methods` have no effect.
    ///
    /// `maximumAttempts` limits the connections in a row that deliver no event; 1 means that nothing
    /// is sent again. `deadline` limits the time without a connection.
    var policy: RetryPolicy

    /// The number of connections since the last event, or since the start. It is 0 while the
    /// connection that delivered the last event exists, and after that connection.
    var attempts: Int

    /// The ID of the last event, which the next connection sends as `Last-Event-ID`. Empty if there
    /// is none.
    var lastEventID: String

    /// The time to wait before a new connection, as the server asked with a `retry` field. `nil` if
    /// there was none.
    var retry: Duration?

    /// Creates the state before the first connection.
    ///
    /// - Parameters:
    ///   - policy: The limits and the jitter.
    ///   - lastEventID: The ID of the last event of an earlier stream. Empty if there is none.
    init(_ policy: RetryPolicy, lastEventID: String = "") {
        self.policy = policy
        self.lastEventID = lastEventID
        attempts = 0
    }

    /// Otherwise, a server that ends each connection after one event would get a thousand a second.
    private static let shortestDelay = Duration.milliseconds(100)

    /// How a connection ended.
    enum Ending: Sendable, Equatable {
        /// The body was complete. It may have had no event.
        case complete
        /// The server answered with another status than 200.
        case response(status: Int, headers: [String: String] = [:])
        /// A `URLError` of this code occurred, before or after the headers.
        case failure(URLError.Code)
        /// The response was no event stream, or another error occurred: a new connection would end
        /// in the same way.
        case unusable

        /// The end of a connection with an error.
        init(_ error: APIRequestError) {
            switch (error.stage, error.response) {
            case (.validate, let response?):
                let headers = response.allHeaderFields as? [String: String]
                self = .response(status: response.statusCode, headers: headers ?? [:])
            case (.transport, _):
                self = URLError(from: error.underlying).map { .failure($0.code) } ?? .unusable
            default: self = .unusable
            }
        }
    }

    /// What a client does after a connection has ended.
    enum Decision: Sendable, Equatable {
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
    func decision(
        after ending: Ending, of request: URLRequest, elapsed: Duration = .zero,
        now: Date = Date(), random: Double = 1
    ) -> Decision {
        var policy = policy
        policy.methods = ["GET"]
        // A server that asks for a short delay need not wait for the policy's.
        policy.baseDelay = min(retry ?? policy.baseDelay, policy.baseDelay)
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
        let wait = max((retry ?? .zero).clamped + delay, Self.shortestDelay)
        if let deadline = policy.deadline, elapsed.clamped + wait >= deadline { return .fail }
        return .reconnect(after: wait)
    }

    /// Returns the request of the next connection.
    ///
    /// - Parameter request: The request of the stream.
    /// - Returns: The request with `Last-Event-ID`, unless the ID is empty. `Accept` and
    ///   `Cache-Control` are set to `text/event-stream` and `no-cache` if they are missing.
    /// - Throws: ``RequestBuildingError`` if the ID contains a line break or NUL.
    func request(_ request: URLRequest) throws -> URLRequest {
        var request = request
        for (name, value) in [("Accept", "text/event-stream"), ("Cache-Control", "no-cache")]
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
