#if canImport(FoundationNetworking)
@testable import APIKitLite
import APIKitLiteTesting
import TestSupport

/// `CancellationSafeCache`, without which a cancelled task can end the process on Linux.
@Suite(.limited, .usesSockets) struct CancellationSafetyTests {
    // Foundation gets the result of its look-up in the cache while it makes the protocol. If a
    // cancellation can come there, the task can end before it starts.
    @Test(arguments: [false, true])
    func noCancellationComesBetweenALookUpAndItsStart(_ isExchange: Bool) async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [CancelledInInit.self]
        let session = URLSession(configuration: configuration)
        let url = URL(string: "https://example.com/\(isExchange)")!

        let request = URLRequest(url: url)
        let outcome =
            isExchange
            ? await session.outcome(of: request)
            : await session.makeCancellationSafe().plainOutcome(of: request)
        #expect(outcome == .error(.cancelled))
        #expect(CancelledInInit.cancelledInside.withLock { $0[url] } == false)
    }

    @Test(arguments: ["default", "ephemeral"])
    func survivesCancellationsOverARealConnection(_ kind: String) async throws {
        _ = URLSessionConfiguration.withoutProxy
        let session = URLSession(configuration: kind == "default" ? .default : .ephemeral)
        let network = MockNetwork()
        network.stub(.any, .text("hello"), times: .any)
        let request = URLRequest(url: try network.serve().url)
        let sessions: [any HTTPSession] = [
            session, session.timingOut(after: .seconds(3_600)), session.coalescing(),
        ]
        try await cancelMany(request, over: sessions)
    }

    // Foundation ends the process when a delegate responds to a redirect after its task was
    // cancelled.
    @Test func survivesACancellationDuringARedirect() async throws {
        let redirects = Recorder<RedirectDelegate.Completion>()
        let network = MockNetwork()
        network.stub(.any, .redirect(to: "/there"), times: .any)
        let request = URLRequest(url: try network.serve().url)
        let session = URLSession(
            configuration: .withoutProxy, delegate: RedirectDelegate { redirects.append($1) },
            delegateQueue: nil)

        let load = Task { try await session.exchange(request) }
        let respond = await redirects.events { _ in true }[0]
        load.cancel()
        let error = await #expect(throws: URLError.self) { try await load.value }
        respond(request)
        // When this is called, all effects of the response have happened.
        _ = await session.pendingTasks()

        #expect(error?.code == .cancelled)
        #expect(network.requests.count == 1)
    }
}

/// Is cancelled from another thread while Foundation makes it, and never responds.
private final class CancelledInInit: URLProtocol {
    /// Whether the cancellation got through before the initializer ended.
    static let cancelledInside = Locked<[URL: Bool]>([:])

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() {}
    override func stopLoading() {}

    required init(
        request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?
    ) { super.init(request: request, cachedResponse: cachedResponse, client: client) }

    required convenience init(
        task: URLSessionTask, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?
    ) {
        self.init(request: task.originalRequest!, cachedResponse: cachedResponse, client: client)
        self.task = task
        let isCancelled = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            task.cancel()
            isCancelled.signal()
        }
        // It must not come, so there is nothing else to wait for.
        let isInside = isCancelled.wait(timeout: .now() + .milliseconds(200)) == .success
        Self.cancelledInside.withLock { $0[request.url!] = isInside }
    }
}
#endif
