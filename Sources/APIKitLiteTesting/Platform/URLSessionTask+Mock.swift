import APIKitLite
import Foundation

// What a mock needs to know about a task. Foundation does less for a custom `URLProtocol` on Linux
// than on Apple platforms. Foundation keeps a task's session private, but on Linux, a `Mirror`
// finds the session.
#if canImport(FoundationNetworking)
extension URLSessionTask {
    /// Whether the task can receive a response now.
    ///
    /// Resuming a suspended task starts the protocol again. A cancelled task fails without the
    /// protocol's help.
    var wantsResponse: Bool { state == .running }

    /// Whether a call of `stopLoading()` is outdated.
    ///
    /// If the task was suspended and resumed before that call, Foundation is about to restart the
    /// protocol, or has already restarted it.
    var isAboutToRestart: Bool { state == .running }

    /// Whether the task is a download, whose file a `URLProtocol` cannot deliver.
    var isUnsupportedDownload: Bool { self is URLSessionDownloadTask }

    /// Whether the client receives each piece of the body.
    ///
    /// If this is false, Foundation sends the client only the last of several pieces. Read this
    /// property on the loading thread.
    var seesPieces: Bool {
        guard delegate is any URLSessionDataDelegate, let session,
            let registry = property("taskRegistry", of: session),
            let behaviours = property("behaviours", of: registry)
        else { return false }
        // In a session with a delegate, only `behaviours` tells whether a task has a completion
        // handler.
        let all = Mirror(reflecting: behaviours).children.compactMap { $0.value as? (Int, Any) }
        let own = all.first { $0.0 == taskIdentifier }
        return own.map { "\($0.1)".hasSuffix("callDelegate") } ?? true
    }

    func mirrored<Value>(_ name: String) -> Value? { property(name, of: self) as? Value }
}
#else
extension URLSessionTask {
    var wantsResponse: Bool { state != .canceling }
    var isAboutToRestart: Bool { false }
    var isUnsupportedDownload: Bool { false }
    var seesPieces: Bool { true }
    func mirrored<Value>(_ name: String) -> Value? { nil }
}
#endif

extension URLSessionTask? {
    /// Returns the request with the headers that Foundation adds only for its own protocols. On
    /// Linux, these are the session's `httpAdditionalHeaders`, except headers that the request
    /// already has. On Apple platforms, these are the cookies.
    func requestAsSent(_ request: URLRequest, by client: any Client) -> URLRequest {
        #if canImport(FoundationNetworking)
        var sent = request
        for (name, value) in self?.session?.configuration.httpAdditionalHeaders ?? [:]
        where request.value(forHTTPHeaderField: "\(name)") == nil {
            sent.setValue("\(value)", forHTTPHeaderField: "\(name)")
        }
        return sent
        #else
        return request.addingCookies(of: client.cookieStorage)
        #endif
    }

    /// Asks the client's delegate, if there is one, about a redirect, as Foundation does for a real
    /// server. On Apple platforms, returns false without calling the completion handler, because
    /// Foundation itself asks the delegate and creates a protocol object for the next request.
    func decide(
        about response: HTTPURLResponse, to next: URLRequest,
        completion: @escaping @Sendable (URLRequest?) -> Void
    ) -> Bool {
        #if canImport(FoundationNetworking)
        // Foundation crashes if a `URLProtocol` reports a redirect.
        guard let self, let delegate = self.delegate, let session = self.session else {
            completion(next)
            return true
        }
        session.delegateQueue.addOperation {
            delegate.urlSession(
                session, task: self, willPerformHTTPRedirection: response, newRequest: next,
                completionHandler: completion)
        }
        return true
        #else
        return false
        #endif
    }
}

extension URLSessionTask {
    /// The session of the task; nil on Apple platforms, where it is unknown.
    fileprivate var session: URLSession? { mirrored("session") }
}

extension URLSessionTask? {
    /// Returns the cookie storage of the task's session, or nil if the session has no storage or
    /// accepts no cookies. If the session is unknown, returns `other`, never the host app's shared
    /// storage.
    func cookieStorage(or other: HTTPCookieStorage?) -> HTTPCookieStorage? {
        guard let configuration = self?.session?.configuration else { return other }
        return configuration.httpCookieAcceptPolicy == .never
            ? nil : configuration.httpCookieStorage
    }

    /// The timeout of the task's session, not of the request, in seconds; nil if the session is
    /// unknown.
    var sessionTimeout: TimeInterval? { self?.session?.configuration.timeoutIntervalForRequest }

    /// Calls a function after the delegate has received everything delivered so far, or immediately
    /// if the session is unknown.
    func afterDelegateCalls(_ work: @escaping @Sendable () -> Void) {
        guard let session = self?.session else { return work() }
        session.delegateQueue.addOperation(work)
    }
}
