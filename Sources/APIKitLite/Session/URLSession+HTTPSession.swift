import Foundation

extension URLSession: HTTPSession {
    /// Sends a request, and returns when the awaited part of the response has arrived.
    ///
    /// At most 16 redirects are followed. After 303, the request becomes a GET, unless it is a
    /// HEAD. After 301 or 302, a POST becomes a GET. A request redirected to another origin
    /// (scheme, host or port) loses its credentials, cookies and other headers, except `Range`,
    /// `User-Agent`, `Last-Event-ID`, and the request headers of RFC 9110 whose names begin with
    /// `Accept`, `Content-` or `If-`. If the session's own delegate refuses a redirect, the
    /// redirect itself is the response.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - options: What to wait for: the whole response, or its headers.
    /// - Returns: The body, and the status and headers.
    /// - Throws: `URLError.cancelled` if the task is cancelled. Any other error from Foundation
    ///   (usually a `URLError`), a redirect closure or your own body stream. ``TransportError`` for
    ///   an error without a `URLError` code. ``FileBodyError`` if a file of the body is missing,
    ///   unreadable or resized.
    public func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        // Foundation on Linux counts a timeout in milliseconds, and crashes if their number
        // overflows.
        var request = request
        if !(abs(request.timeoutInterval) < longestTimeout) {
            request.timeoutInterval = request.timeoutInterval < 0 ? 0 : longestTimeout
        }
        var next = request
        var redirects = 0
        var (isResend, isElsewhere) = (false, false)
        while true {
            let outcome = try await next.withSentBody(reportedTo: options.context.didSend) {
                [next, isResend, isElsewhere] sent, file in
                try await self.outcome(
                    of: next,
                    sentAs: isElsewhere ? suppressingAdditionalHeaders(in: sent) : sent, file,
                    options, isResend)
            }
            switch outcome {
            case .response(let body, let response):
                // On Apple platforms, Foundation reports no progress for a body that a mock reads,
                // so the full size is reported here. A server that refuses a body may not have read
                // all of that body.
                if 200..<300 ~= response.statusCode, let size = next.knownBodySize {
                    options.context.didSend?(size, size)
                }
                return (body, response)
            case .resend:
                isResend = true
                options.context.didResend?()
            case .redirect(let redirected):
                redirects += 1
                guard redirects <= redirectLimit else { throw URLError(.httpTooManyRedirects) }
                // A body stream has been read by now. Only a body of files can be reopened.
                guard redirected.canBeSentAgain else {
                    throw URLError(.requestBodyStreamExhausted)
                }
                (next, isResend) = (redirected, false)
                isElsewhere = next.url?.origin != request.url?.origin
            }
        }
    }

    /// Sends a request once, with one task. `sent` is the request in the form that Foundation
    /// needs.
    private func outcome(
        of request: URLRequest, sentAs sent: URLRequest, _ file: URL?, _ options: SendOptions,
        _ isResend: Bool
    ) async throws -> URLSessionExchange.TaskOutcome {
        try Task.checkNotCancelled()
        // Foundation itself would collect a whole body of any size, so a limited body is streamed.
        // On Linux, streaming would move the task to another session, so a whole body from an app's
        // own protocol class is not streamed.
        let isOverConnection = usesStandardProtocol(for: request)
        let isLimited = options.context.bodyLimit != nil && isOverConnection
        let isStream = options.bufferLimit != nil || isLimited
        let type = isStream ? URLSessionStream.self : URLSessionExchange.self
        let exchange = type.init(
            request, options, file: file, over: self, isResend: isResend,
            isOverConnection: isOverConnection)
        return try await withTaskCancellationHandler {
            try await exchange.outcome(sending: sent, over: self)
        } onCancel: {
            exchange.cancel()
        }
    }
}

/// About 32 years, in seconds.
private let longestTimeout: TimeInterval = 1e9
