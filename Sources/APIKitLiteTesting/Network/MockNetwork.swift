import APIKitLite
import Foundation

/// A network for one test. The network responds from stubs, and records the requests.
///
/// Each network has its own sessions, so a test can choose the server's responses without affecting
/// other tests that run in parallel:
///
/// ```swift
/// let network = MockNetwork()
/// network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#))
/// let loader = APIRequestLoader(
///     apiRequest: UserRequest(), urlSession: network)
///
/// let user = try await loader.load(42)
///
/// #expect(user.name == "Emma")
/// try network.verify()
/// ```
///
/// If a client is waiting for a response, and nothing happens for five seconds of real time, the
/// network lists, on standard error, the stubs and closures that keep clients waiting.
///
/// A closure can respond instead of stubs, or in addition to them: see ``requestHandler``.
///
/// A session or a configuration keeps its network's stubs alive. No request reaches a real server,
/// except through ``MockResponse/passthrough(to:)``.
public final class MockNetwork: Sendable {
    let core: NetworkCore
    // Each `Locked` property has its own lock.
    private let session = Locked<URLSession?>(nil)
    private let pooledClass = Locked<PooledProtocolClass?>(nil)
    let servers = Locked<[ObjectIdentifier: LoopbackServer]>([:])

    /// Creates a network that responds from stubs.
    ///
    /// If no stub or ``requestHandler`` responds to a request, the request fails with a
    /// ``MockError`` that says why.
    ///
    /// - Parameter clock: The clock for delays and timeouts: a ``MockClock``, or a
    ///   `ContinuousClock` for real time. Without a clock, delays take no time, and a request
    ///   without a response does not time out.
    public convenience init(clock: (any Clock<Duration>)? = nil) {
        self.init(NetworkCore(clock: clock))
    }

    init(_ core: NetworkCore) {
        self.core = core
    }

    /// The reporter of tasks and responses that are waiting for the test.
    package var watch: HangReporter { core.watch }

    /// Creates a network whose responses come from a closure.
    ///
    /// - Parameter handler: The first ``requestHandler``.
    public convenience init(
        _ handler: @escaping @Sendable (URLRequest) async throws -> (URLResponse, Data?)
    ) {
        self.init()
        requestHandler = handler
    }

    /// The closure for requests to which no stub responds; `nil` if there is none.
    ///
    /// If the closure throws an error, the request fails with that error. A response that is not an
    /// `HTTPURLResponse` is delivered only to a `URLSession`, which receives it unchanged. The
    /// closure that is set when a request arrives responds to that request, even if you replace the
    /// closure later.
    ///
    /// The closure runs in the background, in a task with the task-local values of the code that
    /// creates the network. Calls may overlap. When a request is cancelled, the task that runs its
    /// call is cancelled too.
    ///
    /// The closure may block on systems that have task executors (Linux, macOS 15, iOS 18). On
    /// earlier systems, the closure must not block.
    public var requestHandler: (@Sendable (URLRequest) async throws -> (URLResponse, Data?))? {
        get { core.rules.withLock { $0 }.handler }
        set { core.rules.withLock { $0.handler = newValue } }
    }

    /// The session whose requests only this network responds to. Every access returns the same
    /// object.
    public var urlSession: URLSession {
        session.withLock { session in
            let made = session ?? URLSession(mocked: configuration)
            session = made
            return made
        }
    }

    /// A new configuration for other HTTP clients and for sessions with a delegate. Only this
    /// network responds to their requests.
    public var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        let pooledClass = pooledClass.withLock { pooledClass in
            let taken = pooledClass ?? PooledProtocolClass(for: core)
            pooledClass = taken
            return taken
        }
        configuration.protocolClasses = [pooledClass.type]
        configuration.httpCookieStorage = core.cookieStorage
        // A mock caches nothing, and a cache lookup would switch to another queue.
        configuration.urlCache = nil
        configuration.retain(pooledClass)
        return configuration
    }

    /// Adds a stub with responses. The stub takes precedence over older stubs.
    ///
    /// Each request receives the next response.
    ///
    /// - Parameters:
    ///   - matcher: The requests that the stub responds to.
    ///   - first: The first response.
    ///   - more: The responses that follow, in order.
    ///   - afterLast: What requests receive after the last response. By default, the last response
    ///     repeats.
    ///   - times: How often the stub may respond, and how often ``verify()`` expects a response.
    ///   - fileID: The file of the stub, for error messages.
    ///   - line: The line of the stub, for error messages.
    /// - Returns: The stub, which records its requests and controls held responses.
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

    /// Adds a stub with a handler. The stub takes precedence over older stubs.
    ///
    /// - Parameters:
    ///   - matcher: The requests that the stub responds to.
    ///   - times: How often the stub may respond, and how often ``verify()`` expects a response.
    ///   - fileID: The file of the stub, for error messages.
    ///   - line: The line of the stub, for error messages.
    ///   - handler: The closure that makes each response. The closure runs like
    ///     ``requestHandler``. If it throws an error, the request fails with that error.
    /// - Returns: The stub, which records its requests and controls held responses.
    @discardableResult
    public func stub(
        _ matcher: RequestMatcher, times: Stub.Times = .atLeast(1),
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @Sendable (RecordedRequest) async throws -> MockResponse
    ) -> Stub {
        core.add(matcher, .handler(handler), times: times, sourceLocation: "\(fileID):\(line)")
    }

    /// Removes a stub.
    ///
    /// Later requests go to the other stubs, and ``verify()`` no longer checks the removed stub.
    public func remove(_ stub: Stub) {
        core.remove(stub)
    }

    /// Removes all stubs, including the stubs of archives, but keeps the ``requestHandler``.
    public func removeAll() {
        core.rules.withLock { $0.groups = [] }
    }

    /// Checks that stubs or the ``requestHandler`` responded to all requests, that no client is
    /// still waiting, and that every stub was used as often as its `times` requires.
    ///
    /// Call this method at the end of a test, because it does not check later requests or stubs.
    ///
    /// - Throws: ``VerificationError`` if a check fails. The error lists requests to which nothing
    ///   responded, stubs and recorded exchanges that were used the wrong number of times,
    ///   configuration errors, and requests that are still pending. Requests over a socket are
    ///   never listed as pending, because the server notices a closed socket late.
    public func verify() throws {
        let findings = core.findings
        if !findings.isEmpty {
            throw VerificationError(findings: findings, bodyError: nil)
        }
    }
}
