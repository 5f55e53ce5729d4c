import Foundation

/// One task of a `URLSession` and its delegate, which decides about redirects.
///
/// The session's own delegate is asked as well, and its decision takes precedence. `Platform/`
/// adds what Foundation on Linux needs: the outcome of a 401, and at most one attempt of libcurl.
class URLSessionExchange: NSObject, URLSessionTaskDelegate,
    @unchecked Sendable  // The variables are used only under `lock`.
{
    /// How one task ended, if it did not fail.
    enum TaskOutcome: Sendable {
        case answer(HTTPBody, HTTPURLResponse)
        /// The request to send next, because the server has redirected this one.
        case redirect(URLRequest)
        /// The connection was lost before the server answered. The same request, which is
        /// idempotent, has to be sent again.
        case resend
    }

    // Shared by all exchanges. It is held for nanoseconds, and creating a lock for each exchange
    // would cost more than everything else in this type.
    private static let lock = NSLock()
    /// The request of the caller. The request of the task may have more, for Foundation.
    let request: URLRequest
    /// The file of the body, which Foundation on Apple platforms may have to open again.
    let file: URL?
    let options: SendOptions
    fileprivate let passes = SendContext.passes
    /// The cookies that the session had before it sent the request.
    let cookies: [HTTPCookie]
    let repetition: Repetition
    private var task: URLSessionTask?
    /// Whether the exchange was cancelled or its task has ended.
    private var isOver = false
    private var isAtRedirect = false
    /// How the task ends, if this object decides it instead of Foundation.
    private var decision: Result<TaskOutcome, any Error>?

    /// Whether the response of the task is wanted: the exchange was not cancelled, and this object
    /// has not decided how the task ends.
    var wantsResponse: Bool { Self.lock.withLock { decision == nil && !isOver } }

    required init(
        _ request: URLRequest, _ options: SendOptions, file: URL? = nil,
        cookies: [HTTPCookie] = [], repetition: Repetition = .allowed
    ) {
        self.request = request
        self.options = options
        self.file = file
        self.cookies = cookies
        self.repetition = repetition
    }

    /// Returns the delegate of the app's session, which may not be the session of the task.
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
        let (task, isAtRedirect) = Self.lock.withLock {
            defer { (isOver, self.task) = (true, nil) }
            return (self.task, self.isAtRedirect)
        }
        if isAtRedirect {
            task?.cancelAfterRedirect()
        } else {
            task?.cancel()
        }
    }

    func outcome(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) -> Result<
        TaskOutcome, any Error
    > {
        let (isCancelled, decision) = Self.lock.withLock {
            defer { (isOver, task) = (true, nil) }
            return (isOver, self.decision)
        }
        if let decision { return decision }
        if let error {
            let error = originalError(of: error)
            return mustResend(after: error, response) ? .success(.resend) : .failure(error)
        }
        // Bytes that arrived after the cancellation are lost.
        if isCancelled { return .failure(URLError(.cancelled)) }
        guard let http = response as? HTTPURLResponse else {
            return .failure(TransportError.notHTTP(response?.url ?? request.url))
        }
        return Result { try .answer(HTTPBody(data ?? Data()).limited(by: options), http) }
    }

    /// Decides that the task fails, if its body has too many bytes already.
    func refusesBody(of count: Int) -> Bool {
        let limit = options.context.bodyLimit ?? SendOptions.standardBodyLimit
        guard count > limit else { return false }
        decide(.failure(TransportError.bodyTooLarge(limit: limit)))
        return true
    }

    func decide(_ decision: Result<TaskOutcome, any Error>) {
        Self.lock.withLock { self.decision = decision }
    }

    // Foundation on Linux does not call it: the stream of the body reports what is read.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData count: Int64,
        totalBytesSent total: Int64, totalBytesExpectedToSend expected: Int64
    ) {
        options.context.didSend?(total, expected < 0 ? nil : expected)
        #if !canImport(FoundationNetworking)
        // Foundation calls the app's delegate only where the delegate of the task has no method.
        appDelegate(of: session)?.urlSession?(
            session, task: task, didSendBodyData: count, totalBytesSent: total,
            totalBytesExpectedToSend: expected)
        #endif
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        session.storeCookies(of: response, to: request, replacing: cookies)
        // Each task ends at its first redirect, so this response answers the request.
        let result = Result {
            try options.context.redirectedRequest(after: response, from: request)
        }
        guard case .success(let next?) = result, let delegate = appDelegate(of: session) else {
            return end(task, at: result, completionHandler)
        }
        session.ask(delegate, about: task, response, next) { [self] next in
            end(task, at: .success(next), completionHandler)
        }
    }

    /// Ends a task at a redirect. Without a next request, the redirect itself is the response.
    ///
    /// Foundation does not follow the redirect: on Linux it would lose the body of a 307 or 308,
    /// and on Apple platforms it would ask for a new body stream.
    private func end(
        _ task: URLSessionTask, at next: Result<URLRequest?, any Error>,
        _ completionHandler: (URLRequest?) -> Void
    ) {
        let decision: Result<TaskOutcome, any Error>? =
            switch next {
            case .success(let next): next.map { .success(.redirect($0)) }
            case .failure(let error): .failure(error)
            }
        let isCancelled = Self.lock.withLock {
            if !isOver { (self.decision, isAtRedirect) = (decision, true) }
            return isOver
        }
        task.endAtRedirect(isCancelled: isCancelled, completionHandler)
    }
}

extension URLSessionTask {
    /// How many mocks have passed on the request of the task; nil if that is not known.
    package var passes: Int? { (delegate as? URLSessionExchange)?.passes }
}
