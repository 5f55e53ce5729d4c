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
            apiRequest: UserRequest(), urlSession: network.urlSession)

        let user = try await loader.load(42)

        #expect(user.name == "Emma")
    }

    @Test func answersFromClosuresByPathAndFromAQueue() async throws {
        let closures: [String: @Sendable (URLRequest) throws -> (HTTPURLResponse, Data)] = [
            "/users": { _ in (HTTPURLResponse(), Data("[]".utf8)) }
        ]
        let network = MockNetwork()

        for (path, closure) in closures {
            network.stub(.path(path), times: .any, handler: closure)
        }
        network.stub(.get("/token"), .json("1"), .json("2"), then: .fail)

        var texts: [String] = []
        for path in ["users", "token", "token"] {
            texts.append(try await network.urlSession.exchange(.test(path)).0.text)
        }
        #expect(texts == ["[]", "1", "2"])
        await #expect(throws: MockError.self) {
            try await network.urlSession.exchange(.test("token"))
        }
    }
}
