import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One task of a `URLSession`, and the delegate that decides where its redirects lead and, on
/// Linux, how a 401 ends.
///
/// The session's own delegate is asked as well, and its decision counts.
final class URLSessionExchange: NSObject, ExchangeDelegate,
    @unchecked Sendable  // The variables only under the lock.
{
    /// How the task ends, where this object decides it and not Foundation.
    private enum Decision {
        case redirect(URLRequest)
        case failure(any Error)
        /// A 401 that Foundation would wait on forever.
        case refused(HTTPURLResponse)
    }

    /// What one task ended in.
    enum Outcome {
        case answer(Data, HTTPURLResponse)
        /// A redirect that Foundation does not follow itself.
        case redirect(URLRequest)
    }

    // One for all exchanges: it is held for nanoseconds, and making a lock for each would cost more
    // than everything else here.
    private static let lock = NSLock()
    private let limits: RedirectLimits
    private var task: URLSessionTask?
    private var isOver = false
    /// Foundation has the answer to a redirect, with which the task ends.
    private var isOverridden = false
    private var redirects = 0
    private var decision: Decision?

    init(_ limits: RedirectLimits) {
        self.limits = limits
    }

    /// Resumes the task, or cancels it if ``cancel()`` was called before.
    func start(_ task: URLSessionTask) {
        task.delegate = self
        let mayStart = Self.lock.withLock {
            if !isOver { self.task = task }
            return !isOver
        }
        if mayStart { task.resume() } else { task.cancel() }
    }

    func cancel() {
        let task = stop()
        if Self.lock.withLock({ !isOverridden }) { task?.cancel() }
    }

    /// Returns what the exchange ended in.
    ///
    /// - Parameters: What the completion handler of the task was given.
    func outcome(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) -> Result<
        Outcome, any Error
    > {
        let task = stop()
        switch Self.lock.withLock({ decision }) {
        case .redirect(let next): return .success(.redirect(next))
        case .failure(let error): return .failure(error)
        case .refused(let response): return .success(.answer(Data(), response))
        case nil: break
        }
        if let error { return .failure(originalError(of: error)) }
        guard let http = response as? HTTPURLResponse else {
            return .failure(
                NotAnHTTPResponseError(url: response?.url ?? task?.originalRequest?.url))
        }
        return .success(.answer(data ?? Data(), http))
    }

    private func stop() -> URLSessionTask? {
        Self.lock.withLock {
            isOver = true
            defer { task = nil }
            return task
        }
    }

    private func end(_ decision: Decision?) {
        Self.lock.withLock { self.decision = decision }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let request = task.currentRequest,
            let next = redirectedRequest(after: response, from: request)
        else { return end(nil, task, completionHandler) }
        let count = Self.lock.withLock {
            redirects += 1
            return redirects
        }
        guard count <= redirectLimit else {
            return end(.failure(URLError(.httpTooManyRedirects)), task, completionHandler)
        }
        session.askDelegate(task, response, next) { [self] next in
            if let refusal = next.flatMap({ limits.refusal(of: $0.url) }) {
                return end(.failure(refusal), task, completionHandler)
            }
            #if canImport(FoundationNetworking)
            // Foundation on Linux sends a 307 or 308 on without its body: this task ends here, and
            // `exchange` starts the next one.
            end(next.map(Decision.redirect), task, completionHandler)
            #else
            completionHandler(next)
            #endif
        }
    }

    /// Ends a task with the redirect that it has come to.
    private func end(
        _ decision: Decision?, _ task: URLSessionTask, _ completionHandler: (URLRequest?) -> Void
    ) {
        let isCancelled = Self.lock.withLock {
            guard !isOver else { return true }
            self.decision = decision
            #if canImport(FoundationNetworking)
            isOverridden = true
            #endif
            return false
        }
        #if canImport(FoundationNetworking)
        // Foundation on Linux ends the process when it gets this answer after a cancellation. One
        // that comes from here comes before or not at all, one from somewhere else is seen late.
        guard !isCancelled, task.state == .running || task.state == .suspended else { return }
        #endif
        completionHandler(nil)
    }

    #if canImport(FoundationNetworking)
    // Without a credential to try, Foundation on Linux (up to 6.3) neither answers nor fails. To end
    // the task is the only way out: its response is kept, its body is lost.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let answer: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void = {
            [self] disposition, credential in
            if disposition == .useCredential, let credential {
                return completionHandler(.useCredential, credential)
            }
            if disposition != .cancelAuthenticationChallenge {
                end((task.response as? HTTPURLResponse).map(Decision.refused))
            }
            completionHandler(.cancelAuthenticationChallenge, nil)
        }
        guard let delegate = session.delegate as? any URLSessionTaskDelegate else {
            return answer(.performDefaultHandling, nil)
        }
        delegate.urlSession(session, task: task, didReceive: challenge, completionHandler: answer)
    }
    #endif
}

extension URLSession {
    fileprivate func askDelegate(
        _ task: URLSessionTask, _ response: HTTPURLResponse, _ next: URLRequest,
        completion: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let delegate = delegate as? any URLSessionTaskDelegate else {
            return completion(next)
        }
        #if canImport(FoundationNetworking)
        delegate.urlSession(
            self, task: task, willPerformHTTPRedirection: response, newRequest: next,
            completionHandler: completion)
        #else
        // An optional method there: the call gives nil where the delegate does not have it.
        let answered: Void? = delegate.urlSession?(
            self, task: task, willPerformHTTPRedirection: response, newRequest: next,
            completionHandler: completion)
        if answered == nil { completion(next) }
        #endif
    }
}
