import APIKitLite
import Foundation

// Nothing here is annotated, as in a new app whose default isolation is the main actor.

struct Book: Codable, Equatable {
    var title: String
}

struct BooksRequest: APIRequest {
    let baseURL: URL

    func makeRequest(from term: String) throws -> URLRequest {
        try URLRequest("GET", baseURL, path: "/books", query: ["q": term])
    }

    func parseResponse(data: Data) throws -> [Book] {
        try JSONDecoder().decode([Book].self, from: data)
    }
}

/// Parsed by the library's default.
struct BookRequest: APIRequest {
    typealias ResponseDataType = Book

    let baseURL: URL

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest("GET", baseURL, path: "/books/{id}", ["id": id])
    }
}

final class BooksViewModel {
    private(set) var books: [Book] = []
    private(set) var selected: Book?
    private(set) var message: String?
    private let search: APIRequestLoader<BooksRequest>
    private let lookup: APIRequestLoader<BookRequest>

    init(baseURL: URL, session: any HTTPSession) {
        search = APIRequestLoader(apiRequest: BooksRequest(baseURL: baseURL), urlSession: session)
        lookup = APIRequestLoader(apiRequest: BookRequest(baseURL: baseURL), urlSession: session)
    }

    func search(_ term: String) async {
        do {
            books = try await search.load(term)
        } catch {
            message = error.errorDescription
        }
    }

    func select(_ id: Int) async {
        do {
            let response = try await lookup.response(for: id)
            selected = response.value
        } catch {
            message =
                error.statusCode == 404 ? "There is no book \(id)." : error.errorDescription
        }
    }
}
