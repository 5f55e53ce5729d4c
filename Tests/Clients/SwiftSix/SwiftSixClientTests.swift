import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

// An app in the Swift 6 language mode.

struct Book: Codable, Equatable {
    var title: String
}

struct BookRequest: APIRequest {
    typealias ResponseDataType = Book

    let baseURL: URL

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest("GET", baseURL, path: "/books/{id}", ["id": id])
    }
}

/// A loader is shared between tasks.
actor Library {
    private var books: [Int: Book] = [:]
    private let loader: APIRequestLoader<BookRequest>

    init(session: any HTTPSession) {
        loader = APIRequestLoader(
            apiRequest: BookRequest(baseURL: URL(string: "https://books.example.com")!),
            urlSession: session)
    }

    func book(_ id: Int) async throws(APIRequestError) -> Book {
        if let book = books[id] { return book }
        let book = try await loader.load(id)
        books[id] = book
        return book
    }
}

@MainActor final class BookViewModel {
    private(set) var title = ""
    private(set) var message: String?
    private let loader: APIRequestLoader<BookRequest>

    init(loader: APIRequestLoader<BookRequest>) {
        self.loader = loader
    }

    func show(_ id: Int) async {
        do {
            title = try await loader.load(id).title
        } catch {
            message =
                error.statusCode == 404 ? "There is no book \(id)." : error.errorDescription
        }
    }
}

@Suite(.limited, .usesSockets) struct SwiftSixClientTests {
    let network = MockNetwork()

    @Test func anActorLoadsAndKeeps() async throws {
        network.stub(.get("/books/1"), .json(encoding: Book(title: "Emma")), times: .once)
        let library = Library(session: network.urlSession)

        let first = try await library.book(1)
        let second = try await library.book(1)

        #expect(first == Book(title: "Emma"))
        #expect(second == first)
        try network.verify()
    }

    @Test func tasksShareALoader() async throws {
        network.stub(.get("/books/{id}")) { request in
            .json(encoding: Book(title: "Book \(request.pathValues["id"] ?? "")"))
        }
        let loader = APIRequestLoader(
            apiRequest: BookRequest(baseURL: URL(string: "https://books.example.com")!),
            urlSession: network.urlSession)

        async let first = loader.load(1)
        let others = try await withThrowingTaskGroup(of: Book.self) { group in
            for id in 2...4 { group.addTask { try await loader.load(id) } }
            return try await group.reduce(into: []) { $0.append($1.title) }
        }

        #expect(try await first.title == "Book 1")
        #expect(others.sorted() == ["Book 2", "Book 3", "Book 4"])
    }

    @MainActor @Test func aViewModelShowsATitle() async {
        network.stub(.get("/books/1"), .json(encoding: Book(title: "Emma")))
        let model = makeViewModel()

        await model.show(1)

        #expect(model.title == "Emma")
        #expect(model.message == nil)
    }

    @MainActor @Test func aViewModelTellsWhatFailed() async {
        network.stub(.get("/books/{id}"), .status(404), .error(.timedOut))
        let model = makeViewModel()

        await model.show(7)
        #expect(model.message == "There is no book 7.")

        await model.show(7)
        #expect(
            model.message
                == APIRequestError(
                    stage: .transport, underlying: URLError(.timedOut)
                ).errorDescription)
    }

    @MainActor private func makeViewModel() -> BookViewModel {
        BookViewModel(
            loader: APIRequestLoader(
                apiRequest: BookRequest(baseURL: URL(string: "https://books.example.com")!),
                urlSession: network.urlSession))
    }
}
