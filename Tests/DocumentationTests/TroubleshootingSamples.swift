import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The samples of Troubleshooting.md.
@Suite(.limited, .usesSockets) struct TroubleshootingSamples {
    typealias User = TestingSamples.User
    typealias UserRequest = TestingSamples.UserRequest

    @Test func aStubThatIsUsedUp() async throws {
        let network = MockNetwork()
        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#), times: .once)
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network)
        _ = try await loader.load(42)

        let error = await #expect(throws: APIRequestError.self) { try await loader.load(42) }

        try expectPage("Troubleshooting.md", toShow: "\(try #require(error).underlying)")
    }

    @Test func loadsTwoAtOnce() async throws {
        let network = MockNetwork()
        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#))
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network)

        try await withThrowingTaskGroup { group in
            for id in 1...2 {
                group.addTask {
                    let user = try await loader.load(id)
                    #expect(user.name == "Emma")
                }
            }
            try await group.waitForAll()
        }

        #expect(network.requests.count == 2)
    }

    @Test func buildsTheRequestBeforeTheDo() async throws {
        let network = MockNetwork()
        network.stub(.get("/users/{id}"), .status(404))
        let baseURL = URL(string: "https://api.example.com")!

        let status = Task {
            var user: TestingSamples.User?
            var status: Int?
            let session = network
            let request = try URLRequest("GET", baseURL, path: "/users/42")
            do throws(APIRequestError) {
                user = try await session.load(request, as: User.self)
            } catch {
                status = error.statusCode
            }
            #expect(user == nil)
            return status
        }

        #expect(try await status.value == 404)
    }
}
