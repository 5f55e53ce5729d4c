import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing
import XCTest

/// The samples of Troubleshooting.md.
@Suite(.limited, .usesSockets) struct TroubleshootingSamples {
    typealias UserRequest = TestingSamples.UserRequest

    @Test func aStubThatNoRequestReaches() async throws {
        let test = Task { try await waitsForAnotherPath() }
        // Otherwise it waits for ever, as the guide says.
        test.cancel()
        await #expect(throws: APIRequestError.self) { try await test.value }
    }

    private func waitsForAnotherPath() async throws {
        let network = MockNetwork()
        let stub = network.stub(.get("/user/{id}"), .json(#"{"name": "Emma"}"#).held)
        let loader = APIRequestLoader(
            apiRequest: UserRequest(), urlSession: network.urlSession)

        async let load = loader.load(42)
        await stub.waitForRequests()
        stub.release()

        _ = try await load
    }

    @Test func aStubThatIsUsedUp() async throws {
        let network = MockNetwork()
        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#), times: .once)
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)
        _ = try await loader.load(42)

        let error = await #expect(throws: APIRequestError.self) { try await loader.load(42) }

        try expectPage("Troubleshooting.md", toShow: "\(try #require(error).underlying)")
    }

    @Test func loadsTwoAtOnce() async throws {
        let network = MockNetwork()
        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#))
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)

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

    @Test func countsWithoutAVariable() async throws {
        let network = MockNetwork()
        let stub = network.stub(.get("/users/{id}")) { _ in .json(#"{"name": "Emma"}"#) }
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)
        _ = try await loader.load(1)

        #expect(stub.callCount == 1)
    }
}

nonisolated final class UserModelTests: XCTestCase {
    @MainActor func testShowsTheName() async {
        let network = MockNetwork()
        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#))
        let model = UserModel(urlSession: network.urlSession)

        await model.load(42)

        XCTAssertEqual(model.name, "Emma")
    }
}

/// What an app has in a module whose default isolation is the main actor.
@MainActor private final class UserModel {
    private(set) var name = ""
    private let loader: APIRequestLoader<TestingSamples.UserRequest>

    init(urlSession: any HTTPSession) {
        loader = APIRequestLoader(apiRequest: .init(), urlSession: urlSession)
    }

    func load(_ id: Int) async {
        name = (try? await loader.load(id).name) ?? ""
    }
}
