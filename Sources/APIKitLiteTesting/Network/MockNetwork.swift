import APIKitLite
import Foundation

/// A network that belongs to one test: it answers from stubs, keeps what came, and reaches nothing
/// real.
///
/// Code that talks to a server can only be tested if the server's answers can be chosen, and a
/// chosen answer must not leak into the test next door. Each network has sessions of its own, so
/// tests run in parallel:
///
/// ```swift
/// let network = MockNetwork()
/// network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#))
/// let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)
///
/// let user = try await loader.load(42)
///
/// #expect(user.name == "Emma")
/// try network.verify()
/// ```
///
/// A session or a configuration keeps its network alive.
public final class MockNetwork: Sendable {
    let core: NetworkCore
    private let session = Locked<URLSession?>(nil)
    let servers = Locked<[LoopbackServer]>([])

    /// Answers from stubs. A request that no stub matches fails with a text that says why.
    ///
    /// - Parameter clock: What delays and timeouts are counted on: a ``MockClock``, or a
    ///   `ContinuousClock` for real time. Without one, delays take no time but keep their order, and
    ///   a request that is never answered waits for ever.
    public init(clock: (any Clock<Duration>)? = nil) {
        core = NetworkCore(nil, clock: clock)
    }

    /// Answers every request from one closure.
    ///
    /// It runs in the background, in a task with the task-locals of this place; calls may overlap,
    /// and a cancelled request cancels its task. It may block where the system has task executors
    /// (Linux, macOS 15, iOS 18): the 65th blocked call of a process waits for a thread. Below that,
    /// it must not. The error that it throws is the one that the request fails with.
    public init(
        _ handler: @escaping @Sendable (URLRequest) async throws -> (HTTPURLResponse, Data?)
    ) {
        core = NetworkCore(handler, clock: nil)
    }

    /// A session that only this network answers; the same object at each call.
    public var urlSession: URLSession {
        session.withLock { session in
            if let session { return session }
            let new = makeSession()
            session = new
            return new
        }
    }

    /// A new configuration that only this network answers, for other clients and for delegates.
    public var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [core.protocolClass]
        configuration.httpCookieStorage = core.cookieStorage
        // Nothing is ever cached, and looking costs a hop to another queue.
        configuration.urlCache = nil
        let retainer = NetworkRetainer(core)
        configuration.urlCredentialStorage = retainer
        #if canImport(FoundationNetworking)
        // A client may want no credential storage; a mock asks no proxy.
        configuration.connectionProxyDictionary = ["APIKitLite.MockNetwork": retainer]
        #endif
        return configuration
    }

    /// Adds a stub, which is asked before the older ones.
    ///
    /// Several responses are given one after another. After the last follows what
    /// ``Stub/AfterLast`` says: that one again, by default.
    @discardableResult
    public func stub(
        _ matcher: RequestMatcher, _ first: MockResponse, _ more: MockResponse...,
        then afterLast: Stub.AfterLast = .repeatLast, times: Stub.Times = .atLeast(1),
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Stub {
        core.add(
            matcher, .responses([first] + more, then: afterLast), times: times,
            sourceLocation: "\(fileID):\(line)")
    }

    /// Adds a stub that makes its answers, under the same rules as the closure of a network.
    @discardableResult
    public func stub(
        _ matcher: RequestMatcher, times: Stub.Times = .atLeast(1),
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @Sendable (RecordedRequest) async throws -> MockResponse
    ) -> Stub {
        core.add(matcher, .handler(handler), times: times, sourceLocation: "\(fileID):\(line)")
    }

    /// Removes a stub: older ones answer what comes from now on, and `verify()` knows nothing of it.
    public func remove(_ stub: Stub) {
        core.remove(stub)
    }

    /// Leaves requests alone: they go to the next class in `protocolClasses`, and where there is none
    /// **to the real network**. They are in no journal and match no stub.
    ///
    /// Only a `URLSession` has somebody else to ask. A ``MockURLSession`` and a ``LoopbackServer``
    /// answer such a request as any other.
    ///
    /// - Parameters:
    ///   - matcher: Is asked inside `resume()`, when a body may not be known yet, nor what the session
    ///     adds to the headers: URL, method and the request's own headers are safe. It must not have
    ///     a predicate.
    ///   - fileID: The file that a failure names.
    ///   - line: The line that a failure names.
    public func decline(
        _ matcher: RequestMatcher, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        core.decline(matcher, sourceLocation: "\(fileID):\(line)")
    }

    /// Checks that every request was answered, and every stub used as often as it says.
    ///
    /// It is the end of a network's test: a stub that is added later is a mistake, of which its
    /// requests and the next `verify()` tell.
    ///
    /// - Throws: ``VerificationError``, which lists everything that is wrong: requests that
    ///   nothing matched, stubs that were used too seldom or too often, and requests that somebody
    ///   still waits for (those over a socket excepted: who is gone there shows late).
    public func verify(fileID: StaticString = #fileID, line: UInt = #line) throws {
        let findings = core.findings(at: "\(fileID):\(line)")
        if !findings.isEmpty { throw VerificationError(findings: findings, bodyError: nil) }
    }

    private func makeSession() -> URLSession {
        #if canImport(FoundationNetworking)
        URLSession(configuration: configuration, delegate: nil, delegateQueue: SerialQueue())
        #else
        URLSession(configuration: configuration)
        #endif
    }
}

extension MockNetwork: CustomStringConvertible {
    /// How many stubs the network has, and how many requests came: `MockNetwork with 2 stubs, 5
    /// requests, 1 unanswered`.
    public var description: String {
        let (stubs, requests) = (core.stubCount, core.journal.count.number)
        let unanswered = core.unansweredCount
        return "MockNetwork with \(stubs) \(stubs == 1 ? "stub" : "stubs"), "
            + "\(requests) \(requests == 1 ? "request" : "requests")"
            + (unanswered > 0 ? ", \(unanswered) unanswered" : "")
    }
}

/// Keeps a network alive as long as a configuration or a session of it lives: both hold on to their
/// credential storage, and a copy shares it.
private final class NetworkRetainer: URLCredentialStorage, @unchecked Sendable {  // `core` never changes.
    private let core: NetworkCore

    init(_ core: NetworkCore) {
        self.core = core
        super.init()
    }
}

#if canImport(FoundationNetworking)
/// A delegate queue without the cost of an operation for each callback.
private final class SerialQueue: OperationQueue, @unchecked Sendable {  // The queue is a constant.
    private let queue = DispatchQueue(label: "APIKitLite.MockNetwork.delegateQueue")

    override init() {
        super.init()
        maxConcurrentOperationCount = 1
    }

    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        queue.async(execute: block)
    }
}
#endif
