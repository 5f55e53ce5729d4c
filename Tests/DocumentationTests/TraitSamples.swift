import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

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

@Suite(.mockedNetwork) struct BookTests {
    @Test func loadsABook() async throws {
        let network = try #require(MockedNetwork.current)
        network.stub(.get("/v1/books/{id}"), .json(#"{"title": "Emma"}"#))
        let api = BooksAPI(.production, over: network)

        #expect(try await api.book(7).title == "Emma")
    }
}

/// The trait gives each case of a test its own network, and verifies it.
extension BookTests {
    @Test(arguments: 1...3)
    func hasANetworkForEachCase(_ id: Int) async throws {
        let network = try #require(MockedNetwork.current)
        network.stub(.get("/v1/books/\(id)"), .json(#"{"title": "Emma"}"#), times: .once)
        let api = BooksAPI(.production, over: network)

        _ = try await api.book(id)

        #expect(network.requests.count == 1)
    }

    @Test func failsForAnUnusedStub() async throws {
        let test = try #require(Test.current)
        let error = await #expect(throws: VerificationError.self) {
            try await MockedNetwork().provideScope(for: test, testCase: nil) {
                MockedNetwork.current?.stub(.get("/v1/books"), .json("[]"))
            }
        }

        #expect("\(error as Any)".contains("/v1/books"))
    }
}
