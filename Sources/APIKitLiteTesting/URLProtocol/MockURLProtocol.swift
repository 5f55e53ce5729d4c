import APIKitLite
import Foundation

/// A `URLProtocol` that responds to every request of a session with one closure, like the mock of
/// WWDC 2018 session 417.
///
/// ```swift
/// let configuration = URLSessionConfiguration.ephemeral
/// configuration.protocolClasses = [MockURLProtocol.self]
/// MockURLProtocol.requestHandler = { request in
///     (HTTPURLResponse(), Data("[]".utf8))
/// }
/// ```
///
/// The whole process has one handler. If tests that set the handler run in parallel, as in Swift
/// Testing, they can receive each other's responses without an error. Write such tests as an
/// `XCTestCase`, or use a ``MockNetwork`` with its own ``MockNetwork/requestHandler`` in each test.
/// A subclass may override `canInit(with:)`, for example to decline a host, and `stopLoading()`.
/// Each override must call `super`, except to decline a request.
open class MockURLProtocol: URLProtocol {
    /// The load; nil until loading begins.
    private var load: ProtocolLoad?

    /// The closure that responds to each request, one at a time, in the background.
    ///
    /// If the closure throws an error, the request fails with that error. The closure may read, set
    /// and clear this property. A replaced closure still responds to the requests that began before
    /// its replacement. While this property is `nil`, every request fails immediately with a
    /// ``MockError``. If you set it to `nil`, requests still waiting for the closure also fail with
    /// a ``MockError``. Both errors are also written to standard error, because an app may replace
    /// them with its own errors.
    ///
    /// A response that is not an `HTTPURLResponse` is delivered unchanged.
    public static var requestHandler: ((URLRequest) throws -> (URLResponse, Data?))? {
        get { StaticHandler.current.function }
        set { StaticHandler.set(newValue) }
    }

    /// The requests since ``requestHandler`` was last set to a closure, oldest first.
    public static var requests: [RecordedRequest] { StaticHandler.current.core.journal.requests }

    /// Makes this class respond to the requests of `URLSession.shared`.
    ///
    /// - Important: On Linux, this method changes the configuration that the shared session uses.
    ///   Call this method while the shared session is idle.
    public static func register() {
        SharedSession.register(self)
    }

    /// Makes this class no longer respond to the requests of `URLSession.shared`.
    ///
    /// - Important: On Linux, call this method while the shared session is idle.
    public static func unregister() {
        SharedSession.unregister(self)
    }

    /// The network that responds to the requests of this class.
    class var core: NetworkCore { StaticHandler.current.core }

    /// Returns true, because this class responds to every request, whatever the scheme of its URL.
    open override class func canInit(with request: URLRequest) -> Bool { true }

    /// Returns the request unchanged.
    open override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Starts loading. Foundation calls this function.
    open override func startLoading() {
        begin()
        load?.start()
    }

    /// Stops delivering the response. Foundation calls this function when the task is cancelled or
    /// suspended or, on Apple platforms, when the task has ended.
    open override func stopLoading() {
        load?.stop()
    }

    /// Begins the load unless it has already begun.
    private func begin() {
        guard load == nil else { return }
        let load = ProtocolLoad(self, Self.core)
        self.load = load
        load.begin(request)
    }

    #if canImport(FoundationNetworking)
    /// Creates the object for a task and begins the load. Foundation calls this initializer.
    ///
    /// In a session without a cache, Foundation calls this initializer inside `resume()`. The
    /// handler then starts before the loading thread receives the request.
    public required convenience init(
        task: URLSessionTask, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?
    ) {
        self.init(
            request: task.originalRequest ?? URLRequest(url: .unnamed),
            cachedResponse: cachedResponse, client: client)
        self.task = task
        begin()
    }
    #endif
}
