import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing
import XCTest

/// The samples of Testing.md.
@Suite(.limited, .usesSockets) struct TestingSamples {
    let baseURL = URL(string: "https://api.example.com")!

    struct User: Codable, Equatable, Sendable {
        var name: String
    }

    struct UserRequest: APIRequest {
        typealias ResponseDataType = User

        var baseURL = URL(string: "https://api.example.com")!

        func makeRequest(from id: Int) throws -> URLRequest {
            try URLRequest("GET", baseURL, path: "/users/{id}", ["id": id])
        }
    }

    struct NewUserRequest: APIRequest {
        typealias ResponseDataType = Void

        func makeRequest(from user: User) throws -> URLRequest {
            try URLRequest("POST", URL(string: "https://api.example.com")!, path: "/users")
                .jsonBody(user)
        }
    }

    @Test func acceptsOnlySuccess() throws {
        let notFound = try #require(
            HTTPURLResponse(
                url: UserRequest().baseURL, statusCode: 404, httpVersion: nil, headerFields: nil))

        #expect(throws: UnacceptableStatus(statusCode: 404)) {
            try UserRequest().validateResponse(data: Data(), response: notFound)
        }
    }

    @Test func loadsAUser() async throws {
        let network = MockNetwork()
        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#))
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)

        let user = try await loader.load(42)

        #expect(user == User(name: "Emma"))
        try network.verify()
    }

    @Test func sendsTheUser() async throws {
        try await withMockNetwork { network in
            let created = network.stub(.post("/users"), .status(201), times: .once)
            let loader = APIRequestLoader(
                apiRequest: NewUserRequest(), urlSession: network.urlSession)

            try await loader.load(User(name: "Emma"))

            #expect(try created.requests[0].decode(User.self) == User(name: "Emma"))
        }
    }

    @Test func asksUntilTheUserIsThere() async throws {
        let network = MockNetwork()
        let stub = network.stub(
            .get("/users/1"), .status(404), .status(404), .json(#"{"name": "Emma"}"#))
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)

        var user: User?
        while user == nil { user = try? await loader.load(1) }

        #expect(stub.callCount == 3)
    }

    @Test func answersWithWhatWasAsked() async throws {
        let network = MockNetwork()
        network.stub(.get("/users/{id}")) { request in
            let id = try #require(request.pathValues["id"])
            #expect(request.request.value(forHTTPHeaderField: "Accept") == nil)
            return .json(encoding: User(name: "user \(id)"))
        }
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)

        let user = try await loader.load(7)

        #expect(user.name == "user 7")
    }

    @Test(arguments: [
        (MockResponse.status(404), APIRequestError.Stage.validate),
        (.json(#"{"nom": "Emma"}"#), .parse),
        (.error(.notConnectedToInternet), .transport),
    ])
    func failsInTheStage(_ response: MockResponse, _ stage: APIRequestError.Stage) async throws {
        let network = MockNetwork()
        network.stub(.any, response)
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)

        let error = try await #require(throws: APIRequestError.self) { try await loader.load(1) }

        #expect(error.stage == stage)
    }

    @Test func canBeCancelled() async throws {
        let network = MockNetwork()
        network.stub(.any, .hanging)
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)

        let load = Task { try await loader.load(1) }
        await network.waitForRequests()
        load.cancel()

        let error = await #expect(throws: APIRequestError.self) { try await load.value }
        #expect(error?.isCancellation == true)
    }

    @Test func endsAnOutage() async throws {
        let network = MockNetwork()
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)

        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#))
        let outage = network.stub(.any, .status(503))

        _ = try? await loader.load(42)
        network.remove(outage)
        let user = try await loader.load(42)

        #expect(user == User(name: "Emma"))
        #expect(outage.callCount == 1)
        try network.verify()
    }

    @Test func waitsForARequestThatIsNotAwaited() async throws {
        let network = MockNetwork()
        network.stub(.post("/events"), .status(202))
        let session = network.urlSession

        let request = try URLRequest("POST", baseURL, path: "/events")
        session.dataTask(with: request).resume()

        await network.waitForResponses(1, matching: .post("/events"))
        try network.verify()
    }

    @Test func leavesAHostAlone() async throws {
        let metrics = MockNetwork()
        metrics.stub(.any, .status(204))
        let network = MockNetwork()

        network.decline(.host("metrics.example.com"))

        let configuration = network.configuration
        configuration.protocolClasses! += metrics.configuration.protocolClasses ?? []
        let url = try #require(URL(string: "https://metrics.example.com/v1"))
        let (_, response) = try await URLSession(configuration: configuration)
            .exchange(URLRequest(url: url))
        #expect(response.statusCode == 204)
        #expect(network.requests.isEmpty)
    }

    @Test func showsWhatWouldHaveMatched() async throws {
        let network = MockNetwork()
        network.stub(.get("/user/{id}"), .json(#"{"name": "Emma"}"#))
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)

        let error = await #expect(throws: APIRequestError.self) { try await loader.load(42) }

        try expectPage("Testing.md", toShow: "\(try #require(error).underlying)")
    }

    @Test func fallsBackToOlderStubs() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(404), times: .any)
        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#))
        network.stub(.get("/users/{id}"), .status(503), times: .once)
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)

        let error = await #expect(throws: APIRequestError.self) { try await loader.load(42) }
        let user = try await loader.load(42)

        #expect(error?.statusCode == 503)
        #expect(user.name == "Emma")
        try network.verify()
    }

    @Test(.disabled(if: behindProxy, "Foundation on Linux asks the proxy for 127.0.0.1, too."))
    func showsItOverASocketToo() async throws {
        let network = MockNetwork()
        network.stub(.get("/user/{id}"), .json(#"{"name": "Emma"}"#))
        let server = try network.serve()
        let loader = APIRequestLoader(apiRequest: UserRequest(baseURL: server.url))

        let error = try await #require(throws: APIRequestError.self) { try await loader.load(42) }
        let failure = try #require(throws: VerificationError.self) { try network.verify() }

        #expect(error.statusCode == 501)
        #expect("\(failure)".contains("No stub answers GET"))
        server.stop()
    }

    @Test func needsNoURLSession() async throws {
        let network = MockNetwork()
        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#))
        let loader = APIRequestLoader(
            apiRequest: UserRequest(), urlSession: MockURLSession(network))

        let user = try await loader.load(42)

        #expect(user.name == "Emma")
    }
}

#if os(macOS) || os(Linux)
/// As in a UI test, the server is in this process and its client in another one.
final class OtherProcessTests: XCTestCase {
    func testAnotherProgramGetsTheStubs() throws {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
        try XCTSkipUnless(
            path.split(separator: ":").contains {
                FileManager.default.isExecutableFile(atPath: "\($0)/curl")
            }, "There is no curl on this machine.")
        let network = MockNetwork()
        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#))
        let server = try network.serve()
        defer { server.stop() }

        let program = Process()
        program.executableURL = URL(filePath: "/usr/bin/env")
        program.arguments = [
            "curl", "--silent", "--noproxy", "*", "--output", "/dev/null", "\(server.url)/users/42",
        ]
        try program.run()
        program.waitUntilExit()

        XCTAssertEqual(network.requests.map(\.request.url?.path), ["/users/42"])
        try network.verify()
    }
}
#endif
