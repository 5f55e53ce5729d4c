import APIKitLite
import Foundation

/// A `URLProtocol` that gives every client the data, the response and the error of one stub.
///
/// It has the names that many test targets give to a class of their own, and replaces that class:
///
/// ```swift
/// URLProtocolStub.startInterceptingRequests()
/// URLProtocolStub.stub(data: Data("[]".utf8), response: HTTPURLResponse(), error: nil)
/// ```
///
/// The whole process has one stub, so a test that sets it is an `XCTestCase`. It stores no cookie
/// and follows no redirect. A request without a stub and without an observer gets no answer, until
/// the client cancels it; a line on standard error says so. Other tests use a ``MockNetwork``.
open class URLProtocolStub: URLProtocol {
    private struct State {
        var stub: DirectAnswer?
        var stubsByURL: [URL: DirectAnswer] = [:]
        var observer: ((URLRequest) -> Void)?
        /// Whether a request without a stub ends after the observer has seen it.
        var mustEnd = false
    }

    private static let state = Locked(State())
    /// Calls the observers, one at a time: on Linux, code on the loading thread must not use a
    /// `URLSession`.
    private static let queue = DispatchQueue(label: "APIKitLite.URLProtocolStub.observers")
    /// The load; nil before it begins.
    private var load: ProtocolLoad?

    /// Sets what each client receives: the response, the data, and then the error or the end.
    ///
    /// - Parameters:
    ///   - url: The URL of the requests that get it; `nil` for all that have no stub of their own.
    ///   - data: The body; `nil` for none.
    ///   - response: The response; `nil` for none.
    ///   - error: The error with which the request fails; `nil` if it succeeds. Without a response,
    ///     it fails with `URLError.badServerResponse`, because Foundation's `data(for:)` ends the
    ///     process if it gets neither.
    public static func stub(
        url: URL? = nil, data: Data? = nil, response: URLResponse? = nil,
        error: (any Error)? = nil
    ) {
        let stub =
            response == nil && error == nil
            ? .noResponse : DirectAnswer(response: response, data: data, error: error)
        state.withLock { state in
            if let url { state.stubsByURL[url] = stub } else { state.stub = stub }
        }
    }

    /// Sets the closure that receives each request, with its body in `httpBody`, before the client
    /// receives its answer.
    ///
    /// A request without a stub then fails with `URLError.badServerResponse`.
    ///
    /// - Parameter observer: The closure. It runs in the background, one call at a time.
    public static func observeRequests(observer: @escaping (URLRequest) -> Void) {
        state.withLock { ($0.observer, $0.mustEnd) = (observer, true) }
    }

    /// The same as ``observeRequests(observer:)``, under another usual name.
    public static func observeRequest(observer: @escaping (URLRequest) -> Void) {
        observeRequests(observer: observer)
    }

    /// Sets the closure that is called for each request, as ``observeRequests(observer:)`` does. A
    /// request without a stub gets no answer, so that the closure can cancel it.
    public static func onStartLoading(observer: @escaping () -> Void) {
        state.withLock { ($0.observer, $0.mustEnd) = ({ _ in observer() }, false) }
    }

    /// Removes all stubs and the observer.
    public static func removeStub() {
        state.withLock { $0 = State() }
    }

    /// Makes this class answer the requests of `URLSession.shared`, as ``MockURLProtocol/register()``
    /// does.
    public static func startInterceptingRequests() {
        SharedSession.register(self)
    }

    /// Makes `URLSession.shared` send its requests over the network again, and removes all stubs and
    /// the observer.
    public static func stopInterceptingRequests() {
        SharedSession.unregister(self)
        removeStub()
    }

    /// Returns true: this class answers every request.
    open override class func canInit(with request: URLRequest) -> Bool { true }

    /// Returns the request unchanged.
    open override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Starts loading and delivering. Foundation calls it.
    open override func startLoading() {
        if load == nil {
            let load = ProtocolLoad(self, Stubs())
            self.load = load
            load.begin(request)
        }
        load?.start()
    }

    /// Stops delivering. Foundation calls it.
    open override func stopLoading() {
        load?.stop()
    }

    private struct Stubs: Responder {
        var cookieStorage: HTTPCookieStorage? { nil }

        func load(
            _ request: URLRequest, for client: any Client,
            respond: @escaping @Sendable ([AnswerPart]) -> Void
        ) -> CancellationHandle {
            let state = state.withLock { $0 }
            let stub = request.url.flatMap { state.stubsByURL[$0] } ?? state.stub
            let answer = stub ?? (state.mustEnd ? .noResponse : nil)
            nonisolated(unsafe) let observer = state.observer  // Called on the queue only.
            if observer != nil {
                queue.async {
                    observer?(request)
                    if let answer { respond([.failure(answer)]) }
                }
            } else if let answer {
                respond([.failure(answer)])
            } else {
                writeToStandardError(
                    """
                    APIKitLiteTesting: URLProtocolStub has no stub for \
                    \(request.line(redacting: .none)), which waits until it is cancelled. Call \
                    URLProtocolStub.stub(data:response:error:) before the request is made.

                    """)
            }
            return CancellationHandle(recordCancellation: {})
        }
    }
}
