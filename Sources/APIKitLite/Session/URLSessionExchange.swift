import Foundation

/// One task of a `URLSession`, and the task's delegate, which decides about redirects.
///
/// Before a redirect is followed, the session's own delegate is also asked, and its decision
/// applies. The files in `Platform/` add what Foundation on Linux needs, such as a response to a
/// challenge, and a limit that keeps libcurl to one attempt.
class URLSessionExchange: NSObject, URLSessionTaskDelegate,
    @unchecked Sendable  // The private variables are used only under `lock`.
{
    /// How one task ended, if it did not fail.
    enum TaskOutcome: Sendable {
        case response(HTTPBody, HTTPURLResponse)
        /// The server redirected the request. The value is the request to send next.
        case redirect(URLRequest)
        /// The connection was lost before a response arrived. The same request, which is
        /// idempotent, must be sent again.
        case resend
    }

    // All exchanges share this lock. It is held for nanoseconds, and creating a lock for each
    // exchange would cost more than everything else in this type.
    private static let lock = NSLock()
    /// The request, without the additions for Foundation that the task's request may contain.
    let request: URLRequest
    /// The body's file, which Foundation on Apple platforms may need to reopen.
    let file: URL?
    let options: SendOptions
    let passes = SendContext.passes
    /// The result of `storedCookies(for:)` before the request was sent.
    let cookies: [HTTPCookie]
    /// Whether the library is sending the request again, because its first task failed.
    let isResend: Bool
    /// On Linux, whether Foundation's own protocol loads the request, rather than an app's class.
    let isOverConnection: Bool
    /// The app's session, which may differ from the task's session. Nil if it was released.
    private(set) weak var owner: URLSession?
    /// Returns whether a response has begun, or true if that is unknown. This closure is set only
    /// before the transfer starts.
    var hasResponse: () -> Bool = { true }
    /// Whether libcurl has removed the `Expect` header. This flag is used on the task's queue.
    var isWithoutExpect = false
    private var task: URLSessionTask?
    /// Whether the exchange was cancelled or its task has ended.
    private var isOver = false
    private var isAtRedirect = false
    /// The outcome of the task, if this object, not Foundation, decides the outcome.
    private var decision: Result<TaskOutcome, any Error>?

    /// Whether the task's response is still needed. False once the exchange is cancelled, the task
    /// has ended, or this object has decided how the task ends.
    var wantsResponse: Bool { Self.lock.withLock { decision == nil && !isOver } }

    required init(
        _ request: URLRequest, _ options: SendOptions, file: URL? = nil,
        over owner: URLSession? = nil, isResend: Bool = false, isOverConnection: Bool = false
    ) {
        self.request = request
        self.options = options
        self.file = file
        self.owner = owner
        cookies = owner?.storedCookies(for: request) ?? []
        self.isResend = isResend
        self.isOverConnection = isOverConnection
    }

    /// The delegate of the app's session.
    var appDelegate: (any URLSessionTaskDelegate)? {
        owner?.delegate as? any URLSessionTaskDelegate
    }

    /// Sends the request with one task of the app's session, and returns when the awaited part of
    /// the response has been received. `sent` is the request in the form that Foundation needs.
    func outcome(
        sending sent: URLRequest, over session: URLSession
    ) async throws -> TaskOutcome {
        // On Linux, `data(for:)` would resume its continuation on Foundation's serial queue.
        // Cancelling a request to a mock would then deadlock every `URLSession` in the process.
        try await withCheckedThrowingContinuation { continuation in
            callFoundation { [self] in
                do { try session.prepareForTask(isOverConnection: isOverConnection) } catch {
                    return continuation.resume(throwing: error)
                }
                // Foundation calls this handler exactly once, even for a cancelled task.
                let task = session.dataTask(with: sent) { [self] data, response, error in
                    continuation.resume(with: outcome(data, response, error))
                }
                if session.configuration.urlCache == nil { refuseRepetitionAtResume(of: task) }
                start(task)
            }
        }
    }

    /// Resumes the task, or cancels it if `cancel()` was already called.
    func start(_ task: URLSessionTask) {
        task.delegate = self
        let mayStart = Self.lock.withLock {
            if !isOver { self.task = task }
            return !isOver
        }
        if mayStart { task.resume() } else { task.cancel() }
    }

    /// Cancels the exchange, even if its task has not started.
    func cancel() {
        let (task, isAtRedirect) = Self.lock.withLock {
            defer { (isOver, self.task) = (true, nil) }
            return (self.task, self.isAtRedirect)
        }
        if let task { stopReceiving(task, isAtRedirect: isAtRedirect) }
    }

    func outcome(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) -> Result<
        TaskOutcome, any Error
    > {
        let (isCancelled, decision) = Self.lock.withLock {
            defer { (isOver, task) = (true, nil) }
            return (isOver, self.decision)
        }
        if let decision { return decision }
        // The response of a cancelled exchange is discarded.
        if isCancelled { return .failure(URLError(.cancelled)) }
        if let error {
            let error = bodyStreamError ?? originalError(of: error)
            return mustResend(after: error) ? .success(.resend) : .failure(error)
        }
        guard let http = response as? HTTPURLResponse else {
            return .failure(TransportError.notHTTP(response?.url ?? request.url))
        }
        storeCookies(of: http)
        return Result { try .response(HTTPBody(data ?? Data()).limited(by: options), http) }
    }

    /// The error of the app's own body stream, which Foundation on Linux does not pass on.
    private var bodyStreamError: (any Error)? {
        // Foundation crashes if `streamError` is read when there is no error.
        request.httpBodyStream.flatMap { $0.streamStatus == .error ? $0.streamError : nil }
    }

    /// If a body of this many bytes exceeds the limit, makes the exchange fail and returns true.
    func refusesBody(of count: Int) -> Bool {
        let limit = options.context.bodyLimit ?? SendOptions.standardBodyLimit
        guard count > limit else { return false }
        decide(.failure(TransportError.bodyTooLarge(limit: limit)))
        return true
    }

    func decide(_ decision: Result<TaskOutcome, any Error>) {
        Self.lock.withLock { self.decision = decision }
    }

    // Foundation on Linux does not call this method. Instead, the body's stream reports the bytes
    // that are read.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData count: Int64,
        totalBytesSent total: Int64, totalBytesExpectedToSend expected: Int64
    ) {
        options.context.didSend?(total, expected < 0 ? nil : expected)
        #if !canImport(FoundationNetworking)
        // Foundation calls the app's delegate only for methods that the task's delegate lacks.
        appDelegate?.urlSession?(
            session, task: task, didSendBodyData: count, totalBytesSent: total,
            totalBytesExpectedToSend: expected)
        #endif
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        storeCookies(of: response)
        // Each task ends at its first redirect, so `response` is the response to `request`.
        let result = Result {
            try options.context.redirectedRequest(after: response, from: request)
        }
        guard case .success(let next?) = result, let owner, let delegate = appDelegate else {
            return end(task, at: result, completionHandler)
        }
        owner.ask(delegate, about: task, response, next) { [self] next in
            end(task, at: .success(next), completionHandler)
        }
    }

    /// Ends a task at a redirect. If `next` contains nil, the redirect itself is the response.
    ///
    /// Foundation must not follow the redirect. On Linux, Foundation would lose the request's body
    /// at a 307 or 308. On Apple platforms, Foundation would ask for a new body stream.
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
