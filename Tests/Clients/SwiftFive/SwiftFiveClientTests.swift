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

/// A class, as many have it, with nothing said about concurrency.
final class TitleRequest: APIRequest {
    typealias ResponseDataType = Book

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest(
            "GET", URL(string: "https://books.example.com")!, path: "/titles/{id}", ["id": id])
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

    func testAClassKeepsWhatItLoads() {
        MockURLProtocol.requestHandler = { request in
            self.paths.append(request.url?.path ?? "")
            guard request.url?.lastPathComponent == "1" else { throw URLError(.timedOut) }
            return (HTTPURLResponse(), Data(#"{"title": "Emma"}"#.utf8))
        }
        let shelf = BookShelf(loader: makeLoader())

        var ended: [Int] = []
        for id in 1...2 {
            let expectation = expectation(description: "\(id)")
            shelf.load(id) {
                ended.append(id)
                expectation.fulfill()
            }
            wait(for: [expectation], timeout: 900)
            XCTAssertEqual(shelf.lastError == nil, id == 1)
        }

        XCTAssertEqual((shelf.lastError as? URLError)?.code, .timedOut)
        XCTAssertEqual(shelf.books, [1: Book(title: "Emma")])
        XCTAssertEqual(ended, [1, 2])
        XCTAssertEqual(paths, ["/books/1", "/books/2"])
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

    func testSurvivesEveryFault() async throws {
        let report = try await forEachFault(in: .json(#"{"title": "Emma"}"#)) { network in
            let loader = APIRequestLoader(
                apiRequest: TitleRequest(), urlSession: network.urlSession)
            _ = try await loader.load(1)
        }

        XCTAssertEqual(report[.status(404)], .error(.validate))
    }
}
