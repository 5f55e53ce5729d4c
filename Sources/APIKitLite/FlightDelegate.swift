import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Decides what Foundation would otherwise decide in the middle of a flight: where a redirect
/// leads, and, on Linux, what becomes of a refused credential.
///
/// A session's own delegate is asked too, and has the last word.
final class FlightDelegate: NSObject, URLSessionTaskDelegate, Sendable {
    /// What ended a flight, where it is not its answer.
    enum Ending {
        /// A redirect that Foundation does not follow itself.
        case redirect(URLRequest)
        case tooManyRedirects
        /// A 401 that Foundation would wait on forever.
        case refused(HTTPURLResponse)
    }

    private let redirects = Locked(0)
    private let lockedEnding = Locked<Ending?>(nil)

    var ending: Ending? { lockedEnding.withLock { $0 } }

    private func end(_ ending: Ending?) {
        lockedEnding.withLock { $0 = ending }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let count = redirects.withLock {
            $0 += 1
            return $0
        }
        guard let request = task.currentRequest,
            let next = redirectedRequest(after: response, from: request)
        else { return completionHandler(nil) }
        if count > redirectLimit {
            end(.tooManyRedirects)
            return completionHandler(nil)
        }
        session.askDelegate(task, response, next) { [self] next in
            #if canImport(FoundationNetworking)
            // Foundation on Linux sends a 307 or 308 on without its body: it stops here, and
            // `exchange` sends the next request.
            end(next.map(Ending.redirect))
            completionHandler(nil)
            #else
            completionHandler(next)
            #endif
        }
    }

    #if canImport(FoundationNetworking)
    // Without a credential to try, Foundation on Linux neither answers nor fails (up to 6.3). Ending
    // the task is the only way out; its response is kept, its body is lost.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
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
        delegate.urlSession(
            session, task: task, didReceive: challenge, completionHandler: answer)
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
        let ask = delegate.urlSession(
            _:task:willPerformHTTPRedirection:newRequest:completionHandler:)
        guard let ask else { return completion(next) }
        ask(self, task, response, next, completion)
        #endif
    }
}
