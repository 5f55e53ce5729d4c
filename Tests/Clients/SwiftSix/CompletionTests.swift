import APIKitLite
import APIKitLiteTesting
import Foundation
import XCTest

/// A test written as in WWDC 2018 session 417, in the Swift 6 language mode.
final class CompletionTests: XCTestCase {
    var paths: [String] = []
    var book: Book?

    override func tearDown() {
        MockURLProtocol.requestHandler = nil
        super.tearDown()
    }

    func testAHandlerAndACompletionChangeTheTest() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self]
        let loader = APIRequestLoader(
            apiRequest: BookRequest(baseURL: URL(string: "https://books.example.com")!),
            urlSession: URLSession(configuration: configuration))
        MockURLProtocol.requestHandler = { request in
            self.paths.append(request.url?.path ?? "")
            return (HTTPURLResponse(), Data(#"{"title": "Emma"}"#.utf8))
        }
        let expectation = expectation(description: "book")
        var captured: Book?

        loader.loadAPIRequest(requestData: 1) { book, error in
            // The two lines below cause compiler warnings on purpose. The completion handler is
            // `@preconcurrency`, so that tests written as in WWDC 2018 session 417 compile.
            captured = book
            self.book = book
            expectation.fulfill()
        }
        wait(for: [expectation], timeout: 10)

        XCTAssertEqual(captured, Book(title: "Emma"))
        XCTAssertEqual(book, captured)
        XCTAssertEqual(paths, ["/books/1"])
    }
}
