import Foundation

extension EventStream {
    /// The state of an event stream's client: what the client sends, and whether and when the
    /// client reconnects.
    ///
    /// ``EventStream`` describes the rules. A `Reconnection` is a value, and its decision is a pure
    /// function.
    struct Reconnection: Sendable {
        /// The shortest delay. Without this limit, a server that ends each connection after one
        /// event could receive a thousand requests a second.
        private static let shortestDelay = Duration.milliseconds(100)

        /// The policy that limits and delays reconnections. The policy's `methods` have no effect.
        ///
        /// `maximumAttempts` limits the number of consecutive connections that are not accepted. At
        /// 1, nothing is sent again. `deadline` limits the time without an accepted connection.
        let policy: RetryPolicy

        /// The ID of the last event, which the next connection sends as `Last-Event-ID`, or empty
        /// if there is no ID.
        var lastEventID = ""

        /// The number of connections since the last accepted connection, or since the start.
        var refusals = 0

        /// The number of connections. A connection that delivers an event, or is accepted and lasts
        /// at least `maximumDelay`, counts as the first connection again. The delay grows with this
        /// number, so that a server that accepts and closes each connection is not flooded.
        var attempts = 0

        /// The delay that the server's last `retry` field asks for, or `nil` if there was no such
        /// field.
        var retry: Duration?

        /// What a client does after a connection has ended.
        enum Decision: Equatable {
            /// The events end without an error.
            case end
            /// The events end with the connection's error, or with a timeout after a complete body.
            case fail
            /// The client reconnects after a delay.
            case reconnect(after: Duration)
        }

        /// Returns what a client does after a connection ends with an error or a complete body.
        /// `elapsed` is the time since the last accepted connection ended, or since the start.
        func decision(
            after error: APIRequestError?, of request: URLRequest, elapsed: Duration, now: Date,
            random: Double
        ) -> Decision {
            if error?.stage == .validate, error?.statusCode == 204 { return .end }
            guard
                policy.maximumAttempts > 1, (request.httpMethod?.uppercased() ?? "GET") == "GET",
                request.httpBodyStream == nil
            else { return error == nil ? .end : .fail }
            var policy = policy
            policy.maximumAttempts = refusals < policy.maximumAttempts ? .max : 1
            policy.methods = ["GET"]
            // A shorter delay from the server replaces the policy's base delay.
            policy.baseDelay = Swift.min(retry ?? policy.baseDelay, policy.baseDelay)
            // After a complete body, the client reconnects even if the policy lacks this code.
            if error == nil { policy.errorCodes.insert(.networkConnectionLost) }
            // The error of a request or a parser is not a `URLError`, so no policy retries it.
            let isRefused = error?.stage == .validate
            let attempt = RetryAttempt(
                attempts, of: request, response: error?.response,
                error: isRefused ? nil : error?.thrown ?? URLError(.networkConnectionLost),
                elapsed: elapsed, policy: policy, random: random, now: now)
            guard case .retry(let delay, _) = attempt.decision else { return .fail }
            let wait = Swift.max((retry ?? .zero).clamped + delay, Self.shortestDelay)
            return policy.allows(wait, after: elapsed) ? .reconnect(after: wait) : .fail
        }

        /// Returns the request for the next connection. Sets `Last-Event-ID` unless the ID is
        /// empty, and adds `Accept` or `Cache-Control` if the request lacks that header.
        ///
        /// - Throws: ``RequestBuildingError`` if no header can contain the ID.
        func request(_ request: URLRequest) throws -> URLRequest {
            var request = request
            for (name, value) in [("Accept", "text/event-stream"), ("Cache-Control", "no-cache")]
            where request.value(forHTTPHeaderField: name) == nil {
                request.setValue(value, forHTTPHeaderField: name)
            }
            // With the default cache policy, a cache could return the same events for each
            // connection.
            if request.cachePolicy == .useProtocolCachePolicy {
                request.cachePolicy = .reloadIgnoringLocalCacheData
            }
            return lastEventID.isEmpty ? request : try request.header("Last-Event-ID", lastEventID)
        }
    }
}
