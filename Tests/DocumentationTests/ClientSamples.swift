import APIKitLite
import APIKitLiteTesting
import TestSupport

/// The samples of Client.md. The other pages use its pair of request types.
@Suite(.limited) struct ClientSamples {
    struct User: Codable, Equatable, Sendable { var name: String }

    struct UserRequest: APIRequest {
        typealias ResponseDataType = User

        var baseURL = URL(string: "https://api.example.com")!

        func makeRequest(from id: Int) throws -> URLRequest {
            try URLRequest("GET", baseURL, path: "/users/{id}", ["id": id])
        }
    }

    struct NewUserRequest: APIRequest {
        typealias ResponseDataType = Void

        var baseURL = URL(string: "https://api.example.com")!

        func makeRequest(from user: User) throws -> URLRequest {
            try URLRequest("POST", baseURL, path: "/users").jsonBody(user)
        }
    }

    struct ShopAPI: Sendable {
        let baseURL: URL
        let session: any HTTPSession
        let uploads: any HTTPSession

        init(_ baseURL: URL, over session: any HTTPSession = URLSession.shared) {
            self.baseURL = baseURL
            self.session = session.timingOut(after: .seconds(30)).retrying()
            uploads = session.timingOut(after: .seconds(600)).retrying()
        }

        func user(_ id: Int) async throws -> User {
            try await session.load(UserRequest(baseURL: baseURL), id)
        }
    }

    @Test func loadsAUser() async throws {
        let network = MockNetwork()
        network.stub(.get("/v2/users/{id}"), .json(#"{"name": "Emma"}"#))
        let api = ShopAPI(URL(string: "https://staging.example.com/v2")!, over: network)

        #expect(try await api.user(42).name == "Emma")
    }
}
