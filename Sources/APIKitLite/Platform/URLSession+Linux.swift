import Foundation

// Foundation on Linux (up to Swift 6.3) handles tasks differently from Apple's Foundation. Most
// functions here have a second, simple version for Apple platforms.

#if canImport(FoundationNetworking)
extension URLSession {
    /// Prepares the session for a new task. Call this immediately before you create the task.
    ///
    /// - Throws: ``TransportError/invalidatedSession`` if the session was invalidated, because
    ///   creating a task would crash. If another thread invalidates the session at the same moment,
    ///   creating the task can still crash. Only Foundation could check the session and create the
    ///   task in one step.
    func prepareForTask(isOverConnection: Bool) throws {
        CancellationSafeCache.wrapCache(of: self)
        if isOverConnection { ConnectionBusyLoop.watch(self) }
        if isInvalidated { throw TransportError.invalidatedSession }
    }

    /// Returns whether Foundation's own protocol class loads a request, rather than a class of the
    /// app.
    ///
    /// Foundation searches the classes of the configuration, and then the registered classes, of
    /// which the shared session has a copy. The first session of a process registers Foundation's
    /// own classes. If the shared session is the first session, its copy was made before the
    /// registration, and does not contain Foundation's classes.
    func usesStandardProtocol(for request: URLRequest) -> Bool {
        func chosenClass(of session: URLSession) -> AnyClass? {
            session.configuration.protocolClasses?.first {
                ($0 as? URLProtocol.Type)?.canInit(with: request) == true
            }
        }
        let type: AnyClass? = chosenClass(of: self) ?? chosenClass(of: .shared)
        return type == nil || type == standardProtocolClass
    }

    func ask(
        _ delegate: any URLSessionTaskDelegate, about task: URLSessionTask,
        _ response: HTTPURLResponse, _ next: URLRequest,
        completion: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // The task of a stream belongs to a second session, which has another delegate queue.
        delegateQueue.addOperation {
            delegate.urlSession(
                self, task: task, willPerformHTTPRedirection: response, newRequest: next,
                completionHandler: completion)
        }
    }
}

private let standardProtocolClass: AnyClass? =
    URLSessionConfiguration.ephemeral.protocolClasses?.first

extension URLSessionTask {
    /// Ends the task at a redirect, without following it.
    ///
    /// Foundation crashes if `completionHandler` is called after a cancellation, so this function
    /// does not call it for a cancelled exchange. If other code cancels the task, the task's state
    /// shows that, but possibly only after this check.
    func endAtRedirect(isCancelled: Bool, _ completionHandler: (URLRequest?) -> Void) {
        if !isCancelled, state == .running || state == .suspended { completionHandler(nil) }
    }
}

extension URLSessionExchange {
    /// Calls a function that waits for Foundation's serial queue, which all sessions share.
    func callFoundation(_ call: @escaping @Sendable () -> Void) {
        isOverConnection ? waitingQueue.async(execute: call) : call()
    }

    /// Provides no new body stream. Without this method, Foundation would ask the session's own
    /// delegate, and crash if the body is data. libcurl asks for a new stream before it sends a
    /// request again, but this library refuses that attempt.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(nil)
    }

    /// Responds to a challenge as the app's delegate decides.
    ///
    /// Unless the delegate provides a credential, Foundation never completes the task, so the task
    /// is cancelled here. If the delegate did not cancel the challenge, the response is kept
    /// without its body.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let respond: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void = {
            [self] disposition, credential in
            if disposition == .useCredential, let credential {
                // Foundation creates a second `URLProtocol`, which must be prepared before it
                // starts.
                task.suspend()
                completionHandler(.useCredential, credential)
                task.transferQueue?.sync { refuseRepetition(of: task) }
                return task.resume()
            }
            if disposition != .cancelAuthenticationChallenge,
                let response = task.response as? HTTPURLResponse
            {
                storeCookies(of: response)
                decide(.success(.response(HTTPBody(Data()), response)))
            }
            completionHandler(.cancelAuthenticationChallenge, nil)
        }
        guard let owner, let delegate = appDelegate else {
            return respond(.performDefaultHandling, nil)
        }
        owner.delegateQueue.addOperation {
            delegate.urlSession(
                owner, task: task, didReceive: challenge, completionHandler: respond)
        }
    }

    /// Returns whether a response, of which only the headers have arrived, may be a proxy's
    /// response to CONNECT.
    ///
    /// Foundation delivers a proxy's response before the server's response, and in the same way. A
    /// request over a connection that is already open receives no proxy response. A download can
    /// wait for the first piece of the body before it accepts a response. Any other stream should
    /// begin when its headers arrive, so a success that announces an event stream, or a body and
    /// its type, counts as the server's response. A mock's response never counts as a proxy's
    /// response.
    func mayBeOfProxy(_ response: HTTPURLResponse) -> Bool {
        environmentHasProxy && isOverConnection && response.url?.scheme?.lowercased() == "https"
            && (options.context.waitsForReader || !response.announcesBody)
    }
}

/// A queue for calls that wait for Foundation's serial queue, which may be receiving a large body.
///
/// On Linux, Swift's tasks and Dispatch's global queues share a few threads. If all these threads
/// waited, the body's reader could not run, and so could not end the transfer.
let waitingQueue = DispatchQueue(label: "APIKitLite.waitingQueue")

extension HTTPURLResponse {
    /// Whether another response may follow. When a 401 response with a Basic challenge is complete,
    /// Foundation asks for a credential, and may then send the request again. After a 417, libcurl
    /// may send the request again without its `Expect` header.
    var mayBeFollowed: Bool {
        statusCode == 417
            || statusCode == 401
                && value(forHTTPHeaderField: "WWW-Authenticate")?.lowercased().contains("basic")
                    == true
    }

    /// Whether the response is a success that announces an event stream, or a body and its type. A
    /// proxy's `200 Connection established` has no body (RFC 9110, section 9.3.6), and usually no
    /// type.
    fileprivate var announcesBody: Bool {
        guard 200..<300 ~= statusCode, let type = value(forHTTPHeaderField: "Content-Type") else {
            return false
        }
        return (Int(value(forHTTPHeaderField: "Content-Length") ?? "") ?? 0) > 0
            || value(forHTTPHeaderField: "Transfer-Encoding") != nil
            || mediaType(type) == "text/event-stream"
    }
}

/// Whether the environment has one of libcurl's variables that set a proxy for https URLs.
private let environmentHasProxy =
    !Set(["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
    .isDisjoint(with: ProcessInfo.processInfo.environment.keys)
#else
extension URLSession {
    func prepareForTask(isOverConnection: Bool) throws {}

    func usesStandardProtocol(for _: URLRequest) -> Bool { true }

    func streamingTask(
        with request: URLRequest, for _: URLSessionStream
    ) -> (URLSessionDataTask, @Sendable () -> Void) {
        (dataTask(with: request), {})
    }

    // On Apple platforms, the delegate's redirect method is optional.
    func ask(
        _ delegate: any URLSessionTaskDelegate, about task: URLSessionTask,
        _ response: HTTPURLResponse, _ next: URLRequest,
        completion: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let handled: Void? = delegate.urlSession?(
            self, task: task, willPerformHTTPRedirection: response, newRequest: next,
            completionHandler: completion)
        if handled == nil { completion(next) }
    }
}

extension URLSessionExchange {
    func callFoundation(_ call: () -> Void) { call() }

    func stopReceiving(_ task: URLSessionTask, isAtRedirect: Bool) { task.cancel() }

    func mayBeOfProxy(_: HTTPURLResponse) -> Bool { false }

    /// Reopens the body's file, for example after a challenge. If the body is the app's own stream,
    /// asks the app's delegate instead.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        if let file { return completionHandler(InputStream(url: file)) }
        let handled: Void? = appDelegate?.urlSession?(
            session, task: task, needNewBodyStream: completionHandler)
        if handled == nil { completionHandler(nil) }
    }
}

extension URLSessionTask {
    func endAtRedirect(isCancelled: Bool, _ decide: (URLRequest?) -> Void) { decide(nil) }
}

extension HTTPURLResponse {
    var mayBeFollowed: Bool { false }
}
#endif

extension URLSession {
    /// Returns a request that was redirected to another origin, changed so that it does not send
    /// the configuration's `httpAdditionalHeaders`, except those that `isOpenHeader(_:)` allows.
    ///
    /// Foundation adds each additional header that the request does not set. This function sets
    /// these headers to a blank value, so libcurl on Linux does not even send their names.
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
