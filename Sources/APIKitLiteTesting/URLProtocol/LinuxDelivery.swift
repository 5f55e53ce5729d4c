import APIKitLite
import Foundation

// Work that Foundation on Linux does not do for a custom `URLProtocol`, or that ends the process
// when Foundation does it.

#if canImport(FoundationNetworking)
import FoundationNetworking

extension URLSessionTask? {
    /// Asks the client's delegate about a redirect, as Foundation does for a real server.
    ///
    /// - Parameters:
    ///   - response: The response that redirects.
    ///   - next: The request that the redirect leads to. Without a delegate, it is followed.
    ///   - completion: Called once with the request to follow, or with `nil` if the delegate
    ///     refuses the redirect.
    func askDelegate(
        _ response: HTTPURLResponse, _ next: URLRequest,
        completion: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let task = self, let delegate = task.delegate, let session = task.mirroredSession
        else { return completion(next) }
        let completion = Once(completion)
        session.delegateQueue.addOperation {
            delegate.urlSession(
                session, task: task, willPerformHTTPRedirection: response, newRequest: next,
                completionHandler: { completion($0) })
        }
    }

    /// Calls a function after the delegate has received everything that was delivered before.
    func afterDelegateCalls(_ work: @escaping @Sendable () -> Void) {
        guard let session = self?.mirroredSession else { return work() }
        session.delegateQueue.addOperation(work)
    }

    /// Returns the request with those `httpAdditionalHeaders` of its session that it does not set
    /// itself.
    ///
    /// Foundation adds them only after it has asked every `URLProtocol`.
    func requestAsSent(_ request: URLRequest) -> URLRequest {
        guard let added = self?.mirroredSession?.configuration.httpAdditionalHeaders,
            !added.isEmpty
        else { return request }
        var request = request
        for (name, value) in added {
            // Foundation accepts names and values of other types, but setting one ends the process.
            guard let name = name as? String, let value = value as? String else { continue }
            if request.value(forHTTPHeaderField: name) == nil {
                request.setValue(value, forHTTPHeaderField: name)
            }
        }
        return request.withoutSuppressedHeaders
    }
}

extension URLSessionTask {
    /// Whether the task may request and receive an answer.
    ///
    /// Resuming a suspended task starts the protocol again. A cancelled task fails by itself.
    var wantsAnswer: Bool { state == .running }

    /// Whether a call of `stopLoading()` is out of date.
    ///
    /// If the task was suspended and resumed before that call, Foundation starts the protocol
    /// again, or has already done so.
    var isAboutToRestart: Bool { state == .running }

    /// The request timeout of the task's session, in seconds. The request does not contain it.
    var sessionTimeout: TimeInterval? { mirroredSession?.configuration.timeoutIntervalForRequest }

    /// Whether the client receives each piece of the body.
    ///
    /// If it is false, Foundation would give the client only the last piece. Read it on the loading
    /// thread.
    var seesPieces: Bool {
        guard delegate is any URLSessionDataDelegate, let session = mirroredSession else {
            return false
        }
        // In a session with a delegate, a task with a completion handler differs only here.
        let registry = Mirror(reflecting: session).descendant(named: "taskRegistry")
        let behaviours = registry.flatMap {
            Mirror(reflecting: $0).descendant(named: "behaviours")
        }
        for child in behaviours.map({ Mirror(reflecting: $0).children }) ?? .init([]) {
            guard let (id, behaviour) = child.value as? (Int, Any), id == taskIdentifier else {
                continue
            }
            return "\(behaviour)".hasSuffix("callDelegate")
        }
        return true
    }
}

/// A 401 response whose Basic challenge Foundation ignores.
///
/// Otherwise Foundation would wait forever, or repeat the request to the real host with the
/// delegate's credential. It looks for a challenge when the load finishes, and needs the URL of the
/// response for that. So `url` is `nil` on the finishing thread until `finish(_:_:)` returns.
final class ChallengeFreeResponse: HTTPURLResponse, @unchecked Sendable {
    // Safe: the superclass is immutable, and the one variable has a lock.
    private let finishingThread = Locked<pthread_t?>(nil)

    override var url: URL? {
        let thread = finishingThread.withLock { $0 }
        if let thread, pthread_equal(thread, pthread_self()) != 0 { return nil }
        return super.url
    }

    /// Returns the response, or a replacement if it is a 401 with a Basic challenge.
    static func replacing(_ response: HTTPURLResponse) -> HTTPURLResponse {
        guard response.statusCode == 401, let url = response.url,
            let challenge = response.value(forHTTPHeaderField: "WWW-Authenticate"),
            challenge.lowercased().contains("basic")
        else { return response }
        return ChallengeFreeResponse(
            url: url, statusCode: 401, httpVersion: "HTTP/1.1",
            headerFields: response.headerFields)!
    }

    /// Finishes a load while Foundation cannot see the challenge.
    ///
    /// - Parameters:
    ///   - response: The response that was delivered.
    ///   - finish: Calls `urlProtocolDidFinishLoading(_:)`.
    static func finish(_ response: HTTPURLResponse, _ finish: () -> Void) {
        guard let response = response as? ChallengeFreeResponse else { return finish() }
        response.finishingThread.withLock { $0 = pthread_self() }
        finish()
        response.finishingThread.withLock { $0 = nil }
    }
}
#else
extension URLSessionTask {
    /// Whether the task may request and receive an answer. A cancelled task fails by itself.
    var wantsAnswer: Bool { state != .canceling }

    /// Always `nil`: on Apple platforms, the session of a task is private.
    var sessionTimeout: TimeInterval? { nil }

    /// Always false: Foundation on Apple platforms does not start a stopped protocol again.
    var isAboutToRestart: Bool { false }

    /// Always true: Foundation on Apple platforms joins the pieces for a client that needs them
    /// as one.
    var seesPieces: Bool { true }
}

extension URLSessionTask? {
    /// Returns the request unchanged: on Apple platforms, the session of a task is private.
    func requestAsSent(_ request: URLRequest) -> URLRequest { request }

    /// Calls a function at once: on Apple platforms, the session of a task is private.
    func afterDelegateCalls(_ work: @escaping @Sendable () -> Void) { work() }
}

/// The counterpart of the Linux type, which does nothing.
///
/// Foundation on Apple platforms handles a challenge only if the protocol reports it.
enum ChallengeFreeResponse {
    /// Returns the response unchanged.
    static func replacing(_ response: HTTPURLResponse) -> HTTPURLResponse { response }
    /// Calls `finish`.
    static func finish(_ response: HTTPURLResponse, _ finish: () -> Void) { finish() }
}
#endif
