import APIKitLite
import APIKitLiteTesting
import TestSupport

// The trait of Testing.md, and its tests.

struct MockedNetwork: SuiteTrait, TestTrait, TestScoping {
    @TaskLocal static var current: MockNetwork?

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withMockNetwork { network in
            try await Self.$current.withValue(network) { try await function() }
        }
    }
}

extension Trait where Self == MockedNetwork {
    static var mockedNetwork: Self { Self() }
}

private typealias UserRequest = ClientSamples.UserRequest

@Suite(.mockedNetwork) struct UserTests {
    @Test func loadsAUser() async throws {
        let network = try #require(MockedNetwork.current)
        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#))

        #expect(try await network.load(UserRequest(), 42).name == "Emma")
    }
}

/// The trait gives each case of a test its own network, and verifies it.
extension UserTests {
    @Test(arguments: 1...3)
    func hasANetworkForEachCase(_ id: Int) async throws {
        let network = try #require(MockedNetwork.current)
        network.stub(.get("/users/\(id)"), .json(#"{"name": "Emma"}"#), times: .once)

        _ = try await network.load(UserRequest(), id)

        #expect(network.requests.count == 1)
    }

    @Test func failsForAnUnusedStub() async throws {
        let test = try #require(Test.current)
        let error = await #expect(throws: VerificationError.self) {
            try await MockedNetwork().provideScope(for: test, testCase: nil) {
                MockedNetwork.current?.stub(.get("/users"), .json("[]"))
            }
        }

        #expect("\(error as Any)".contains("/users"))
    }
}
