import Foundation

extension URLSession: HTTPSession {
    /// Sends a request, and returns when the awaited part of the response has arrived.
    ///
    /// At most 16 redirects are followed. After 303, the request becomes a GET, unless it is a HEAD;
    /// after 301 or 302, a POST becomes a GET. A request to another origin (scheme, host or port)
    /// loses credentials, cookies and all headers except content and content-negotiation headers.
    /// The session's own delegate may refuse a redirect; the redirect itself is then the response.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - part: The part of the response to wait for.
    /// - Returns: The body, and the status and headers.
    /// - Throws: `URLError.cancelled` if the task is cancelled, and any other `URLError` of
    ///   Foundation; ``TransportError``; ``FileBodyError`` if a file of the body cannot be read.
    public func send(
        _ request: URLRequest, awaiting part: ResponsePart
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        // Foundation on Linux counts milliseconds, and ends the process if their number overflows.
        var request = request
        if !(request.timeoutInterval < longestTimeout) { request.timeoutInterval = longestTimeout }
        var next = request
        var redirects = 0
        var resends = 0
        while true {
            let observer = (next.httpBodyStream as? RepeatableBodyStream)?.didRead
            let outcome = try await next.withSentBody { request in
                try await self.outcome(of: request, awaiting: part, didSend: observer)
            }
            switch outcome {
            case .answer(let body, let response):
                storeCookies(of: response, to: next)
                return (body, response)
            case .resend:
                resends += 1
                guard resends <= resendLimit else { throw URLError(.networkConnectionLost) }
            case .redirect(var redirected):
                redirects += 1
                guard redirects <= redirectLimit else { throw URLError(.httpTooManyRedirects) }
                if redirected.httpBodyStream != nil {
                    // The stream has been read. Only a body of files can be opened again.
                    guard next.canBeSentAgain else {
                        throw URLError(.requestBodyStreamExhausted)
                    }
                    redirected.httpBodyStream = next.httpBodyStream
                }
                let isElsewhere = redirected.url?.origin != request.url?.origin
                next = isElsewhere ? suppressingAdditionalHeaders(in: redirected) : redirected
            }
        }
    }

    /// Sends a request once, with one task.
    private func outcome(
        of request: URLRequest, awaiting part: ResponsePart,
        didSend: (@Sendable (_ count: Int) -> Void)?
    ) async throws -> URLSessionExchange.Outcome {
        try Task.checkNotCancelled()
        try prepareForTask()
        switch part {
        case .body:
            let exchange = URLSessionExchange(didSend: didSend)
            return try await withTaskCancellationHandler {
                // Not `data(for:)`: on Linux it resumes its continuation on the loading queue. If
                // it is cancelled under a mock, every `URLSession` of the process deadlocks.
                try await withCheckedThrowingContinuation { continuation in
                    // Foundation calls this handler exactly once, even for a cancelled task.
                    let task = dataTask(with: request) { data, response, error in
                        continuation.resume(with: exchange.outcome(data, response, error))
                    }
                    exchange.start(task)
                }
            } onCancel: {
                exchange.cancel()
            }
        case .head(let limit, let hasSteadyReader):
            let stream = URLSessionStream(
                BodyBuffer(limit: limit), StreamFlowControl(hasSteadyReader: hasSteadyReader),
                didSend: didSend)
            return try await withTaskCancellationHandler {
                stream.start(request, on: self)
                return try await stream.head()
            } onCancel: {
                stream.cancel()
            }
        }
    }
}

/// How often one exchange may find that the server has closed the connection. Each time, another of
/// the kept-alive connections is gone, but other exchanges may leave new ones.
private let resendLimit = 100

/// About 31 years, in seconds.
private let longestTimeout: TimeInterval = 1e9
