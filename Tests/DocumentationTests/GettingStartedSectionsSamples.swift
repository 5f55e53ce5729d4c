import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The samples of the sections after the fourth step.
@Suite(.limited, .usesSockets) struct GettingStartedSectionSamples {
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

    struct AvatarRequest: APIRequest {
        typealias ResponseDataType = Void

        let baseURL: URL

        func makeRequest(from image: Data) throws -> URLRequest {
            try URLRequest("POST", baseURL, path: "/avatar").multipartBody([
                .text("caption", "Emma"),
                .file("image", fileName: "emma.png", contentType: "image/png", data: image),
            ])
        }
    }

    @Test func uploadsAFile() throws {
        let request = try AvatarRequest(baseURL: baseURL).makeRequest(from: Data("PNG".utf8))

        let body = String(decoding: request.httpBody ?? Data(), as: UTF8.self)
        #expect(body.contains(#"name="image"; filename="emma.png""#))
    }

    struct Problem: Decodable {
        var message: String
    }

    @Test func readsTheErrorOfTheServer() async throws {
        let network = MockNetwork()
        network.stub(.any, .json(#"{"message": "The title is empty."}"#, status: 422))
        let loader = APIRequestLoader(
            apiRequest: AddTodoRequest(baseURL: baseURL), urlSession: network.urlSession)
        let todo = Todo(title: "", dueAt: Date())
        var message = ""

        do {
            _ = try await loader.load(todo)
        } catch {
            let problem = try? error.decodeBody(Problem.self)
            message = problem?.message ?? error.localizedDescription
        }

        #expect(message == "The title is empty.")
    }

    @Test func knowsTheErrorInAClosure() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(404))
        let loader = APIRequestLoader(
            apiRequest: DeleteTodoRequest(baseURL: baseURL), urlSession: network.urlSession)

        let load = Task {
            do throws(APIRequestError) {
                try await loader.load(7)
                return "deleted"
            } catch  where error.statusCode == 404 {
                return "deleted before"
            } catch {
                return error.localizedDescription
            }
        }

        #expect(await load.value == "deleted before")
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
        let network = MockNetwork()
        network.stub(.any, .status(404))
        let loader = APIRequestLoader(
            apiRequest: FindUserRequest(baseURL: baseURL), urlSession: network.urlSession)

        #expect(try await loader.load(42) == nil)
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
            try await next(request.header("API-Version", "2"))
        }
        let loader = APIRequestLoader(
            apiRequest: DeleteTodoRequest(baseURL: baseURL), urlSession: session)

        try await loader.load(7)

        try network.verify()
    }
}
