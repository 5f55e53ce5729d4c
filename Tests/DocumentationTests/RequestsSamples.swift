import APIKitLite
import APIKitLiteTesting
import TestSupport

/// The samples of Requests.md.
@Suite(.limited) struct RequestsSamples {
    typealias User = TestingSamples.User

    let baseURL = URL(string: "https://api.example.com")!
    let network = MockNetwork()

    struct Todo: Codable, Equatable {
        var title: String
        var dueAt: Date
    }

    struct AddTodoRequest: APIRequest {
        typealias ResponseDataType = Todo

        let baseURL: URL

        func makeRequest(from todo: Todo) throws -> URLRequest {
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .iso8601
            return try URLRequest("POST", baseURL, path: "/todos")
                .jsonBody(todo, encoder: encoder)
        }

        var jsonDecoder: JSONDecoder {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            return decoder
        }
    }

    @Test func addsATodo() async throws {
        let json = #"{"title": "Tea", "dueAt": "2018-06-07T10:00:00Z"}"#
        network.stub(.post("/todos").json(json), .json(json, status: 201))
        let todo = Todo(title: "Tea", dueAt: Date(timeIntervalSince1970: 1_528_365_600))

        let added = try await network.load(AddTodoRequest(baseURL: baseURL), todo)

        #expect(added == todo)
    }

    struct AvatarRequest: APIRequest {
        typealias ResponseDataType = Void

        let baseURL: URL

        func makeRequest(from image: Data) throws -> URLRequest {
            try URLRequest("POST", baseURL, path: "/avatar").multipartBody([
                .text("caption", "Emma"),
                .file(
                    "image", fileName: "emma.png", contentType: "image/png",
                    data: image),
            ])
        }
    }

    @Test func uploadsAFile() throws {
        let request = try AvatarRequest(baseURL: baseURL).makeRequest(from: Data("PNG".utf8))

        let body = String(decoding: request.httpBody ?? Data(), as: UTF8.self)
        #expect(body.contains(#"name="image"; filename="emma.png""#))
    }

    struct FindUserRequest: APIRequest, Sendable {
        let baseURL: URL

        func makeRequest(from id: Int) throws -> URLRequest {
            try URLRequest("GET", baseURL, path: "/users/{id}", ["id": id])
        }

        func validateResponse(data: Data, response: HTTPURLResponse) throws {
            try response.validateStatus(200, 404)
        }

        func parseResponse(data: Data, response: HTTPURLResponse) throws -> User? {
            response.statusCode == 404 ? nil : try parseResponse(data: data)
        }

        func parseResponse(data: Data) throws -> User? {
            try jsonDecoder.decode(User.self, from: data)
        }
    }

    @Test func returnsNilForA404() async throws {
        network.stub(.any, .status(404))

        #expect(try await network.load(FindUserRequest(baseURL: baseURL), 42) == nil)
    }

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
                .query(["author": search.authors, "since": search.since?.formatted(.iso8601)])
                .query(RequestItems(search.filters))
                .header("If-None-Match", search.etag)
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
    }
}
