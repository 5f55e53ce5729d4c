import APIKitLite
import APIKitLiteTesting
import Foundation
import XCTest

/// What a subclass may override, and what Foundation calls: the questions of the article on
/// URLProtocol (Qiita) and of the note on it.
final class SubclassTests: HandlerTestCase {
    private final class APIOnly: MockURLProtocol {
        override class func canInit(with request: URLRequest) -> Bool {
            super.canInit(with: request) && request.url?.host != "images.example.com"
        }
    }

    /// Takes what no class before it wanted.
    private final class Leftovers: URLProtocol {
        override class func canInit(with request: URLRequest) -> Bool { true }
        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
        override func stopLoading() {}

        override func startLoading() {
            let response = HTTPURLResponse(
                url: request.url!, statusCode: 200, httpVersion: nil, headerFields: nil)!
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: Data("left over".utf8))
            client?.urlProtocolDidFinishLoading(self)
        }
    }

    func testADeclinedRequestGoesToTheNextClass() async throws {
        MockURLProtocol.requestHandler = { _ in answer("mocked") }
        let session = makeSession(APIOnly.self, Leftovers.self)

        let (image, _) = try await session.exchange(
            URLRequest(url: URL(string: "https://images.example.com/1")!))
        let (text, _) = try await session.exchange(URLRequest(url: url("/1")))

        XCTAssertEqual(String(decoding: image, as: UTF8.self), "left over")
        XCTAssertEqual(String(decoding: text, as: UTF8.self), "mocked")
        XCTAssertEqual(MockURLProtocol.requests.map(\.request.url?.host), ["example.com"])
    }

    func testTheFirstClassThatAcceptsAnswers() async throws {
        MockURLProtocol.requestHandler = { _ in answer("mocked") }

        let (data, _) = try await makeSession(Leftovers.self, MockURLProtocol.self)
            .exchange(URLRequest(url: url("/1")))

        XCTAssertEqual(String(decoding: data, as: UTF8.self), "left over")
        XCTAssert(MockURLProtocol.requests.isEmpty)
    }

    /// Notes each call of a hook.
    private final class Tracing: MockURLProtocol {
        static let calls = Locked<[String]>([])

        static func note(_ call: String) {
            calls.withLock { $0.append(call) }
        }

        override class func canInit(with request: URLRequest) -> Bool {
            note("canInit(with: request)")
            return super.canInit(with: request)
        }

        override class func canInit(with task: URLSessionTask) -> Bool {
            note("canInit(with: task)")
            return super.canInit(with: task)
        }

        override class func canonicalRequest(for request: URLRequest) -> URLRequest {
            note("canonicalRequest")
            var request = request
            request.setValue("yes", forHTTPHeaderField: "X-Canonical")
            return request
        }

        override func startLoading() {
            Self.note("startLoading")
            super.startLoading()
        }

        override func stopLoading() {
            Self.note("stopLoading")
            super.stopLoading()
        }
    }

    override func setUp() {
        super.setUp()
        Tracing.calls.withLock { $0 = [] }
    }

    private var calls: [String] { Tracing.calls.withLock { $0 } }

    func testWhatFoundationCallsForARequest() {
        MockURLProtocol.requestHandler = { _ in answer("") }

        let load = Load(url("/"), over: makeSession(Tracing.self))
        wait(for: [load.ended], timeout: 10)

        XCTAssertNil(load.error)
        let canonical = MockURLProtocol.requests.first?.request
            .value(forHTTPHeaderField: "X-Canonical")
        #if canImport(FoundationNetworking)
        // Neither `canInit(with: task)` nor `canonicalRequest` is ever called, and nothing is
        // stopped that has ended.
        XCTAssertEqual(calls, ["canInit(with: request)", "startLoading"])
        XCTAssertNil(canonical)
        #else
        // As documented; how often each is called is not.
        waitUntil("the end is a stop too") { calls.contains("stopLoading") }
        XCTAssert(calls.contains("canInit(with: task)"), "\(calls)")
        XCTAssert(calls.contains("canonicalRequest"), "\(calls)")
        XCTAssertEqual(canonical, "yes")
        #endif
    }

    func testACancelledTaskIsStoppedOnce() {
        let hasEntered = DispatchSemaphore(value: 0)
        let mayLeave = DispatchSemaphore(value: 0)
        MockURLProtocol.requestHandler = { _ in
            hasEntered.signal()
            mayLeave.wait()
            return answer("too late")
        }
        let load = Load(url("/"), over: makeSession(Tracing.self))
        XCTAssertEqual(hasEntered.wait(timeout: .now() + 10), .success)

        load.cancel()
        wait(for: [load.ended], timeout: 10)
        mayLeave.signal()

        waitUntil("stopped") { calls.contains("stopLoading") }
        XCTAssertEqual(calls.filter { $0 == "stopLoading" }.count, 1)
        XCTAssertEqual((load.error as? URLError)?.code, .cancelled)
        XCTAssertEqual(MockURLProtocol.requests.map(\.wasCancelled), [true])
    }
}
