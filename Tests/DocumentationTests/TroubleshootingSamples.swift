import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The samples of Troubleshooting.md.
@Suite(.limited, .usesSockets) struct TroubleshootingSamples {
    typealias User = TestingSamples.User

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
