import APIKitLite
import APIKitLiteTesting
import TestSupport
import XCTest

/// What the tests of the talk's handler share. It is cleared after each.
class HandlerTestCase: XCTestCase {
    /// What the handler writes to standard error.
    let errors = StandardErrorRecorder.handlerErrors

    override func setUp() {
        errors.removeAll()
    }

    override func tearDown() {
        MockURLProtocol.requestHandler = nil
    }

    /// An ephemeral session: it has a cache, as the talk's has.
    func makeSession(_ protocolClass: AnyClass = MockURLProtocol.self) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [protocolClass]
        return URLSession(configuration: configuration)
    }

    /// Starts a request, and returns when its handler blocks until the semaphore is signalled.
    func startBlockedLoad(over session: URLSession) async -> (
        Task<String, Never>, DispatchSemaphore
    ) {
        let entered = Locked(false)
        let release = DispatchSemaphore(value: 0)
        MockURLProtocol.requestHandler = { _ in
            entered.withLock { $0 = true }
            release.wait()
            return response("old")
        }
        let load = Task { await outcome(.test("blocked"), over: session) }
        await waitUntil { entered.withLock { $0 } }
        return (load, release)
    }
}

/// Suspends until something is so, or fails.
// No method: for Apple's compiler, those of a test case belong to Objective-C, where the closure of an
// async one must escape.
func waitUntil(line: UInt = #line, _ isSo: () -> Bool) async {
    let deadline = Date(timeIntervalSinceNow: 900)
    while !isSo() {
        guard Date() < deadline else { return XCTFail("Never.", line: line) }
        await Task.yield()
    }
}

/// Returns the text of the response to a request, or the kind of the mock's error.
func outcome(_ request: URLRequest, over session: URLSession) async -> String {
    do {
        return try await session.exchange(request).0.text
    } catch {
        let text = "\(error)"
        if text.contains("no handler is set") { return "noHandler" }
        return text.contains("was set to nil before") ? "handlerCleared" : text
    }
}

func response(_ text: String) -> (HTTPURLResponse, Data?) {
    (HTTPURLResponse(), Data(text.utf8))
}
