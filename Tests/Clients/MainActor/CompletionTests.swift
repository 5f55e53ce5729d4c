import APIKitLite
import APIKitLiteTesting
import Foundation
import XCTest

// A completion handler is called in the background, so its request and model live there too.

nonisolated struct Title: Decodable, Equatable {
    var title: String
}

nonisolated struct TitleRequest: APIRequest {
    typealias ResponseDataType = Title

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest(
            "GET", URL(string: "https://books.example.com")!, path: "/titles/{id}", ["id": id])
    }
}

// `XCTestCase` is not bound to the main actor, so a subclass cannot be either.
nonisolated final class CompletionTests: XCTestCase {
    var paths: [String] = []
    var title: Title?

    override func tearDown() {
        MockURLProtocol.requestHandler = nil
        super.tearDown()
    }

    private func makeSession() -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self]
        return URLSession(configuration: configuration)
    }

    func testAHandlerAndACompletionChangeTheTest() {
        let loader = APIRequestLoader(apiRequest: TitleRequest(), urlSession: makeSession())
        MockURLProtocol.requestHandler = { request in
            self.paths.append(request.url?.path ?? "")
            return (HTTPURLResponse(), Data(#"{"title": "Emma"}"#.utf8))
        }
        let expectation = expectation(description: "title")
        var captured: Title?

        loader.loadAPIRequest(requestData: 1) { title, error in
            // The two lines below cause compiler warnings on purpose. The completion handler is
            // `@preconcurrency`, so that tests written as in WWDC 2018 session 417 compile.
            captured = title
            self.title = title
            expectation.fulfill()
        }
        wait(for: [expectation], timeout: 900)

        XCTAssertEqual(captured, Title(title: "Emma"))
        XCTAssertEqual(title, captured)
        XCTAssertEqual(paths, ["/titles/1"])
    }

    /// On the main actor, where the app's own code runs.
    @MainActor func testAHandlerServesAViewModel() async {
        let visits = Visits()
        MockURLProtocol.requestHandler = { request in
            visits.paths.append(request.url?.path ?? "")
            return (HTTPURLResponse(), Data(#"[{"title": "Emma"}]"#.utf8))
        }
        let model = BooksViewModel(
            baseURL: URL(string: "https://books.example.com")!, session: makeSession())

        await model.search("emma")

        XCTAssertEqual(model.books, [Book(title: "Emma")])
        XCTAssertEqual(visits.paths, ["/books"])
    }
}

final class Visits {
    var paths: [String] = []
}
