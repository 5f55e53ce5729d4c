import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The samples of ComingFromAnotherMock.md.
@Suite(.limited, .usesSockets) struct ComingFromAnotherMockSamples {
    typealias UserRequest = TestingSamples.UserRequest

    @Test func loadsAUser() async throws {
        let network = MockNetwork()
        network.requestHandler = { request in
            #expect(request.url?.path == "/users/42")
            return (HTTPURLResponse(), Data(#"{"name": "Emma"}"#.utf8))
        }
        let loader = APIRequestLoader(
            apiRequest: UserRequest(), urlSession: network)

        let user = try await loader.load(42)

        #expect(user.name == "Emma")
    }
}
