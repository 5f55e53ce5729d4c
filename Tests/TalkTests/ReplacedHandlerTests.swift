import APIKitLite
import APIKitLiteTesting
import Foundation
import XCTest

/// A request belongs to the handler that was set when its object was made.
final class ReplacedHandlerTests: HandlerTestCase {
    #if canImport(FoundationNetworking)
    // In a session without a cache, Foundation on Linux makes the object inside `resume()`.
    // Elsewhere a request counts as made a moment later.
    private func makeSessionWithoutCache() -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self]
        configuration.urlCache = nil
        return URLSession(configuration: configuration)
    }

    func testAnotherHandlerNeverAnswers() {
        let strays = Locked<[String]>([])
        for number in 0..<300 {
            let path = "/first/\(number)"
            let session = makeSessionWithoutCache()
            MockURLProtocol.requestHandler = { _ in answer("first") }

            let load = Load(url(path), over: session)
            MockURLProtocol.requestHandler = { request in
                strays.withLock { $0.append(request.url?.path ?? "") }
                return answer("other")
            }
            wait(for: [load.ended], timeout: 10)

            if load.text != "first" { XCTAssertEqual(load.reason, .handlerReplaced) }
            XCTAssertEqual(MockURLProtocol.requests.count, 0, "It came for the handler before.")
        }

        XCTAssertEqual(strays.withLock { $0 }, [])
    }

    func testAHandlerThatComesTooLateIsNoneAtAll() {
        for number in 0..<100 {
            MockURLProtocol.requestHandler = nil

            let load = Load(url("/\(number)"), over: makeSessionWithoutCache())
            MockURLProtocol.requestHandler = { _ in answer("late") }
            wait(for: [load.ended], timeout: 10)

            XCTAssertEqual(load.reason, .noHandler)
        }
    }
    #endif

    func testAClearedHandlerAnswersNobodyWhoWaits() {
        let hasEntered = DispatchSemaphore(value: 0)
        let mayLeave = DispatchSemaphore(value: 0)
        MockURLProtocol.requestHandler = { _ in
            hasEntered.signal()
            mayLeave.wait()
            return answer("first")
        }
        let session = makeSession()
        let first = Load(url("/1"), over: session)
        XCTAssertEqual(hasEntered.wait(timeout: .now() + 10), .success)
        let second = Load(url("/2"), over: session)
        waitUntil("both are in the journal") { MockURLProtocol.requests.count == 2 }

        MockURLProtocol.requestHandler = nil
        wait(for: [second.ended], timeout: 10)
        mayLeave.signal()
        wait(for: [first.ended], timeout: 10)

        XCTAssertEqual(second.reason, .handlerReplaced)
        XCTAssertEqual(first.text, "first")
    }
}
