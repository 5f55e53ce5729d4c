import Foundation

/// One task of a `URLSession` and its delegate, which decides about redirects and, on Linux, about
/// the outcome of a 401.
///
/// The session's own delegate is asked as well, and its decision takes precedence.
class URLSessionExchange: NSObject, ExchangeDelegate,
    @unchecked Sendable  // The variables are used only under `lock`.
{
    /// The outcome of the task, if this object decides it instead of Foundation.
    private enum Decision {
        case redirect(URLRequest)
        /// The same request has to be sent again.
        case resend
        case failure(any Error)
        /// A 401 response that Foundation would never deliver.
        case refused(HTTPURLResponse)
    }

    /// The successful outcome of one task.
    enum Outcome<Body> {
        case answer(Body, HTTPURLResponse)
        /// The next request after a redirect that Foundation does not follow itself.
        case redirect(URLRequest)
        /// The server has closed a reused connection before it answered. The same request has to be
        /// sent again.
        case resend
    }

    // Shared by all exchanges. It is held for nanoseconds, and creating a lock for each exchange
    // would cost more than everything else in this type.
    private static let lock = NSLock()
    private let limits: RedirectLimits
    private var task: URLSessionTask?
    /// Whether the exchange was cancelled or its task has ended.
    private var isOver = false
    /// Whether this object ends the task at a redirect (only on Linux). The task must not be
    /// cancelled then.
    private var isOverridden = false
    private var redirects = 0
    private var decision: Decision?

    /// Whether the response of the task is wanted: the exchange was not cancelled, and this object
    /// has not decided how the task ends.
    var wantsResponse: Bool { Self.lock.withLock { decision == nil && !isOver } }

    init(_ limits: RedirectLimits) {
        self.limits = limits
    }

    func appDelegate(of session: URLSession) -> (any URLSessionTaskDelegate)? {
        session.delegate as? any URLSessionTaskDelegate
    }

    /// Resumes the task, or cancels it if `cancel()` was called before.
    func start(_ task: URLSessionTask) {
        task.delegate = self
        let mayStart = Self.lock.withLock {
            if !isOver { self.task = task }
            return !isOver
        }
        if mayStart { task.resume() } else { task.cancel() }
    }

    /// Cancels the task, now or when it is started.
    func cancel() {
        let task = stop()
        if Self.lock.withLock({ !isOverridden }) { task?.cancel() }
    }

    /// Returns the outcome of the task, from the arguments of its completion handler.
    func outcome(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) -> Result<
        Outcome<Data>, any Error
    > {
        let task = stop()
        switch Self.lock.withLock({ decision }) {
        case .redirect(let next): return .success(.redirect(next))
        case .resend: return .success(.resend)
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

    /// Marks the exchange as over, and returns its task if it has one.
    private func stop() -> URLSessionTask? {
        Self.lock.withLock {
            isOver = true
            defer { task = nil }
            return task
        }
    }

    /// Records how the task ends.
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
        session.ask(appDelegate(of: session), task, response, next) { [self] next in
            if let refusal = next.flatMap({ limits.refusal(of: $0.url) }) {
                return end(.failure(refusal), task, completionHandler)
            }
            #if canImport(FoundationNetworking)
            // Foundation on Linux follows a 307 or 308 without the body. So this task ends here,
            // and `exchange(_:)` starts a new one.
            end(next.map(Decision.redirect), task, completionHandler)
            #else
            // Foundation would ask for a new body stream. `exchange(_:)` has it.
            if next?.httpBodyStream != nil {
                return end(next.map(Decision.redirect), task, completionHandler)
            }
            completionHandler(next)
            #endif
        }
    }

    /// Ends a task at a redirect. Without a decision, the redirect itself is the response.
    private func end(
        _ decision: Decision?, _ task: URLSessionTask, _ completionHandler: (URLRequest?) -> Void
    ) {
        let mayComplete = Self.lock.withLock {
            guard !isOver else { return false }
            self.decision = decision
            #if canImport(FoundationNetworking)
            isOverridden = true
            #endif
            return true
        }
        #if canImport(FoundationNetworking)
        // Foundation on Linux ends the process if this call comes after a cancellation. `cancel()`
        // was called earlier, which is checked here, or it no longer cancels the task. If other
        // code cancels the task, its state shows that, but possibly too late.
        guard mayComplete, task.state == .running || task.state == .suspended else { return }
        #else
        // Elsewhere every call is allowed, and required.
        _ = mayComplete
        #endif
        completionHandler(nil)
    }

    #if canImport(FoundationNetworking)
    /// Ends the task, so that its request is sent again with a new one.
    ///
    /// libcurl asks for the body again if the server closes a kept-alive connection just as the
    /// request reuses it. Foundation on Linux (up to Swift 6.3) cannot rewind a body of bytes: it
    /// would send the headers alone, and the exchange would hang until its timeout.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        let canBeSentAgain = task.originalRequest?.canBeSentAgain ?? false
        end(canBeSentAgain ? .resend : .failure(URLError(.requestBodyStreamExhausted)))
        completionHandler(nil)
        // This runs on Foundation's loading queue, where cancelling would be a deadlock.
        DispatchQueue.global().async { task.cancel() }
    }

    // If no credential is given, Foundation on Linux (up to Swift 6.3) never completes the task. So
    // the task is cancelled here: its response is kept, its body is lost.
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
        guard let delegate = appDelegate(of: session) else {
            return answer(.performDefaultHandling, nil)
        }
        delegate.urlSession(session, task: task, didReceive: challenge, completionHandler: answer)
    }
    #endif
}

extension URLSessionExchange.Outcome: Sendable where Body: Sendable {}

extension URLSession {
    /// Asks a delegate about a redirect. Without one, the redirect is followed.
    fileprivate func ask(
        _ delegate: (any URLSessionTaskDelegate)?, _ task: URLSessionTask,
        _ response: HTTPURLResponse, _ next: URLRequest,
        completion: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let delegate else { return completion(next) }
        #if canImport(FoundationNetworking)
        delegate.urlSession(
            self, task: task, willPerformHTTPRedirection: response, newRequest: next,
            completionHandler: completion)
        #else
        // On Apple platforms the method is optional: the call returns nil if it is not implemented.
        let answered: Void? = delegate.urlSession?(
            self, task: task, willPerformHTTPRedirection: response, newRequest: next,
            completionHandler: completion)
        if answered == nil { completion(next) }
        #endif
    }
}
