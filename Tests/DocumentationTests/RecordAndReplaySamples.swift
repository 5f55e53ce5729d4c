import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The samples of RecordAndReplay.md.
@Suite(.limited) struct RecordAndReplaySamples {
    struct User: Codable, Equatable, Sendable {
        var name: String
    }

    struct UserRequest: APIRequest {
        typealias ResponseDataType = User

        let baseURL: URL

        func makeRequest(from id: Int) throws -> URLRequest {
            try URLRequest("GET", baseURL, path: "/users/{id}", ["id": id])
        }
    }

    static let request = UserRequest(baseURL: URL(string: "http://127.0.0.1:8808")!)
    private var request: UserRequest { Self.request }
    private let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Recordings/users.har")

    @Test func loadsAUser() async throws {
        try await withMockNetwork(replaying: "users") { network in
            let loader = APIRequestLoader(
                apiRequest: request, urlSession: network)
            let user = try await loader.load(42)
            #expect(user.name == "Emma")
        }
    }

    @Test func theRecordingsContainNoSecrets() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Recordings")
        try HTTPArchive.checkSecrets(
            in: folder, redacting: .standard.showing("progressToken"))
    }

    @Test func editsAnArchive() async throws {
        let network = MockNetwork()

        var archive = try HTTPArchive(contentsOf: file)
        archive.removeAll { $0.request.url?.path() != "/users/42" }
        archive[0].body = Data(#"{"name": "Zoë"}"#.utf8)
        network.stub(archive, then: .repeatLast)

        let loader = APIRequestLoader(apiRequest: request, urlSession: network)
        for _ in 0..<2 { #expect(try await loader.load(42).name == "Zoë") }
    }

    @Test func survivesTheFaultsOfARecordedAnswer() async throws {
        let archive = try HTTPArchive(contentsOf: file)

        try await forEachFault(in: .exchange(archive[0])) { network in
            let loader = APIRequestLoader(
                apiRequest: request, urlSession: network)
            return try await loader.load(42)
        }
    }

    @Test func parsesWhatTheServerAnswersToday() async throws {
        let server = MockNetwork()
        server.stub(.get("/users/{id}"), .json(#"{"name": "Emma", "vip": true}"#))
        let session: any HTTPSession = server

        let archive = try HTTPArchive(contentsOf: file)
        for exchange in archive where exchange.request.httpMethod == "GET" {
            let (data, response) = try await session.data(for: exchange.request)
            #expect(response.statusCode == exchange.response?.statusCode)
            _ = try request.parseResponse(data: data)
        }

        try server.verify()
    }

    struct Call: Decodable {
        let id: Int
    }

    @Test func answersWithTheIdOfTheRequest() async throws {
        let recorder = MockNetwork()
        recorder.stub(.any, .json(#"{"id":0,"result":"pong"}"#))
        let call = try URLRequest("POST", Self.request.baseURL, path: "/rpc")
            .jsonBody(["id": 41])
        _ = try await recorder.exchange(call)
        let archive = HTTPArchive(recorder.requests)
        let network = MockNetwork()

        network.stub(.post("/rpc")) { request in
            let id = try request.decode(Call.self).id
            var exchange = archive[0]
            exchange.body = Data(#"{"id": \#(id), "result": "pong"}"#.utf8)
            return .exchange(exchange)
        }

        let answer = try await network.exchange(call).0
        #expect(String(decoding: answer, as: UTF8.self) == #"{"id": 41, "result": "pong"}"#)
    }
}
