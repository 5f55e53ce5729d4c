import Foundation

// Foundation on Linux (up to Swift 6.3) differs from Apple's Foundation in what a session does
// with a task. Each function here has a second, plain form for those platforms.

#if canImport(FoundationNetworking)
extension URLSession {
    /// Prepares the session for a new task. Call it immediately before the creation of the task.
    ///
    /// - Throws: ``TransportError/invalidatedSession`` if the session was invalidated: creating a
    ///   task would end the process. That remains possible if another thread invalidates it just
    ///   now: only Foundation could check and create in one step.
    func prepareForTask() throws {
        CancellationSafeCache.wrapCache(of: configuration)
        ConnectionBusyLoop.watch(self)
        if isInvalidated { throw TransportError.invalidatedSession }
    }

    func ask(
        _ delegate: any URLSessionTaskDelegate, about task: URLSessionTask,
        _ response: HTTPURLResponse, _ next: URLRequest,
        completion: @escaping @Sendable (URLRequest?) -> Void
    ) {
        delegate.urlSession(
            self, task: task, willPerformHTTPRedirection: response, newRequest: next,
            completionHandler: completion)
    }
}

extension URLSessionTask {
    /// Ends the task at a redirect, without following it.
    ///
    /// Foundation ends the process if the handler is called after a cancellation. So call this only
    /// if the exchange was not cancelled. If other code cancels the task, its state shows that, but
    /// possibly too late.
    func endAtRedirect(isCancelled: Bool, _ completionHandler: (URLRequest?) -> Void) {
        if !isCancelled, state == .running || state == .suspended { completionHandler(nil) }
    }

    /// Does nothing: a task that ends at a redirect must not be cancelled, see `endAtRedirect`.
    func cancelAfterRedirect() {}
}

extension URLSessionExchange {
    /// Gives no new stream. Foundation would ask the session's own delegate, and end the process if
    /// the body is data. libcurl asks before it sends a request again, which is refused then.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(nil)
    }

    /// Answers a challenge as the app's delegate does.
    ///
    /// If no credential is given, Foundation never completes the task. So the task is cancelled
    /// here: its response is kept, its body is lost.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let answer: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void = {
            [self] disposition, credential in
            if disposition == .useCredential, let credential {
                // Foundation creates a second protocol. It must not start before it is prepared.
                task.suspend()
                completionHandler(.useCredential, credential)
                task.transferQueue?.sync { refuseRepetition(of: task) }
                return task.resume()
            }
            if disposition != .cancelAuthenticationChallenge,
                let response = task.response as? HTTPURLResponse
            {
                decide(.success(.answer(HTTPBody(Data()), response)))
            }
            completionHandler(.cancelAuthenticationChallenge, nil)
        }
        guard let delegate = appDelegate(of: session) else {
            return answer(.performDefaultHandling, nil)
        }
        delegate.urlSession(session, task: task, didReceive: challenge, completionHandler: answer)
    }
}

extension HTTPURLResponse {
    /// Whether the response may not be the last one: Foundation asks for a credential when it is
    /// complete, and may then send the request again.
    var mayBeFollowed: Bool {
        statusCode == 401
            && value(forHTTPHeaderField: "WWW-Authenticate")?.lowercased().contains("basic") == true
    }
}

extension URLSession {
    /// Whether a response may be that of a proxy to CONNECT, before the first piece of a body.
    ///
    /// Foundation passes it on before the response of the server, and in the same way. A request
    /// over an open connection gets none. A download can wait for the first piece. Any other stream
    /// should begin at its headers: if they announce a body and its type, or events, they are those
    /// of the server. A response of a mock is never that of a proxy.
    func mayBeOfProxy(_ response: HTTPURLResponse, to options: SendOptions) -> Bool {
        environmentHasProxy && response.url?.scheme?.lowercased() == "https"
            && (options.context.waitsForReader || !response.announcesBody)
            && configuration.usesStandardProtocol
    }
}

extension HTTPURLResponse {
    /// Whether it is a success with a type and a body. The `200 Connection established` of a proxy
    /// has no body (RFC 9110, section 9.3.6), and most have no type.
    fileprivate var announcesBody: Bool {
        guard 200..<300 ~= statusCode, let type = value(forHTTPHeaderField: "Content-Type") else {
            return false
        }
        return (Int(value(forHTTPHeaderField: "Content-Length") ?? "") ?? 0) > 0
            || value(forHTTPHeaderField: "Transfer-Encoding") != nil
            || mediaType(type) == "text/event-stream"
    }
}

/// Whether libcurl finds a proxy for https in the environment.
private let environmentHasProxy =
    !Set(["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
    .isDisjoint(with: ProcessInfo.processInfo.environment.keys)
#else
extension URLSession {
    func prepareForTask() throws {}

    func mayBeOfProxy(_ response: HTTPURLResponse, to options: SendOptions) -> Bool { false }

    func streamingTask(with request: URLRequest) -> (URLSessionDataTask, @Sendable () -> Void) {
        (dataTask(with: request), {})
    }

    // The method of the delegate is optional.
    func ask(
        _ delegate: any URLSessionTaskDelegate, about task: URLSessionTask,
        _ response: HTTPURLResponse, _ next: URLRequest,
        completion: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let answered: Void? = delegate.urlSession?(
            self, task: task, willPerformHTTPRedirection: response, newRequest: next,
            completionHandler: completion)
        if answered == nil { completion(next) }
    }
}

extension URLSessionExchange {
    /// Opens the file of the body again, such as after a challenge. A stream of the app's own is
    /// for the app's delegate.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        if let file { return completionHandler(InputStream(url: file)) }
        let answered: Void? = appDelegate(of: session)?.urlSession?(
            session, task: task, needNewBodyStream: completionHandler)
        if answered == nil { completionHandler(nil) }
    }
}

extension URLSessionTask {
    func endAtRedirect(isCancelled: Bool, _ decide: (URLRequest?) -> Void) { decide(nil) }

    func cancelAfterRedirect() { cancel() }
}

extension HTTPURLResponse {
    var mayBeFollowed: Bool { false }
}
#endif

extension URLSession {
    /// Prevents the values of the configuration's `httpAdditionalHeaders` from being sent to
    /// another origin.
    ///
    /// Foundation adds them to each request that does not set them: the value of a request takes
    /// precedence. So this sets a blank value, with which libcurl does not even send the name.
    func suppressingAdditionalHeaders(in request: URLRequest) -> URLRequest {
        var request = request
        let names = (configuration.httpAdditionalHeaders ?? [:]).keys
        for name in names.map({ String(describing: $0) })
        where !isOpenHeader(name) && request.value(forHTTPHeaderField: name) == nil {
            request.setValue(" ", forHTTPHeaderField: name)
        }
        return request
    }
}
