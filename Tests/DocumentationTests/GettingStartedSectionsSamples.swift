import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The samples of the sections after the fourth step.
@Suite(.timeLimit(.minutes(5)), .usesSockets) struct GettingStartedSectionSamples {
    struct User: Codable, Equatable, Sendable {
        var name: String
    }

    let baseURL = URL(string: "https://api.example.com")!

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
            encoder.keyEncodingStrategy = .convertToSnakeCase
            return try URLRequest("POST", baseURL, path: "/todos").jsonBody(todo, encoder: encoder)
        }

        var jsonDecoder: JSONDecoder {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return decoder
        }
    }

    struct DeleteTodoRequest: APIRequest {
        typealias ResponseDataType = Void

        let baseURL: URL

        func makeRequest(from id: Int) throws -> URLRequest {
            try URLRequest("DELETE", baseURL, path: "/todos/{id}", ["id": id])
        }
    }

    @Test func addsAndDeletes() async throws {
        let network = MockNetwork()
        let json = #"{"title": "Tea", "due_at": "2018-06-07T10:00:00Z"}"#
        network.stub(.post("/todos").json(json), .json(json, status: 201))
        network.stub(.delete("/todos/7"), .status(204))
        let add = APIRequestLoader(
            apiRequest: AddTodoRequest(baseURL: baseURL), urlSession: network.urlSession)
        let delete = APIRequestLoader(
            apiRequest: DeleteTodoRequest(baseURL: baseURL), urlSession: network.urlSession)

        let todo = Todo(title: "Tea", dueAt: Date(timeIntervalSince1970: 1_528_365_600))
        #expect(try await add.load(todo) == todo)
        try await delete.load(7)

        try network.verify()
    }

    struct UsersRequest: APIRequest {
        let baseURL: URL

        func makeRequest(from page: Int) throws -> URLRequest {
            try URLRequest("GET", baseURL, path: "/users", query: ["page": page])
        }

        func parseResponse(
            data: Data, response: HTTPURLResponse
        ) throws -> (users: [User], total: Int?) {
            let total = response.value(forHTTPHeaderField: "X-Total-Count").flatMap { Int($0) }
            return (try parseResponse(data: data).users, total)
        }

        func parseResponse(data: Data) throws -> (users: [User], total: Int?) {
            (try jsonDecoder.decode([User].self, from: data), nil)
        }
    }

    @Test func readsAHeader() async throws {
        let network = MockNetwork()
        network.stub(
            .get("/users").query(["page": "2"]),
            .json(encoding: [User(name: "Emma")]).header("X-Total-Count", "31"))
        let loader = APIRequestLoader(
            apiRequest: UsersRequest(baseURL: baseURL), urlSession: network.urlSession)

        let page = try await loader.load(2)

        #expect(page.users == [User(name: "Emma")])
        #expect(page.total == 31)
    }

    @Test func sendsTheToken() async throws {
        let network = MockNetwork()
        network.stub(.delete("/todos/7").header("Authorization", "Bearer abc"), .status(204))
        let session = network.urlSession
            .authenticated(by: .bearer("abc", for: baseURL))
            .retrying()
        let loader = APIRequestLoader(
            apiRequest: DeleteTodoRequest(baseURL: baseURL), urlSession: session)

        try await loader.load(7)

        try network.verify()
    }

    @Test func namesItsVersion() async throws {
        let network = MockNetwork()
        network.stub(.delete("/todos/7").header("API-Version", "2"), .status(204))
        let session = network.urlSession.intercepting { request, next in
            try await next.exchange(request.header("API-Version", "2"))
        }
        let loader = APIRequestLoader(
            apiRequest: DeleteTodoRequest(baseURL: baseURL), urlSession: session)

        try await loader.load(7)

        try network.verify()
    }
}
