import Foundation

extension URLSession: HTTPSession {
    /// Sends a request and returns its response when the whole body has been received.
    ///
    /// At most 16 redirects are followed, each as ``redirectedRequest(after:from:)`` decides. The
    /// session's own delegate may refuse a redirect; the redirect itself is then the response.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The body, and the status and headers.
    /// - Throws: `URLError.cancelled` if the task is cancelled, and any other `URLError` of
    ///   Foundation; ``NotAnHTTPResponseError`` for a response from a URL of another kind;
    ///   ``RefusedRedirectError`` if a credential's refresh is redirected to another origin;
    ///   ``FileBodyError`` if a file of the body cannot be read; on Linux,
    ///   ``InvalidatedSessionError`` if the session was invalidated.
    public func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        makeCancellationSafe()
        return try await followingRedirects(of: request) { [self] request, limits in
            try await outcome(of: request, within: limits)
        }
    }

    /// Sends a request, and returns its response as soon as the headers have been received.
    ///
    /// Redirects are followed as in ``exchange(_:)``. If the reader is slow, the task is suspended on
    /// Apple platforms. On Linux, the sender can be delayed only for a while: the stream ends with
    /// ``BodyLimitError`` when too many bytes wait.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The body, which can be read once, and the status and headers.
    /// - Throws: The same errors as ``exchange(_:)``.
    public func stream(_ request: URLRequest) async throws -> (HTTPBody, HTTPURLResponse) {
        try await followingRedirects(of: request) { [self] request, limits in
            try prepareTask()
            let stream = URLSessionStream(limits)
            return try await withTaskCancellationHandler {
                stream.start(request, on: self)
                return try await stream.head()
            } onCancel: {
                stream.cancel()
            }
        }
    }

    /// Sends a request, and then each request that a redirect leads to.
    private func followingRedirects<Body>(
        of request: URLRequest,
        _ send: (URLRequest, RedirectLimits) async throws -> URLSessionExchange.Outcome<Body>
    ) async throws -> (Body, HTTPURLResponse) {
        let limits = RedirectLimits(of: request)
        var request = request
        #if canImport(FoundationNetworking)
        // Foundation on Linux counts milliseconds, and ends the process if their number overflows.
        if !(request.timeoutInterval < longestTimeout) { request.timeoutInterval = longestTimeout }
        #endif
        var redirects = 0
        var resends = 0
        while true {
            switch try await request.withSentBody({ try await send($0, limits) }) {
            case .answer(let body, let response): return (body, response)
            case .resend:
                resends += 1
                guard resends <= resendLimit else { throw URLError(.networkConnectionLost) }
            case .redirect(var next):
                redirects += 1
                guard redirects <= redirectLimit else { throw URLError(.httpTooManyRedirects) }
                if next.httpBodyStream != nil {
                    // The stream has been read. Only a body of files can be opened again.
                    guard request.canBeSentAgain else {
                        throw URLError(.requestBodyStreamExhausted)
                    }
                    next.httpBodyStream = request.httpBodyStream
                }
                request = next
                #if canImport(FoundationNetworking)
                if limits.isElsewhere(next.url) {
                    request.suppress(configuration.httpAdditionalHeaders)
                }
                #endif
            }
        }
    }

    // Not `data(for:)`: on Linux it resumes its continuation on the loading queue. If it is
    // cancelled under a mock, every `URLSession` of the process deadlocks.
    private func outcome(
        of request: URLRequest, within limits: RedirectLimits
    ) async throws -> URLSessionExchange.Outcome<Data> {
        try prepareTask()
        let exchange = URLSessionExchange(limits)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // Foundation calls this handler exactly once, also for a cancelled task.
                let task = dataTask(with: request) { data, response, error in
                    continuation.resume(with: exchange.outcome(data, response, error))
                }
                exchange.start(task)
            }
        } onCancel: {
            exchange.cancel()
        }
    }

    /// Checks that a task may be made.
    private func prepareTask() throws {
        try Task.checkNotCancelled()
        #if canImport(FoundationNetworking)
        if isInvalidated { throw InvalidatedSessionError() }
        #endif
    }
}

/// How often one exchange may find that the server has closed the connection. Each time, another of
/// the kept-alive connections is gone.
private let resendLimit = 100

#if canImport(FoundationNetworking)
/// About 31 years, in seconds.
private let longestTimeout: TimeInterval = 1e9
#endif
