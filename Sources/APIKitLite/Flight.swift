import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One task in the air, and what Foundation would otherwise decide on its way: where a redirect
/// leads, and, on Linux, what becomes of a refused credential.
///
/// The session's own delegate is asked too, and has the last word.
final class Flight: NSObject, ExchangeDelegate,
    @unchecked Sendable  // The variables only under the lock.
{
    private enum Ending {
        case redirect(URLRequest)
        case failure(any Error)
        /// A 401 that Foundation would wait on forever.
        case refused(HTTPURLResponse)
    }

    // One for all flights: it is held for nanoseconds, and a lock costs more to make than all else
    // that a flight does.
    private static let lock = NSLock()
    private let limits: RedirectLimits
    private var task: URLSessionTask?
    private var isOver = false
    /// Foundation has the answer to a redirect, with which the task ends.
    private var isEnding = false
    private var redirects = 0
    private var ending: Ending?

    init(_ limits: RedirectLimits) {
        self.limits = limits
    }

    /// Whichever comes first of begin and cancel, the task is resumed or cancelled.
    func begin(_ task: URLSessionTask) {
        task.delegate = self
        let mayStart = Self.lock.withLock {
            if !isOver { self.task = task }
            return !isOver
        }
        if mayStart { task.resume() } else { task.cancel() }
    }

    func cancel() {
        let task = stop()
        if Self.lock.withLock({ !isEnding }) { task?.cancel() }
    }

    /// The task's end, as its completion handler tells it.
    func land(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) -> Result<
        Landing, any Error
    > {
        let task = stop()
        switch Self.lock.withLock({ ending }) {
        case .redirect(let next): return .success(.redirect(next))
        case .failure(let error): return .failure(error)
        case .refused(let response): return .success(.answer(Data(), response))
        case nil: break
        }
        if let error { return .failure(originalError(of: error)) }
        guard let http = response as? HTTPURLResponse else {
            return .failure(NotAnHTTPResponse(url: response?.url ?? task?.originalRequest?.url))
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

    private func end(_ ending: Ending?) {
        Self.lock.withLock { self.ending = ending }
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
            // Foundation on Linux sends a 307 or 308 on without its body: the flight ends here, and
            // `exchange` starts the next one.
            end(next.map(Ending.redirect), task, completionHandler)
            #else
            completionHandler(next)
            #endif
        }
    }

    /// Ends a task with the redirect that it has come to.
    private func end(
        _ ending: Ending?, _ task: URLSessionTask, _ completionHandler: (URLRequest?) -> Void
    ) {
        let isCancelled = Self.lock.withLock {
            guard !isOver else { return true }
            self.ending = ending
            #if canImport(FoundationNetworking)
            isEnding = true
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
                end((task.response as? HTTPURLResponse).map(Ending.refused))
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
