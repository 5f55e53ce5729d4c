import APIKitLite
import Foundation

/// A source of answers to intercepted requests.
protocol Responder: Sendable {
    /// The cookie storage; nil to use the session's storage.
    var cookieStorage: HTTPCookieStorage? { get }

    /// Records a request and answers it, immediately or later.
    ///
    /// - Parameters:
    ///   - request: The request, with its body in `httpBody`.
    ///   - client: The client waiting for the answer.
    ///   - respond: Receives the parts of the answer, on any thread, up to the last one.
    /// - Returns: A handle that cancels the request.
    func load(
        _ request: URLRequest, for client: any Client,
        respond: @escaping @Sendable (AnswerPart) -> Void
    ) -> RequestCancellation

    /// Whether the user's code matches requests. That code must not run on the loading thread: on
    /// Linux, using a `URLSession` there crashes.
    var matchesWithUserCode: Bool { get }
}

extension Responder {
    var matchesWithUserCode: Bool { false }
}

/// The receiver of the answer to one request.
protocol Client: AnyObject, Sendable {
    /// Whether the client is still waiting for its answer.
    var isWaiting: Bool { get }

    /// What the reader of the body is doing; nil if this is unknown.
    var readerState: ReaderState? { get }

    /// The session's timeout between two bytes, in seconds, for a request with the default timeout;
    /// nil if the session has none.
    var sessionTimeout: TimeInterval? { get }

    /// The number of mocks that have passed the request on.
    var passes: Int { get }
}

extension Client {
    var readerState: ReaderState? { nil }

    var passes: Int { SendContext.passes }

    /// Returns how long the client waits for the next byte.
    func idleTimeout(for request: URLRequest) -> Duration {
        let isDefault = request.timeoutInterval == 60
        let seconds = isDefault ? sessionTimeout ?? 60 : request.timeoutInterval
        // Zero means no timeout. The upper limit, about 31 years, keeps sums of durations from
        // overflowing.
        return .seconds(seconds > 0 ? min(seconds, 1e9) : 1e9)
    }
}

/// A handle that cancels one request.
struct RequestCancellation: Sendable {
    /// Records that the client cancelled the request.
    let recordCancellation: @Sendable () -> Void
    /// Stops the reply and its handler; nil if the request was answered immediately.
    var cancelWork: (@Sendable () -> Void)?

    /// Records that the client cancelled the request. The work stops a moment later, on another
    /// thread.
    ///
    /// A cancelled handler may run the user's code, which must not run on the loading thread and
    /// must not delay a server.
    func cancel() {
        recordCancellation()
        if let cancelWork { DispatchQueue.global().async(execute: cancelWork) }
    }
}

/// Stores the cookies of mocked responses. Foundation stores cookies only for its own protocols.
struct CookieJar: Sendable {
    /// Evaluated when a cookie is stored or needed, because finding the storage takes time.
    private let storage: @Sendable () -> HTTPCookieStorage?

    /// Creates a jar that uses the storage of the task's session, or else the responder's storage.
    init(_ responder: any Responder, _ task: URLSessionTask? = nil) {
        storage = { task.cookieStorage(or: responder.cookieStorage) }
    }

    /// Stores the cookies of a response, if there is one.
    func store(from response: HTTPURLResponse?, to request: URLRequest) {
        guard let response, response.value(forHTTPHeaderField: "Set-Cookie") != nil else { return }
        storage()?.storeCookies(of: response, to: request)
    }

    /// Returns the request with the cookies stored for its URL. As in a `URLSession`, they replace
    /// the request's own `Cookie`.
    func applied(to request: URLRequest) -> URLRequest {
        guard request.httpShouldHandleCookies, let url = request.url,
            let cookies = storage()?.cookies(for: url), !cookies.isEmpty
        else { return request }
        var request = request
        for (name, value) in HTTPCookie.requestHeaderFields(with: cookies) {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }
}
