import Foundation

/// An asynchronous sequence of events from a `text/event-stream`, which reconnects as needed.
///
/// ```swift
/// for try await event in session.events(URLRequest(url: url)) { show(event.data) }
/// ```
///
/// When a connection ends, the next one sends the ID of the last event as `Last-Event-ID`. The
/// rules follow the HTML Standard, section 9.2.3, within the limits of a ``RetryPolicy``:
/// - Only a `GET` is sent again. Any other request may have side effects, so it is sent once.
/// - A status of 204 ends the events.
/// - After a complete body, or a `URLError` with one of the policy's codes, the client reconnects.
/// - After one of the policy's statuses, such as 503, the client also reconnects. (The HTML
///   Standard does not.)
/// - Any other status, a different media type, or a body that cannot be parsed is an error.
///
/// The delay before the *n*-th connection without an event is the server's `retry` plus the
/// policy's backoff, `random × min(maximumDelay, min(retry, baseDelay) × 2ⁿ⁻¹)`, and at least 100 ms.
/// Each iterator has its own connection, and nothing is sent before its first `next()`.
///
/// The transfer ends as soon as you leave the loop, release the iterator, or cancel the task.
/// Cancelling also ends a delay immediately.
///
/// To continue later, for example in another process, store the `id` of each event, and pass the
/// last one: `session.events(request, after: id)`.
public struct EventStream: AsyncSequence, Sendable {
    fileprivate let load: Load<ParsedRequest<ServerSentEvents>>
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
        private let timeline: Timeline
        private var reconnection: Reconnection
        private var connection: StreamFlow<ParsedRequest<ServerSentEvents>>?
        /// When the last accepted connection ended, or the first one began. Nil before `next()`.
        private var lostAt: Duration?
        private var hasEnded = false

        fileprivate init(_ stream: EventStream) {
            self.stream = stream
            timeline = Timeline(stream.load.clock)
            reconnection = stream.start
        }

        /// Returns the next event, or `nil` after the last one. Stays on the caller's actor.
        ///
        /// - Throws: ``APIRequestError`` if a connection ended and the client does not reconnect.
        ///   Its stage is `.transport` for a network error, `.validate` for a status other than
        ///   200, and `.parse` for a different media type or a body that cannot be parsed. Every later
        ///   call returns `nil`.
        public nonisolated(nonsending) mutating func next() async throws(APIRequestError)
            -> ServerSentEvent?
        {
            while !hasEnded {
                let connection = connection ?? connect()
                self.connection = connection
                var error: APIRequestError?
                do throws(APIRequestError) {
                    if let event = try await connection.next(isReporting: false) {
                        reconnection.attempts = 0
                        reconnection.lastEventID = event.id
                        return event
                    }
                } catch let failure {
                    error = failure
                }
                try await recover(from: error)
            }
            return nil
        }

        /// Does the same as `next()`. `for try await` calls it to stay on the caller's actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?)
            async throws(APIRequestError)
            -> ServerSentEvent?
        {
            try await next()
        }

        /// Ends the events because one of them cannot be used.
        mutating func end(parsing error: any Error) -> APIRequestError {
            defer { (connection, hasEnded) = (nil, true) }
            let failure = connection?.parseFailure(error) ?? stream.load.failure(.parse, error)
            return stream.load.notifyingObservers(of: failure)
        }

        /// Returns a new connection, which sends its request when its first events are read.
        private mutating func connect() -> StreamFlow<ParsedRequest<ServerSentEvents>> {
            lostAt = lostAt ?? timeline.now()
            reconnection.attempts += 1
            let load = stream.load
            var session = load.session
            if let deadline = reconnection.policy.deadline {
                session = session.timingOut(after: deadline - elapsed, clock: load.clock)
            }
            var request = load.apiRequest
            request.parser.lastEventID = reconnection.lastEventID
            request.make = { [reconnection, stream] in try reconnection.request(stream.request) }
            return StreamFlow(
                Load(request, over: session, type: load.requestType, clock: load.clock), input: ())
        }

        /// How long there has been no accepted connection.
        private var elapsed: Duration { timeline.now() - (lostAt ?? timeline.now()) }

        /// Suspends until it is time to reconnect, unless the events have ended. The error is the
        /// connection's, or nil if its body was complete.
        private nonisolated(nonsending) mutating func recover(
            from error: APIRequestError?
        ) async throws(APIRequestError) {
            // Events may be pending, so the last ID still belongs to the last event returned.
            if Task.isCancelled {
                (connection, hasEnded) = (nil, true)
                throw stream.load.failure(
                    .transport, URLError(.cancelled), isCancellation: true)
            }
            if let parser = connection?.parser {
                reconnection.retry = parser.retry ?? reconnection.retry
                // All events of this connection have been returned. An ID without data may have
                // followed.
                reconnection.lastEventID = parser.lastEventID
                lostAt = timeline.now()
            }
            connection = nil
            let decision = reconnection.decision(
                after: error, of: stream.request, elapsed: elapsed, now: stream.now(),
                random: stream.random())
            switch decision {
            case .end: hasEnded = true
            case .fail:
                hasEnded = true
                throw stream.load.notifyingObservers(of: error ?? errorAfterCompleteBody)
            case .reconnect(let delay):
                stream.willReconnect(delay, error)
                try? await timeline.sleep(timeline.now() + delay)
            }
        }

        /// The error if the last connection ended without one and the client does not reconnect.
        private var errorAfterCompleteBody: APIRequestError {
            let isLimit = reconnection.attempts >= reconnection.policy.maximumAttempts
            return stream.load.failure(
                .transport,
                isLimit
                    ? StreamError.noEvents(connectionCount: reconnection.attempts)
                    : URLError(.timedOut))
        }
    }
}

extension RetryPolicy {
    /// The default policy for an event stream: 10 consecutive connections without an event, and no
    /// deadline.
    ///
    /// The delays start at up to 3 seconds, unless the server asks for others, and are at most 30
    /// seconds.
    public static let eventStream = RetryPolicy(
        maximumAttempts: 10, baseDelay: .seconds(3), deadline: nil)
}

extension HTTPSession {
    /// Returns the events of a `text/event-stream`, and reconnects as needed.
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
    ///   - request: The request to send. The headers `Accept`, `Cache-Control` and `Last-Event-ID`
    ///     are added, unless the request has them.
    ///   - lastEventID: The ID of an earlier stream's last event, or empty if there is none.
    ///   - policy: The limits and the jitter of the delays. By default, 10 consecutive connections
    ///     without an event, delays of at most 3 seconds at first, and no deadline. With
    ///     ``RetryPolicy/never``, the request is sent once.
    ///   - willReconnect: Called before each delay, with the delay and the connection's error,
    ///     which is `nil` if the body was complete.
    ///   - name: The name of the call in errors and events (the `requestType`), such as a route.
    ///   - redaction: The secrets to hide in error texts.
    ///   - validate: Throws if a response is not acceptable, which ends the events. The closure is
    ///     called with an empty body first. If it throws, it is called again with the beginning of
    ///     the body. A response that it accepts must also have status 200. Its error does not
    ///     affect whether the client reconnects.
    ///   - clock: The clock that measures the delays and the deadline.
    ///   - random: Returns the jitter factor of a delay, from 0 up to 1.
    ///   - now: Returns the current time. A date in `Retry-After` is measured from it if the
    ///     response has no `Date` header.
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
        var load = Load(parsed, over: self, type: name, clock: clock)
        load.request = request
        return EventStream(
            load: load, request: request,
            start: EventStream.Reconnection(policy: policy, lastEventID: lastEventID),
            willReconnect: willReconnect, random: random, now: now)
    }
}
