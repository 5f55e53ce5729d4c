import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The samples of Faults.md.
@Suite(.limited, .usesSockets) struct FaultsSamples {
    struct User: Codable, Equatable, Sendable {
        var name: String
    }

    struct UserRequest: APIRequest {
        typealias ResponseDataType = User

        func makeRequest(from id: Int) throws -> URLRequest {
            try URLRequest(
                "GET", URL(string: "https://api.example.com")!, path: "/users/{id}", ["id": id])
        }
    }

    @Test func survivesACutConnection() async throws {
        let network = MockNetwork()
        network.stub(
            .get("/users/{id}"), .json(#"{"name": "Emma"}"#).failing(afterBytes: 9),
            .json(#"{"name": "Emma"}"#))
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)

        let error = await #expect(throws: APIRequestError.self) { try await loader.load(1) }

        #expect((error?.underlying as? URLError)?.code == .networkConnectionLost)
    }

    @Test func survivesACut() async throws {
        let sample = MockResponse.json(#"{"name": "Emma"}"#)
        let network = MockNetwork()
        network.stub(.any, Fault.failing(afterBytes: 7).response(from: sample))
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)

        let error = try await #require(throws: APIRequestError.self) { try await loader.load(42) }

        #expect(error.stage == .transport)
    }

    @Test func survivesEveryFault() async throws {
        let sample = MockResponse.json(#"{"name": "Emma"}"#)

        let report = try await forEachFault(in: sample) { network in
            let loader = APIRequestLoader(
                apiRequest: UserRequest(), urlSession: network.urlSession)
            return try await loader.load(42)
        }

        #expect(report[.html(status: 502)] == .error(.validate))
        #expect(report[.slow] == .value)
    }

    private enum ShopError: Error { case busy, unavailable }

    private struct Shop {
        let session: any HTTPSession
        init(_ session: any HTTPSession) { self.session = session }

        func products() async throws(ShopError) -> [String] {
            do {
                return [try await session.load(UserRequest(), 42).name]
            } catch {
                throw error.statusCode == 503 ? .busy : .unavailable
            }
        }
    }

    @Test func errorsOfTheClientsOwn() async throws {
        let sample = MockResponse.json(#"{"name": "Emma"}"#)

        let report = try await forEachFault(in: sample, throwing: ShopError.self) { network in
            try await Shop(network.urlSession).products()
        }

        #expect(report[.status(503, retryAfter: "120")] == .thrown("ShopError (busy)"))
    }

    @Test func survivesEveryFaultWithARetry() async throws {
        let sample = MockResponse.json(#"{"name": "Emma"}"#)

        let report = try await forEachFault(in: sample) { network, clock in
            let session = network.urlSession.retrying(.standard, clock: clock)
            let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: session)
            return try await loader.load(42)
        }

        #expect(report[.status(503, retryAfter: "120")] == .error(.validate))
    }

    @Test func endsInTheRightStage() async throws {
        let report = try await checkLoader(
            of: UserRequest(), with: .json(#"{"name": "Emma"}"#), from: 42)

        #expect(report[.status(404)] == .error(.validate))
        #expect(report[.emptyBody] == .error(.parse))
        #expect(report[.hanging] == .error(.transport))

        print(report.table)
        try expectPage("Faults.md", toShow: report.table)
    }
}
