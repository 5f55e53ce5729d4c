import Foundation

extension URLSession: HTTPSession {
    /// Sends a request, and returns when the awaited part of the response has arrived.
    ///
    /// At most 16 redirects are followed. After 303, the request becomes a GET, unless it is a
    /// HEAD; after 301 or 302, a POST becomes a GET. A request to another origin (scheme, host or
    /// port) loses credentials, cookies and all headers except content and content-negotiation
    /// headers. The session's own delegate may refuse a redirect; the redirect itself is then the
    /// response.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - options: What to wait for: the whole response, or its headers.
    /// - Returns: The body, and the status and headers.
    /// - Throws: `URLError.cancelled` if the task is cancelled, and any other `URLError` of
    ///   Foundation; ``TransportError``; ``FileBodyError`` if a file of the body cannot be read.
    public func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        // Foundation on Linux counts milliseconds, and ends the process if their number overflows.
        var request = request
        if !(abs(request.timeoutInterval) < longestTimeout) {
            request.timeoutInterval = request.timeoutInterval < 0 ? 0 : longestTimeout
        }
        var next = request
        var redirects = 0
        var resends = 0
        while true {
            let isElsewhere = next.url?.origin != request.url?.origin
            let outcome = try await next.withSentBody(reportedTo: options.context.didSend) {
                [next] sent, file in
                try await self.outcome(
                    of: next,
                    sentAs: isElsewhere ? suppressingAdditionalHeaders(in: sent) : sent, file,
                    options)
            }
            switch outcome {
            case .answer(let body, let response):
                return (body, response)
            case .resend:
                resends += 1
                guard resends <= resendLimit else { throw URLError(.networkConnectionLost) }
                options.context.didResend?()
            case .redirect(let redirected):
                redirects += 1
                guard redirects <= redirectLimit else { throw URLError(.httpTooManyRedirects) }
                // The stream has been read. Only a body of files can be opened again.
                guard redirected.canBeSentAgain else {
                    throw URLError(.requestBodyStreamExhausted)
                }
                next = redirected
            }
        }
    }

    /// Sends a request once, with one task. `sent` has what Foundation needs to send it correctly.
    private func outcome(
        of request: URLRequest, sentAs sent: URLRequest, _ file: URL?, _ options: SendOptions
    ) async throws -> URLSessionExchange.TaskOutcome {
        try Task.checkNotCancelled()
        try prepareForTask()
        if let limit = options.bufferLimit {
            let stream = URLSessionStream(
                request, options, BodyBuffer(limit: limit), file: file,
                cookies: storedCookies(for: request))
            return try await withTaskCancellationHandler {
                stream.start(sent, on: self)
                return try await stream.head()
            } onCancel: {
                stream.cancel()
            }
        }
        let exchange = URLSessionExchange(
            request, options, file: file, cookies: storedCookies(for: request))
        return try await withTaskCancellationHandler {
            // Not `data(for:)`: on Linux it resumes its continuation on the loading queue. If it is
            // cancelled under a mock, every `URLSession` of the process deadlocks.
            try await withCheckedThrowingContinuation { continuation in
                // Foundation calls this handler exactly once, even for a cancelled task.
                let task = dataTask(with: sent) { data, response, error in
                    let outcome = exchange.outcome(data, response, error)
                    if case .success(.answer(_, let http)) = outcome {
                        self.storeCookies(of: http, to: request, replacing: exchange.cookies)
                    }
                    continuation.resume(with: outcome)
                }
                exchange.start(task)
            }
        } onCancel: {
            exchange.cancel()
        }
    }
}

/// How often one exchange may find that the server has closed the connection. Each time, another of
/// the kept-alive connections is gone, but other exchanges may leave new ones.
private let resendLimit = 100

/// About 31 years, in seconds.
private let longestTimeout: TimeInterval = 1e9
