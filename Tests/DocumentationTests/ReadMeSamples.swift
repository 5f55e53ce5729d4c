import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The samples of README.md.
@Suite(.timeLimit(.minutes(5)), .usesSockets) struct ReadMeSamples {
    struct User: Codable, Equatable, Sendable { var name: String }

    struct UserRequest: APIRequest {
        let baseURL: URL

        func makeRequest(from id: Int) throws -> URLRequest {
            try URLRequest("GET", baseURL, path: "/users/{id}", ["id": id])
        }

        func parseResponse(data: Data) throws -> User {
            try jsonDecoder.decode(User.self, from: data)
        }
    }

    @Test func loadsAUser() async throws {
        let network = MockNetwork()
        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#))
        let request = UserRequest(baseURL: URL(string: "https://api.example.com")!)
        let loader = APIRequestLoader(apiRequest: request, urlSession: network.urlSession)

        let user = try await loader.load(42)

        #expect(user.name == "Emma")
        #expect(network.requests.map(\.request.url?.path) == ["/users/42"])
    }

    /// What the README shows of a load, over a real socket.
    @Test(.disabled(if: behindProxy, "Foundation on Linux asks the proxy for 127.0.0.1, too."))
    func shows() async throws {
        let network = MockNetwork()
        network.stub(.get("/users/42"), .json(encoding: User(name: "Emma")), .status(404))
        let server = try network.serve()
        let baseURL = server.url
        var shown: [String?] = []
        func show(_ user: User?) { shown.append(user?.name) }
        func show(_ error: APIRequestError) { shown.append(error.localizedDescription) }

        func run() async {
            let loader = APIRequestLoader(apiRequest: UserRequest(baseURL: baseURL))
            do {
                show(try await loader.load(42))
            } catch  where error.statusCode == 404 {
                show(nil)
            } catch {
                show(error)
            }
        }
        await run()
        await run()

        #expect(shown == ["Emma", nil])
        server.stop()
    }

    @Test func triesAgain() async throws {
        let clock = MockClock()
        let network = MockNetwork()
        network.stub(.any, .status(503).header("Retry-After", "7"), .json(#"{"name": "Emma"}"#))
        let request = UserRequest(baseURL: URL(string: "https://api.example.com")!)
        let loader = APIRequestLoader(
            apiRequest: request, urlSession: network.urlSession.retrying(.standard, clock: clock))
        let load = Task { try await loader.load(42) }
        await clock.waitForSleepers()
        await clock.advance(by: .seconds(7))

        let user = try await load.value
        #expect(user.name == "Emma")
    }
}

/// Whether requests for other processes of this machine would leave it.
let behindProxy = ProcessInfo.processInfo.environment["http_proxy"] != nil
