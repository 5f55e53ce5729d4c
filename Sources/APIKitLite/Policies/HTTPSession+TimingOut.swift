import Foundation

extension HTTPSession {
    /// Returns a session that limits the time from the start of an exchange to the end of the body.
    ///
    ///     let session = URLSession.shared.timingOut(after: .seconds(30)).retrying()
    ///
    /// At the timeout, the exchange is cancelled. The caller immediately receives
    /// `URLError.timedOut`, even if the exchange ignores the cancellation.
    ///
    /// A stream can last indefinitely. `duration` limits the time until the stream's headers
    /// arrive, and `idle` limits how long the reader waits for the next piece. (If a stream's
    /// response is not accepted, the error contains the part of the body that arrives within
    /// `duration` and within 5 seconds after the headers, up to 1 MiB.)
    ///
    ///     URLSession.shared.timingOut(after: .seconds(30), idle: .seconds(60))
    ///
    /// The order in a chain matters. In `timingOut(after: .seconds(30)).retrying()`, each attempt
    /// has 30 seconds. In `retrying().timingOut(after: .seconds(30))`, all attempts and delays
    /// together have 30 seconds.
    ///
    /// Foundation's `timeoutInterval` limits how long a request can be idle, not the entire
    /// exchange. That limit is not enforced for a custom `URLProtocol`. On Linux, a request with a
    /// `timeoutInterval` below one second fails immediately.
    ///
    /// - Parameters:
    ///   - duration: The longest time that an exchange may take. If it is zero or negative, nothing
    ///     is sent, and each exchange throws `URLError.timedOut`.
    ///   - idle: The longest time that a stream's reader waits for the next piece, or nil for no
    ///     limit.
    ///   - clock: The clock that measures both times. `MockClock.waitForSleepers()` does not count
    ///     timeouts, so a test must wait for the request to arrive, and then move the clock.
    public func timingOut(
        after duration: Duration, idle: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> some HTTPSession {
        let timeline = Timeline(clock)
        let timer = duration > .zero ? DeadlineTimer(duration.clamped, on: timeline) : nil
        let idleTimer = idle.map { DeadlineTimer($0.clamped, on: timeline) }
        // The request is sent in a separate task, because a task group would wait for work that
        // ignores its cancellation.
        return ClosureSession(exchange: { request, options in
            try Task.checkNotCancelled()
            guard let timer else { throw URLError(.timedOut) }
            let promise = Promise<(HTTPBody, HTTPURLResponse)>()
            // The timer itself cancels the task, because the caller's task may not run for a while.
            let running = TaskSlot()
            let (deadline, cancelTimeout) = timer.schedule {
                promise.resolve(with: .failure(URLError(.timedOut)))
                running.cancel()
            }
            defer { cancelTimeout() }
            let task = Task.immediateIfAvailable {
                let result = await Result { try await send(request, awaiting: options) }
                // A late result is discarded even if the timer has not called back yet.
                let isLate = timeline.now() >= deadline
                promise.resolve(with: isLate ? .failure(URLError(.timedOut)) : result)
            }
            running.fill(with: task)
            // Leftover work is cancelled before this function returns.
            defer { task.cancel() }
            var (body, response) = try await promise.value(
                ifCancelled: .failure(URLError(.cancelled))
            ) { task.cancel() }
            // The deadline also limits how long the body of a rejected response is read for the
            // error.
            body.notes.timeouts.append((timeline, deadline))
            return (idleTimer.map(body.limitingSilence) ?? body, response)
        })
    }
}

extension HTTPBody {
    /// Returns a body that limits how long its reader waits for each piece.
    fileprivate func limitingSilence(by timer: DeadlineTimer) -> HTTPBody {
        if data != nil { return self }
        let pieces = makeAsyncIterator()
        return HTTPBody(
            wrapping: self,
            next: {
                let cancelTimeout = timer.schedule { end(throwing: URLError(.timedOut)) }.cancel
                defer { cancelTimeout() }
                return try await pieces.nextPiece()
            })
    }
}
