import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSession: HTTPSession {
    /// Sends a request and waits for the whole body. Redirects follow
    /// ``redirectedRequest(after:from:)``, at most 16 of them; the session's own delegate may
    /// refuse them.
    ///
    /// - Throws: A `URLError`, `URLError.cancelled` when the task was cancelled;
    ///   ``NotAnHTTPResponseError`` for an answer from another kind of URL; on Linux,
    ///   ``InvalidatedSessionError``.
    public func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        makeCancellationSafe()
        let limits = RedirectLimits(of: request)
        var request = request
        #if canImport(FoundationNetworking)
        // Foundation on Linux counts milliseconds, and ends the process where there are too many.
        if !(request.timeoutInterval < longestTimeout) { request.timeoutInterval = longestTimeout }
        #endif
        for _ in 0...redirectLimit {
            switch try await outcome(of: request, within: limits) {
            case .answer(let data, let response): return (data, response)
            // A stream has been read by now and cannot be sent again.
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

    // Not `data(for:)`: cancelled under a mock, it deadlocks every URLSession of the process on
    // Linux, because it resumes its continuation on the loading queue.
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
                // Called once by contract, also for a cancelled task: this resumes exactly once.
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
/// Thirty years, in seconds.
private let longestTimeout: TimeInterval = 1e9
#endif
