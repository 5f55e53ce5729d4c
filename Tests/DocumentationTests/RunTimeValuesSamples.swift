import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The samples on queries, forms and headers whose values are known only at run time.
@Suite(.limited) struct RunTimeValuesSamples {
    private let baseURL = URL(string: "https://api.example.com")!

    struct BooksRequest: APIRequest {
        struct Search {
            var authors: [Int] = []
            var filters: [String: String] = [:]
            var since: Date?
            var etag: String?
        }

        typealias ResponseDataType = [String]

        let baseURL: URL

        func makeRequest(from search: Search) throws -> URLRequest {
            try URLRequest("GET", baseURL, path: "/books", query: ["sort": "title"])
                .query("author", search.authors)
                .query("since", search.since?.formatted(.iso8601))
                .query(RequestItems(search.filters))
                .header("If-None-Match", search.etag)
                .timeout(.seconds(5))
                .cachePolicy(.reloadIgnoringLocalCacheData)
        }
    }

    @Test func buildsARequestFromAValue() throws {
        let request = try BooksRequest(baseURL: baseURL).makeRequest(
            from: .init(
                authors: [7, 9], filters: ["lang": "en", "format": "epub"],
                since: Date(timeIntervalSince1970: 0)))

        #expect(
            request.url?.query
                == "sort=title&author=7&author=9&since=1970-01-01T00:00:00Z&format=epub&lang=en")
        #expect(request.allHTTPHeaderFields?["If-None-Match"] == nil)
        #expect(request.timeoutInterval == 5)
    }

    @Test func repeatsTheNameForAnArray() throws {
        let base = baseURL
        let ids = [7, 9]
        let request = try URLRequest(
            "GET", base, path: "/books", query: ["author": ids, "page": 2])

        #expect(request.url?.query == "author=7&author=9&page=2")
    }

    @Test func matchesTheSameValues() async throws {
        let network = MockNetwork()
        let authors = [7, 9]
        network.stub(.get("/books").query(["author": authors, "sort": "title"]), .json("[]"))
        let loader = APIRequestLoader(
            apiRequest: BooksRequest(baseURL: baseURL), urlSession: MockURLSession(network))

        #expect(try await loader.load(.init(authors: authors)) == [])
    }
}
