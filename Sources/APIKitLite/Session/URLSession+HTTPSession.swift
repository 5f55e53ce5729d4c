import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

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
    ///   ``RefusedRedirectError`` if a credential's refresh is redirected to another origin; on
    ///   Linux, ``InvalidatedSessionError`` if the session was invalidated.
    public func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        makeCancellationSafe()
        let limits = RedirectLimits(of: request)
        var request = request
        #if canImport(FoundationNetworking)
        // Foundation on Linux counts milliseconds, and ends the process if their number overflows.
        if !(request.timeoutInterval < longestTimeout) { request.timeoutInterval = longestTimeout }
        #endif
        for _ in 0...redirectLimit {
            switch try await outcome(of: request, within: limits) {
            case .answer(let data, let response): return (data, response)
            // The stream has been read, so it cannot be sent again.
            case .redirect(let next) where next.httpBodyStream != nil:
                throw URLError(.requestBodyStreamExhausted)
            case .redirect(let next):
                request = next
                #if canImport(FoundationNetworking)
                if limits.isElsewhere(next.url) {
                    request.suppress(configuration.httpAdditionalHeaders)
                }
                #endif
            }
        }
        throw URLError(.httpTooManyRedirects)
    }

    // Not `data(for:)`: on Linux it resumes its continuation on the loading queue. If it is
    // cancelled under a mock, every `URLSession` of the process deadlocks.
    private func outcome(
        of request: URLRequest, within limits: RedirectLimits
    ) async throws -> URLSessionExchange.Outcome {
        try Task.checkNotCancelled()
        #if canImport(FoundationNetworking)
        if isInvalidated { throw InvalidatedSessionError() }
        #endif
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
}

#if canImport(FoundationNetworking)
/// About 31 years, in seconds.
private let longestTimeout: TimeInterval = 1e9
#endif
