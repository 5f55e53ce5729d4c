import Foundation

/// An asynchronous sequence of events from a `text/event-stream`. It reconnects as needed.
///
/// ```swift
/// for try await event in session.events(URLRequest(url: url)) { show(event.data) }
/// ```
///
/// When a connection ends, the next connection sends the ID of the last event as `Last-Event-ID`.
/// Reconnections follow the HTML Standard, section 9.2.3, within the limits of a ``RetryPolicy``:
/// - Only a `GET` is sent again. Any other request may have side effects, so it is sent once.
/// - A status of 204 ends the events.
/// - After a complete body, or a `URLError` with one of the policy's codes, the client reconnects.
/// - As an exception to the HTML Standard, the client also reconnects after one of the policy's
///   statuses, such as 503.
/// - Any other status except 200, a media type other than `text/event-stream`, or a body that
///   cannot be parsed is an error.
/// - Only consecutive connections that fail before they are accepted count as attempts. So a stream
///   without events keeps reconnecting, for example behind a proxy that ends each connection after
///   a minute.
///
/// The delay after the *n*-th connection is the server's `retry`, if any, plus the policy's
/// backoff, `random × min(maximumDelay, base × 2ⁿ⁻¹)`. Here, `base` is `baseDelay`, or `retry` if
/// that is less. The delay is at least 100 ms, and grows even if a server accepts and ends each
/// connection immediately. A connection that delivers an event, or is accepted and lasts at least
/// `maximumDelay`, counts as the first connection again. `Retry-After` replaces the backoff.
///
/// Each iterator has its own connection, and nothing is sent before the first call to the
/// iterator's `next()`.
///
/// The transfer ends as soon as you leave the loop, release the iterator, or cancel the task.
/// Cancelling also ends a delay immediately.
///
/// To continue later, for example in another process, store the `id` of each event, and pass the
/// last ID: `session.events(request, after: id)`.
public struct EventStream: AsyncSequence, Sendable {
    fileprivate let session: any HTTPSession
    fileprivate let requestType: String?
    fileprivate let clock: any Clock<Duration>
    fileprivate let apiRequest: ParsedRequest<ServerSentEvents>
    fileprivate let request: URLRequest
    fileprivate let start: Reconnection
    fileprivate let willReconnect: @Sendable (Duration, APIRequestError?) -> Void
    fileprivate let random: @Sendable () -> Double
    fileprivate let now: @Sendable () -> Date

    /// Returns an iterator that has no connection yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(self)
    }

    /// An iterator over the events.
    public struct Iterator: AsyncIteratorProtocol {
        private let stream: EventStream
        private let session: any HTTPSession
        private let timeline: Timeline
        private var reconnection: Reconnection
        /// Nil before `next()` is called, and after the last event.
        private var connection: StreamFlow<ParsedRequest<ServerSentEvents>>?
        /// The time when the last accepted connection ended, or when the first connection began if
        /// no accepted connection has ended. Nil before `next()` is called.
        private var lostAt: Duration?
        private var connectedAt = Duration.zero

        fileprivate init(_ stream: EventStream) {
            self.stream = stream
            // A stream that one user began does not continue as another user.
            let change = userChanges.withLock { $0 }
            session = stream.session.changingContext { $0.begin(at: change) }
            timeline = Timeline(stream.clock)
            reconnection = stream.start
        }

        /// Returns the next event, or `nil` after the last event. Stays on the caller's actor.
        ///
        /// - Throws: ``APIRequestError`` if a connection fails and the client does not reconnect,
        ///   or at the policy's deadline. The error's stage is `.makeRequest` if no header can
        ///   contain the ID, and `.transport` for a network error, the deadline or a cancellation.
        ///   The stage is `.validate` for a rejected response or a status other than 200 or 204,
        ///   and `.parse` for a media type other than `text/event-stream` or a body that cannot be
        ///   parsed. Every later call returns `nil`.
        public nonisolated(nonsending) mutating func next() async throws(APIRequestError)
            -> ServerSentEvent?
        {
            if lostAt == nil { connection = connect() }
            while let connection {
                var error: APIRequestError?
                do throws(APIRequestError) {
                    if let event = try await connection.next(isReporting: false) {
                        reconnection.attempts = 1
                        reconnection.lastEventID = event.id
                        return event
                    }
                } catch let failure {
                    error = failure
                }
                try await recover(from: error, of: connection)
            }
            return nil
        }

        /// Does the same as `next()`. `for try await` calls this function to stay on the caller's
        /// actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?)
            async throws(APIRequestError)
            -> ServerSentEvent?
        {
            try await next()
        }

        /// Returns a new connection, which sends its request when its first event is requested.
        private mutating func connect() -> StreamFlow<ParsedRequest<ServerSentEvents>> {
            connectedAt = timeline.now()
            lostAt = lostAt ?? connectedAt
            reconnection.attempts += 1
            reconnection.refusals += 1
            var session = session
            if let deadline = reconnection.policy.deadline {
                session = session.timingOut(after: deadline - elapsed, clock: stream.clock)
            }
            var request = stream.apiRequest
            request.parser.lastEventID = reconnection.lastEventID
            request.make = { [reconnection, stream] in try reconnection.request(stream.request) }
            let load = Load(
                request, over: session, type: stream.requestType, clock: stream.clock)
            return StreamFlow(request, input: (), load)
        }

        /// The time since the last accepted connection ended, or since the first connection began.
        private var elapsed: Duration { timeline.now() - (lostAt ?? timeline.now()) }

        /// Returns an error that is not the error of a connection.
        private func failure(_ code: URLError.Code) -> APIRequestError {
            var load = Load(stream.apiRequest, over: session, type: stream.requestType)
            load.request = stream.request
            return load.failure(.transport, URLError(code))
        }

        /// Ends the events, with or without an error, or reconnects after a delay. `error` is the
        /// error that ended the last connection, or nil if the body was complete.
        private nonisolated(nonsending) mutating func recover(
            from error: APIRequestError?, of last: StreamFlow<ParsedRequest<ServerSentEvents>>
        ) async throws(APIRequestError) {
            connection = nil
            // A cancelled task does not reconnect, whatever ended the connection.
            if Task.isCancelled {
                throw failure(.cancelled)
            }
            if let parser = last.parser {
                reconnection.retry = parser.retry ?? reconnection.retry
                // All events of this connection have been returned, but an ID without data may have
                // followed the last event.
                reconnection.lastEventID = parser.lastEventID
                reconnection.refusals = 0
                let end = timeline.now()
                if end - connectedAt >= reconnection.policy.maximumDelay {
                    reconnection.attempts = 1
                }
                lostAt = end
            }
            let decision = reconnection.decision(
                after: error, of: stream.request, elapsed: elapsed, now: stream.now(),
                random: stream.random())
            switch decision {
            case .end: break
            case .fail:
                // A complete body is an error only if the delay would not end before the deadline.
                // Only the connection's own load has the observers to notify.
                throw last.load.notifyingObservers(of: error ?? failure(.timedOut))
            case .reconnect(let delay):
                stream.willReconnect(delay, error)
                try? await timeline.sleep(timeline.now() + delay)
                connection = connect()
            }
        }
    }
}

extension RetryPolicy {
    /// The default policy for an event stream. The client reconnects without a limit, as a browser
    /// does (HTML Standard, section 9.2).
    ///
    /// Unless the server asks for other delays, the delays start at up to 3 seconds, and are at
    /// most 30 seconds. To give up on a server that cannot be reached, set `maximumAttempts` or
    /// `deadline`.
    public static let eventStream = RetryPolicy(
        maximumAttempts: .max, baseDelay: .seconds(3), deadline: nil)
}

extension HTTPSession {
    /// Returns the events of a `text/event-stream`, in a sequence that reconnects as needed.
    ///
    /// ```swift
    /// var request = URLRequest(url: url)
    /// request.timeoutInterval = 3_600  // the longest silence of the server
    ///
    /// for try await event in session.events(request, after: lastEventID) {
    ///     show(event.data)
    ///     lastEventID = event.id
    /// }
    /// ```
    ///
    /// The session needs no `retrying`, because the sequence itself sends the request again. Only a
    /// `GET` is sent again.
    ///
    /// - Parameters:
    ///   - request: The request to send. Each of the headers `Accept` and `Cache-Control` is added
    ///     if the request does not have it. `Last-Event-ID` is set if there is an ID.
    ///   - lastEventID: The ID of an earlier stream's last event, or empty if there is no ID.
    ///   - policy: The policy that limits and delays reconnections. `maximumAttempts` limits the
    ///     number of consecutive connections that are not accepted, and `deadline` limits the time
    ///     without an accepted connection. By default, there is no limit, and the delays are at
    ///     most 3 seconds at first. With ``RetryPolicy/never``, the request is sent once.
    ///   - willReconnect: Called before each delay, with the delay and the connection's error,
    ///     which is `nil` if the body was complete.
    ///   - name: The call's name in errors and exchange events (`requestType`), such as a route.
    ///   - redaction: The secrets to hide in error texts.
    ///   - validate: Throws if a response is not acceptable. The closure is called with empty data
    ///     when the headers arrive, or with the body if the session returns a complete body. A
    ///     response that the closure accepts must also have status 200. If a response is rejected
    ///     before its body has arrived, the closure is called again with the beginning of the body,
    ///     so that its error can quote the server's message. Whether the client reconnects after a
    ///     rejected response depends on the response's status, not on the closure's error.
    ///   - clock: The clock that measures the delays and the deadline.
    ///   - random: Returns the jitter factor of a delay, from 0 up to 1.
    ///   - now: Returns the current time. A date in `Retry-After` is measured from this time if the
    ///     response has no valid `Date` header.
    /// - Returns: The sequence of the events. Nothing is sent yet.
    public func events(
        _ request: URLRequest, after lastEventID: String = "",
        reconnecting policy: RetryPolicy = .eventStream,
        willReconnect: @escaping @Sendable (Duration, APIRequestError?) -> Void = { _, _ in },
        name: String? = nil, redaction: Redaction = .standard,
        validate: @escaping @Sendable (Data, HTTPURLResponse) throws -> Void = { _, _ in },
        clock: any Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        now: @escaping @Sendable () -> Date = { Date() }
    ) -> EventStream {
        let parsed = ParsedRequest(
            parser: ServerSentEvents(), redaction: redaction,
            validate: { data, response in
                try validate(data, response)
                try response.validateStatus(200)
            },
            make: { request })
        return EventStream(
            session: self, requestType: name, clock: clock, apiRequest: parsed, request: request,
            start: EventStream.Reconnection(policy: policy, lastEventID: lastEventID),
            willReconnect: willReconnect, random: random, now: now)
    }
}
