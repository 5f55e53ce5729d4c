import APIKitLite
import Foundation

// What Foundation on Linux does not do for a custom `URLProtocol`, or does fatally.

#if canImport(FoundationNetworking)
import FoundationNetworking

extension URLSessionTask? {
    /// Asks the client's delegate about a redirect, as Foundation does for a real one.
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

    /// The request as it would leave: with the `httpAdditionalHeaders` of its session that it does
    /// not name itself. Foundation adds them below any `URLProtocol`.
    func requestAsSent(_ request: URLRequest) -> URLRequest {
        guard let added = self?.mirroredSession?.configuration.httpAdditionalHeaders,
            !added.isEmpty
        else { return request }
        var request = request
        for (name, value) in added {
            // Setting anything but strings ends the process.
            guard let name = name as? String, let value = value as? String else { continue }
            if request.value(forHTTPHeaderField: name) == nil {
                request.setValue(value, forHTTPHeaderField: name)
            }
        }
        return request.withoutSuppressedHeaders
    }
}

extension URLSessionTask {
    /// Whether an answer may be asked for and delivered. Whoever resumes a suspended task starts it
    /// again; a cancelled one fails by itself.
    var wantsAnswer: Bool { state == .running }

    /// Whether it was suspended and resumed before Foundation came to stop it: it is started again,
    /// or has been already.
    var isAboutToRestart: Bool { state == .running }

    /// The request timeout of its session, which the request itself does not tell.
    var sessionTimeout: TimeInterval? { mirroredSession?.configuration.timeoutIntervalForRequest }

    /// Whether each piece of the body reaches the client, or only the last one would.
    ///
    /// To be read on the loading thread.
    var seesPieces: Bool {
        guard delegate is any URLSessionDataDelegate, let session = mirroredSession else {
            return false
        }
        // A completion-handler task in a session with a delegate looks the same from outside.
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

/// A 401 with a Basic challenge that is the answer, and of which Foundation takes no notice.
///
/// It would wait forever, or repeat the request to the real host with the delegate's credential. It
/// looks for the challenge when the loading ends, under the response's URL: so there is none at
/// that moment, on that thread.
final class ChallengeFreeResponse: HTTPURLResponse, @unchecked Sendable {  // Adds a locked variable.
    private let finishingThread = Locked<pthread_t?>(nil)

    override var url: URL? {
        let thread = finishingThread.withLock { $0 }
        if let thread, pthread_equal(thread, pthread_self()) != 0 { return nil }
        return super.url
    }

    static func replacing(_ response: HTTPURLResponse) -> HTTPURLResponse {
        guard response.statusCode == 401, let url = response.url,
            let challenge = response.value(forHTTPHeaderField: "WWW-Authenticate"),
            challenge.lowercased().contains("basic")
        else { return response }
        return ChallengeFreeResponse(
            url: url, statusCode: 401, httpVersion: "HTTP/1.1",
            headerFields: response.headerFields)!
    }

    static func finish(_ response: HTTPURLResponse, _ finish: () -> Void) {
        guard let quiet = response as? ChallengeFreeResponse else { return finish() }
        quiet.finishingThread.withLock { $0 = pthread_self() }
        finish()
        quiet.finishingThread.withLock { $0 = nil }
    }
}
#else
extension URLSessionTask {
    /// A cancelled task fails by itself.
    var wantsAnswer: Bool { state != .canceling }

    /// Foundation on Apple platforms does not say which session a task belongs to.
    var sessionTimeout: TimeInterval? { nil }

    /// Foundation on Apple platforms stops a running task only for good.
    var isAboutToRestart: Bool { false }

    /// Foundation on Apple platforms joins the pieces itself where they are not wanted.
    var seesPieces: Bool { true }
}

extension URLSessionTask? {
    /// Foundation on Apple platforms does not say what it adds.
    func requestAsSent(_ request: URLRequest) -> URLRequest { request }
}

/// Foundation on Apple platforms acts on a challenge only when a protocol reports it.
enum ChallengeFreeResponse {
    static func replacing(_ response: HTTPURLResponse) -> HTTPURLResponse { response }
    static func finish(_ response: HTTPURLResponse, _ finish: () -> Void) { finish() }
}
#endif
