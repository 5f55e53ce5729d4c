import APIKitLite
import APIKitLiteTesting
import ClashingNames
import Foundation
import TestSupport
import Testing

/// The samples of ComingFromYourOwnMock.md.
@Suite(.limited, .usesSockets) struct ComingFromYourOwnMockSamples {
    typealias UserRequest = TestingSamples.UserRequest

    @Test func loadsAUser() async throws {
        let network = MockNetwork { request in
            #expect(request.url?.path == "/users/42")
            return (HTTPURLResponse(), Data(#"{"name": "Emma"}"#.utf8))
        }
        let loader = APIRequestLoader(
            apiRequest: UserRequest(), urlSession: network.urlSession)

        let user = try await loader.load(42)

        #expect(user.name == "Emma")
    }

    @Test func aNameOfTwoModulesIsQualified() {
        let policy = APIKitLite.RetryPolicy.standard

        #expect(policy.maximumAttempts == 3)
        #expect(ClashingNames.RetryPolicy().retryLimit == 2)
    }
}
