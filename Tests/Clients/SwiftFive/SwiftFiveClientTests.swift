import APIKitLite
import APIKitLiteTesting
import Foundation
import XCTest

// An app in the Swift 5 language mode; a warning here is an error.

struct Book: Codable, Equatable {
    var title: String
}

struct BookRequest: APIRequest {
    let baseURL: URL

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest("GET", baseURL, path: "/books/{id}", ["id": id])
    }

    func parseResponse(data: Data) throws -> Book {
        try jsonDecoder.decode(Book.self, from: data)
    }
}

/// A class that keeps what it loads, as such apps have them: no actor, no `Sendable`.
class BookShelf {
    var books: [Int: Book] = [:]
    var lastError: Error?
    private let loader: APIRequestLoader<BookRequest>

    init(loader: APIRequestLoader<BookRequest>) {
        self.loader = loader
    }

    func load(_ id: Int, completion: @escaping () -> Void) {
        loader.loadAPIRequest(requestData: id) { book, error in
            self.books[id] = book
            self.lastError = error
            completion()
        }
    }
}

class SwiftFiveClientTests: XCTestCase {
    let baseURL = URL(string: "https://books.example.com")!
    var paths: [String] = []
    var book: Book?

    override func tearDown() {
        MockURLProtocol.requestHandler = nil
        super.tearDown()
    }

    private func makeLoader() -> APIRequestLoader<BookRequest> {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self]
        return APIRequestLoader(
            apiRequest: BookRequest(baseURL: baseURL),
            urlSession: URLSession(configuration: configuration))
    }

    func testAHandlerAndACompletionChangeTheTest() {
        MockURLProtocol.requestHandler = { request in
            self.paths.append(request.url?.path ?? "")
            return (HTTPURLResponse(), Data(#"{"title": "Emma"}"#.utf8))
        }
        let expectation = expectation(description: "book")
        var captured: Book?

        makeLoader().loadAPIRequest(requestData: 1) { book, error in
            captured = book
            self.book = book
            expectation.fulfill()
        }
        wait(for: [expectation], timeout: 10)

        XCTAssertEqual(captured, Book(title: "Emma"))
        XCTAssertEqual(book, captured)
        XCTAssertEqual(paths, ["/books/1"])
    }

    func testAClassKeepsWhatItLoads() {
        MockURLProtocol.requestHandler = { request in
            guard request.url?.lastPathComponent == "1" else { throw URLError(.timedOut) }
            return (HTTPURLResponse(), Data(#"{"title": "Emma"}"#.utf8))
        }
        let shelf = BookShelf(loader: makeLoader())

        let first = expectation(description: "first")
        shelf.load(1) { first.fulfill() }
        wait(for: [first], timeout: 10)
        XCTAssertNil(shelf.lastError)

        let second = expectation(description: "second")
        shelf.load(2) { second.fulfill() }
        wait(for: [second], timeout: 10)
        XCTAssertEqual((shelf.lastError as? URLError)?.code, .timedOut)
        XCTAssertEqual(shelf.books, [1: Book(title: "Emma")])
    }

    func testLoadsWithAsync() async throws {
        let network = MockNetwork()
        network.stub(.get("/books/{id}"), .json(encoding: Book(title: "Emma")))
        let loader = APIRequestLoader(
            apiRequest: BookRequest(baseURL: baseURL), urlSession: network.urlSession)

        let book = try await loader.load(1)

        XCTAssertEqual(book, Book(title: "Emma"))
        XCTAssertEqual(network.requests.first?.pathValues["id"], "1")
        try network.verify()
    }

    func testAnErrorNamesItsStage() async {
        let session = MockURLSession.make(
            url: "https://books.example.com/1", data: nil, statusCode: 500)
        let loader = APIRequestLoader(
            apiRequest: BookRequest(baseURL: baseURL), urlSession: session)

        do {
            _ = try await loader.load(1)
            XCTFail("A 500 was accepted.")
        } catch {
            XCTAssertEqual(error.stage, .validate)
            XCTAssertEqual(error.statusCode, 500)
        }
    }
}
