import Foundation

/// An asynchronous sequence of the events of a `text/event-stream`, which continues over several
/// connections.
///
/// ```swift
/// for try await event in session.events(URLRequest(url: url)) { show(event.data) }
/// ```
///
/// When a connection ends, the next one sends the ID of the last event as `Last-Event-ID`, after the
/// delay that the server asked for: see ``Reconnection``. Each iterator has a connection of its own,
/// and nothing is sent before its first `next()`.
///
/// The transfer ends as soon as the loop is left, the iterator is released, or the task is cancelled.
/// Cancelling also ends a delay at once.
///
/// To continue later, in another process for example, store the `id` of each event, and pass the last
/// one to ``HTTPSession/events(_:after:reconnecting:willReconnect:redaction:clock:random:now:)``.
public struct EventStream: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ServerSentEvent

    fileprivate let session: any HTTPSession
    fileprivate let request: URLRequest
    fileprivate let start: Reconnection
    fileprivate let willReconnect: @Sendable (Duration, APIRequestError?) -> Void
    fileprivate let redaction: Redaction
    fileprivate let clock: any Clock<Duration>
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
        private var connection: EventConnection?
        /// The events that have arrived, and that `next()` has not returned.
        private var events: ArraySlice<ServerSentEvent> = []
        /// The moment since which there is no connection. `nil` before the first `next()`.
        private var lostAt: Duration?
        private var hasEnded = false

        fileprivate init(_ stream: EventStream) {
            self.stream = stream
            timeline = Timeline(stream.clock)
            reconnection = stream.start
        }

        /// The ID of the last event that `next()` has returned. Empty if there is none.
        public var lastEventID: String { reconnection.lastEventID }

        /// The time to wait before a new connection, as the server asked. `nil` if it did not ask.
        public var retry: Duration? { connection?.parser.retry ?? reconnection.retry }

        /// Returns the next event, or `nil` after the last one. Stays on the caller's actor.
        ///
        /// - Throws: ``APIRequestError`` if a connection ended and there is no new one. Its stage is
        ///   `.transport` for an error of the network, `.validate` for a status other than 200, and
        ///   `.parse` for another media type or a body that cannot be parsed. Every later call
        ///   returns `nil`.
        public nonisolated(nonsending) mutating func next() async throws(APIRequestError)
            -> ServerSentEvent?
        {
            while !hasEnded {
                try checkNotCancelled()
                if let event = events.popFirst() {
                    reconnection.lastEventID = event.id
                    return event
                }
                do throws(ConnectionEnd) {
                    try await readOrConnect()
                } catch {
                    try await recover(from: error)
                }
            }
            return nil
        }

        /// Does the same as `next()`. `for try await` calls this one to stay on the caller's actor.
        ///
        /// - Parameter actor: The caller's actor.
        /// - Throws: ``APIRequestError`` if a connection ended and there is no new one.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?)
            async throws(APIRequestError)
            -> ServerSentEvent?
        {
            try await next()
        }

        /// Reads the next events of the connection. If there is no connection, opens one.
        private nonisolated(nonsending) mutating func readOrConnect() async throws(ConnectionEnd) {
            if let events = try await connection?.nextEvents() {
                self.events = events[...]
                reconnection.attempts = 0
            } else {
                lostAt = lostAt ?? timeline.now()
                reconnection.attempts += 1
                connection = try await .open(
                    stream.request, reconnection, over: limitedSession,
                    redaction: stream.redaction
                ) { timeLeft.map { DeadlineTimer($0, on: timeline) } }
            }
        }

        /// The session, which ends an attempt to connect at the deadline of the policy.
        private var limitedSession: any HTTPSession {
            guard let timeLeft else { return stream.session }
            return stream.session.timingOut(after: timeLeft, clock: stream.clock)
        }

        /// The time until the deadline of the policy. `nil` if it has none.
        private var timeLeft: Duration? {
            reconnection.policy.deadline.map { ($0 - elapsed).clamped }
        }

        /// The time for which there has been no connection.
        private var elapsed: Duration { timeline.now() - (lostAt ?? timeline.now()) }

        /// Suspends until it is time for a new connection, unless the events have ended.
        private nonisolated(nonsending) mutating func recover(
            from end: ConnectionEnd
        ) async throws(APIRequestError) {
            reconnection.retry = retry
            if let connection {
                // All its events have been returned. An ID may have come without data after them.
                reconnection.lastEventID = connection.parser.lastEventID
                lostAt = timeline.now()
            }
            connection = nil
            try checkNotCancelled()
            let decision = reconnection.decision(
                after: end.ending, of: stream.request, elapsed: elapsed, now: stream.now(),
                random: stream.random())
            switch decision {
            case .end: finish()
            case .fail:
                finish()
                throw report(end.error ?? errorAfterCompleteBody)
            case .reconnect(let delay):
                stream.willReconnect(delay, end.error)
                if delay > .zero { try? await timeline.sleep(timeline.now() + delay) }
            }
        }

        /// The error if the last connection had none, and there is no new one.
        private var errorAfterCompleteBody: APIRequestError {
            let isLimit = reconnection.attempts >= reconnection.policy.maximumAttempts
            return stream.failure(
                isLimit
                    ? NoEventsError(connectionCount: reconnection.attempts)
                    : URLError(.timedOut))
        }

        /// Informs the session of an error that its response caused.
        private func report(_ error: APIRequestError) -> APIRequestError {
            if error.stage == .validate || error.stage == .parse {
                stream.session.loadDidFail(error)
            }
            return error
        }

        private mutating func checkNotCancelled() throws(APIRequestError) {
            guard Task.isCancelled else { return }
            finish()
            throw stream.failure(URLError(.cancelled), isCancellation: true)
        }

        /// Ends the transfer and the events.
        private mutating func finish() {
            connection = nil
            events = []
            hasEnded = true
        }
    }

    /// The error of a stream that has no response.
    private func failure(
        _ underlying: any Error, isCancellation: Bool = false
    ) -> APIRequestError {
        APIRequestError(
            stage: .transport, request: request, underlying: underlying,
            isCancellation: isCancellation, redaction: redaction)
    }
}

extension HTTPSession {
    /// Returns the events of a `text/event-stream`, over as many connections as needed.
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
    /// The session needs no ``retrying(_:clock:random:now:)``: the sequence itself sends the request
    /// again. Only a `GET` is sent again.
    ///
    /// - Parameters:
    ///   - request: The request to send. It gets the headers that ``Reconnection/request(_:)``
    ///     describes.
    ///   - lastEventID: The ID of the last event of an earlier stream. Empty if there is none.
    ///   - policy: The limits and the jitter of the delays. With ``RetryPolicy/never``, the request
    ///     is sent once.
    ///   - willReconnect: Called before each delay, with the delay and the error of the connection.
    ///     The error is `nil` if the body was complete.
    ///   - redaction: The secrets that the texts of an error hide.
    ///   - clock: The clock that measures the delays and the deadline.
    ///   - random: Returns the jitter factor of a delay, from 0 up to 1.
    ///   - now: Returns the current time. A date in `Retry-After` is measured from it if the response
    ///     has no `Date` header.
    /// - Returns: The sequence of the events. Nothing is sent yet.
    public func events(
        _ request: URLRequest, after lastEventID: String = "",
        reconnecting policy: RetryPolicy = .eventStream,
        willReconnect: @escaping @Sendable (Duration, APIRequestError?) -> Void = { _, _ in },
        redaction: Redaction = .standard,
        clock: any Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        now: @escaping @Sendable () -> Date = { Date() }
    ) -> EventStream {
        EventStream(
            session: self, request: request,
            start: Reconnection(policy, lastEventID: lastEventID),
            willReconnect: willReconnect, redaction: redaction, clock: clock, random: random,
            now: now)
    }
}
