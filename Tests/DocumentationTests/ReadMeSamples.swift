import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The samples of README.md.
@Suite(.limited) struct ReadMeSamples {
    let baseURL = URL(string: "https://api.example.com")!

    struct NewUser: Codable, Sendable {
        var name: String
        var age: Int
        var password: String
    }

    struct User: Codable, Equatable, Sendable { var name: String }

    struct UserRequest: APIRequest {
        var baseURL = URL(string: "https://api.example.com")!

        func makeRequest(from id: Int) throws -> URLRequest {
            try URLRequest("GET", baseURL, path: "/users/{id}", ["id": id])
        }

        func parseResponse(data: Data) throws -> User {
            try jsonDecoder.decode(User.self, from: data)
        }
    }

    @Test func asksForAUser() throws {
        let request = try UserRequest().makeRequest(from: 42)

        #expect(request.url?.path == "/users/42")
    }

    @Test func loadsAUser() async throws {
        let network = MockNetwork()
        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#))

        let user = try await network.load(UserRequest(), 42)

        #expect(user == User(name: "Emma"))
        try network.verify()
    }

    @Test func explainsAStubThatDidNotMatch() async throws {
        let network = MockNetwork()
        network.stub(.post("/users").json(#"{"name": "Emma", "age": 3}"#), .status(201))

        let failure = await #expect(throws: MockError.self) {
            let request = try URLRequest("POST", baseURL, path: "/users")
                .jsonBody(NewUser(name: "Emma", age: 4, password: "hunter2"))
            _ = try await network.exchange(request)
        }
        try expectPage("../README.md", toShow: try #require(failure).description)
    }

    @Test func endsAnErrorInACurlCommand() async throws {
        struct NewUserRequest: APIRequest {
            typealias ResponseDataType = [User]

            func makeRequest(from user: NewUser) throws -> URLRequest {
                try URLRequest(
                    "POST", URL(string: "https://api.example.com")!, path: "/users",
                    headers: ["X-API-Key": "k3y"]
                ).jsonBody(user)
            }
        }
        let network = MockNetwork()
        network.stub(.post("/users"), .json(#"[{"name": "Emma"}, {"nmae": "Max"}]"#))

        let error = try await #require(throws: APIRequestError.self) {
            try await network.load(
                NewUserRequest(), NewUser(name: "Emma", age: 4, password: "hunter2"))
        }
        try expectPage("../README.md", toShow: error.description)
    }
}
