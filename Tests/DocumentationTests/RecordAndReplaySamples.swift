import APIKitLite
import APIKitLiteTesting
import TestSupport

/// The samples of RecordAndReplay.md.
@Suite(.limited) struct RecordAndReplaySamples {
    struct User: Codable, Equatable, Sendable { var name: String }

    struct UserRequest: APIRequest {
        typealias ResponseDataType = User

        var baseURL = URL(string: "http://127.0.0.1:8808")!

        func makeRequest(from id: Int) throws -> URLRequest {
            try URLRequest("GET", baseURL, path: "/users/{id}", ["id": id])
        }
    }

    private let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Recordings/users.har")

    @Test func loadsAUser() async throws {
        try await withMockNetwork(replaying: "users") { network in
            let user = try await network.load(UserRequest(), 42)
            #expect(user.name == "Emma")
        }
    }

    @Test func showsADemo() async throws {
        let network = MockNetwork()
        network.stub(try HTTPArchive(contentsOf: file), then: .repeatLast, times: .any)

        for _ in 1...3 { #expect(try await network.load(UserRequest(), 42).name == "Emma") }
    }

    @Test func survivesTheFaultsOfARecordedResponse() async throws {
        let archive = try HTTPArchive(contentsOf: file)

        try await forEachFault(in: .exchange(archive[0])) { network in
            try await network.load(UserRequest(), 42)
        }
    }
}
