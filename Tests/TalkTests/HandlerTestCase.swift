import APIKitLite
import APIKitLiteTesting
import Foundation
import XCTest

/// What the tests of the talk's handler share. It is cleared after each.
class HandlerTestCase: XCTestCase {
    override func tearDown() {
        MockURLProtocol.requestHandler = nil
        super.tearDown()
    }

    func url(_ path: String) -> URL {
        URL(string: "https://example.com" + path)!
    }

    /// An ephemeral session: it has a cache, as the talk's has.
    func makeSession(_ protocolClasses: AnyClass...) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses =
            protocolClasses.isEmpty ? [MockURLProtocol.self] : protocolClasses
        return URLSession(configuration: configuration)
    }

    /// Blocks until something is so, or fails.
    func waitUntil(
        _ what: String, file: StaticString = #filePath, line: UInt = #line,
        _ isSo: () -> Bool
    ) {
        let deadline = Date(timeIntervalSinceNow: 10)
        while !isSo() {
            guard Date() < deadline else {
                return XCTFail("Never: \(what)", file: file, line: line)
            }
            sched_yield()
        }
    }
}

/// One data task and what became of it.
final class Load: @unchecked Sendable {  // The answer is written once, before `ended` is fulfilled.
    let ended: XCTestExpectation
    private(set) var text: String?
    private(set) var error: Error?
    private var task: URLSessionTask!

    /// Resumes a task.
    init(_ url: URL, over session: URLSession) {
        ended = XCTestExpectation(description: url.path)
        task = session.dataTask(with: url) { [self] data, _, error in
            text = data.map { String(decoding: $0, as: UTF8.self) }
            self.error = error.map(originalError)
            ended.fulfill()
        }
        task.resume()
    }

    func cancel() {
        task.cancel()
    }

    var reason: MockError.Reason? { (error as? MockError)?.reason }
}

func answer(_ text: String) -> (HTTPURLResponse, Data?) {
    (HTTPURLResponse(), Data(text.utf8))
}
