import Foundation

/// One task of a `URLSession` and its delegate, which passes the body on in pieces.
///
/// Redirects and challenges are decided as for an exchange.
final class URLSessionStream: URLSessionExchange, URLSessionDataDelegate,
    @unchecked Sendable  // The variables are used on the delegate queue, which is serial.
{
    // Not an `HTTPBody`: the waiter keeps its result, and the transfer must end with the body.
    private let opened = Waiter<Outcome<BodyBuffer>>()
    private let limit = BodyBuffer.limit
    private lazy var buffer = BodyBuffer(limit: limit)
    /// Whether the last response is not final, because Foundation may send the request again with a
    /// credential.
    private var isUndecided = false
    private let flow = StreamFlowControl()

    private weak var owner: URLSession?
    /// Called when the task has completed.
    private var didComplete: @Sendable () -> Void = {}

    /// Starts a task that streams for a session.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - owner: The app's session.
    func start(_ request: URLRequest, on owner: URLSession) {
        self.owner = owner
        #if canImport(FoundationNetworking)
        let (task, didComplete) = StreamingSession.dataTask(with: request, for: owner)
        self.didComplete = didComplete
        #else
        let task = owner.dataTask(with: request)
        flow.task = task
        #endif
        start(task)
    }

    override func appDelegate(of session: URLSession) -> (any URLSessionTaskDelegate)? {
        owner?.delegate as? any URLSessionTaskDelegate
    }

    /// Suspends until the headers or a redirect have been received.
    ///
    /// - Throws: The error of the task, or `URLError.cancelled` as soon as the caller is cancelled.
    func head() async throws -> Outcome<HTTPBody> {
        // A cancelled task completes on the delegate queue, which may wait for a slow reader.
        switch try await opened.value(ifCancelled: .failure(URLError(.cancelled))) {
        case .answer(let buffer, let response): .answer(HTTPBody(buffer), response)
        case .redirect(let next): .redirect(next)
        case .resend: .resend
        }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.allow)
        // It may be the response of a redirect that is followed.
        guard wantsResponse else { return }
        guard let http = response as? HTTPURLResponse else {
            fail(NotAnHTTPResponseError(url: response.url))
            return cancelSoon()
        }
        // Foundation on Linux delivers interim responses, too (RFC 9110, section 15.2).
        guard http.statusCode >= 200 else { return }
        #if canImport(FoundationNetworking)
        // Foundation asks for a credential after the body, and may then send the request again.
        if isUndecided { buffer = BodyBuffer(limit: limit) }
        isUndecided = http.hasBasicChallenge
        #endif
        if !isUndecided { open(http) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard wantsResponse else { return }
        buffer.append(data)
        // An undecided response has no reader that could be late.
        if !isUndecided { flow.didAppend(to: buffer) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        didComplete()
        switch outcome(nil, task.response, error) {
        case .success(.redirect(let next)):
            opened.end(with: .success(.redirect(next)))
        case .success(.resend):
            opened.end(with: .success(.resend))
        case .success(.answer(_, let http)):
            open(http)
            buffer.finish()
        case .failure(let error):
            fail(error)
        }
    }

    /// Returns the response to the caller, with the body that follows.
    private func open(_ http: HTTPURLResponse) {
        guard opened.end(with: .success(.answer(buffer, http))) else { return }
        buffer.onCancel { [weak self] in self?.cancelSoon() }
        buffer.onTake { [flow, buffer] in flow.didTake(from: buffer) }
    }

    /// Cancels the task a moment later: the call waits for Foundation's queue, which may wait for the
    /// delegate queue.
    private func cancelSoon() {
        DispatchQueue.global().async { [self] in cancel() }
    }

    private func fail(_ error: any Error) {
        if !opened.end(with: .failure(error)) { buffer.finish(throwing: error) }
    }
}

#if canImport(FoundationNetworking)
extension HTTPURLResponse {
    /// Whether Foundation on Linux looks for a credential when this response is complete.
    fileprivate var hasBasicChallenge: Bool {
        statusCode == 401
            && value(forHTTPHeaderField: "WWW-Authenticate")?.lowercased().contains("basic") == true
    }
}
#endif
