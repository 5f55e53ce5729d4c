import APIKitLite
import APIKitLiteTesting
import Foundation
import Testing
import XCTest

// Nothing here is annotated, as in a new app whose default isolation is the main actor.

struct Book: Codable, Equatable {
    var title: String
}

struct BooksRequest: APIRequest {
    func makeRequest(from term: String) throws -> URLRequest {
        try URLRequest(
            "GET", URL(string: "https://books.example.com")!, path: "/books", query: ["q": term])
    }

    func parseResponse(data: Data) throws -> [Book] {
        try JSONDecoder().decode([Book].self, from: data)
    }
}

// A completion handler is called in the background, so this request lives there too.
nonisolated struct TitleRequest: APIRequest {
    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest("GET", URL(string: "https://books.example.com")!, path: "/{id}", ["id": id])
    }

    func parseResponse(data: Data) throws -> String {
        String(decoding: data, as: UTF8.self)
    }
}

final class BooksViewModel {
    private(set) var books: [Book] = []
    private(set) var message: String?
    private let loader: APIRequestLoader<BooksRequest>

    init(session: any HTTPSession) {
        loader = APIRequestLoader(apiRequest: BooksRequest(), urlSession: session)
    }

    func search(_ term: String) async {
        do {
            books = try await loader.load(term)
        } catch {
            message = error.errorDescription
        }
    }
}

@Suite struct MainActorClientTests {
    @Test func aViewModelLoadsUnannotatedModels() async throws {
        let network = MockNetwork()
        network.stub(.get("/books"), .json(encoding: [Book(title: "Emma")]))
        let model = BooksViewModel(session: network.urlSession)

        await model.search("emma")

        #expect(model.books == [Book(title: "Emma")])
        #expect(model.message == nil)
    }

    @Test func aViewModelShowsASentence() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(503))
        let model = BooksViewModel(session: network.urlSession)

        await model.search("emma")

        #expect(model.books.isEmpty)
        #expect(model.message?.contains("503") == true)
    }
}

nonisolated final class MainActorCompletionTests: XCTestCase {
    var seen: [String] = []
    var title: String?

    func testAHandlerAndACompletionChangeTheTest() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self]
        let loader = APIRequestLoader(
            apiRequest: TitleRequest(), urlSession: URLSession(configuration: configuration))
        MockURLProtocol.requestHandler = { request in
            self.seen.append(request.url?.path ?? "")
            return (HTTPURLResponse(), Data("Emma".utf8))
        }
        let expectation = XCTestExpectation(description: "title")
        var captured: String?

        loader.loadAPIRequest(requestData: 1) { title, error in
            captured = title
            self.title = title
            expectation.fulfill()
        }
        wait(for: [expectation], timeout: 10)

        XCTAssertEqual(captured, "Emma")
        XCTAssertEqual(title, "Emma")
        XCTAssertEqual(seen, ["/1"])
        MockURLProtocol.requestHandler = nil
    }
}

@Suite final class MainActorSuite {
    var seen: [String] = []
    var title: String?
    @Test func handlerChangesSuite() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self]
        let loader = APIRequestLoader(
            apiRequest: TitleRequest(), urlSession: URLSession(configuration: configuration))
        MockURLProtocol.requestHandler = { request in
            self.seen.append(request.url?.path ?? "")
            return (HTTPURLResponse(), Data("Emma".utf8))
        }
        title = try await loader.load(1)
        #expect(seen == ["/1"])
        await withCheckedContinuation { (c: CheckedContinuation<Void, Never>) in
        loader.loadAPIRequest(requestData: 1) { title, error in
            self.title = title
            c.resume()
        }
        }
    }
}
