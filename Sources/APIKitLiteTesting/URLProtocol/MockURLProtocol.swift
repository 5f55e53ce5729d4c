import APIKitLite
import Foundation

/// Answers every request of a session from one closure: the talk's own mock.
///
/// ```swift
/// let configuration = URLSessionConfiguration.ephemeral
/// configuration.protocolClasses = [MockURLProtocol.self]
/// MockURLProtocol.requestHandler = { request in (HTTPURLResponse(), Data("[]".utf8)) }
/// ```
///
/// The handler is one for the whole process, so tests that use it cannot run in parallel: that is
/// what ``MockNetwork`` is for. A subclass may override `canInit(with:)`, to decline a host, and
/// `stopLoading()`, calling `super`. (WWDC 2018, session 417.)
open class MockURLProtocol: URLProtocol {
    private let interception = ProtocolLoad()

    /// Answers each request, one at a time, in the background. The error that it throws is the one
    /// that the request fails with.
    ///
    /// It may read, set and clear this property. Without one, every request fails at once; a
    /// request that was made under another handler and not yet answered by it is refused.
    public static var requestHandler: ((URLRequest) throws -> (HTTPURLResponse, Data?))? {
        get { StaticHandler.current?.function }
        set { StaticHandler.current = newValue.map(StaticHandler.init) }
    }

    /// The requests since the handler was set, oldest first.
    public static var requests: [RecordedRequest] { StaticHandler.journal.requests }

    /// Makes `URLSession.shared` answer from this class.
    ///
    /// - Important: On Linux this changes the shared session under way: call it while that session
    ///   loads nothing.
    public static func register() {
        SharedSession.register(self)
    }

    /// Gives `URLSession.shared` its network back.
    public static func unregister() {
        SharedSession.unregister(self)
    }

    /// Where this class gets its answers.
    class func responder(to request: URLRequest) -> any Responder {
        #if canImport(FoundationNetworking)
        StaticHandler.CapturedHandler(handler: Arrivals.take(request) ?? StaticHandler.current)
        #else
        StaticHandler.CapturedHandler(handler: StaticHandler.current)
        #endif
    }

    /// Accepts every request, so that none reaches a network, except for a `file:` and a `data:`
    /// URL, which no network answers.
    open override class func canInit(with request: URLRequest) -> Bool {
        guard isForMocks(request) else { return false }
        #if canImport(FoundationNetworking)
        Arrivals.record(request, StaticHandler.current)
        #endif
        return true
    }

    static func isForMocks(_ request: URLRequest) -> Bool {
        guard let scheme = request.url?.scheme else { return true }
        return !["file", "data"].contains(scheme.lowercased())
    }

    /// The request as it is.
    open override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Starts to answer.
    open override func startLoading() {
        interception.begin(self)
        interception.start(self)
    }

    /// Stops an answer: the task was cancelled or suspended, or, on Apple platforms, has ended.
    open override func stopLoading() {
        interception.stop()
    }

    #if canImport(FoundationNetworking)
    /// Made by Foundation.
    public required init(
        request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?
    ) {
        super.init(request: request, cachedResponse: cachedResponse, client: client)
    }

    /// Made by Foundation, inside `resume()`: the handler starts while the request is on its way to
    /// the loading thread.
    public required convenience init(
        task: URLSessionTask, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?
    ) {
        self.init(
            request: task.originalRequest ?? URLRequest(url: .unnamed),
            cachedResponse: cachedResponse, client: client)
        self.task = task
        interception.begin(self)
    }
    #endif
}
