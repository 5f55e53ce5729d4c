import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

struct LanguageSession: SessionPolicy {
    let next: any HTTPSession
    let language: String

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        try await next.send(
            request.header("Accept-Language", language), awaiting: options)
    }
}

extension HTTPSession {
    func asking(in language: String) -> LanguageSession {
        LanguageSession(next: self, language: language)
    }
}

struct OfflineSession: HTTPSession {
    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        throw URLError(.notConnectedToInternet)
    }
}

/// The samples of Policies.md.
@Suite(.limited, .usesSockets) struct PoliciesSamples {
    typealias User = TestingSamples.User
    typealias UserRequest = TestingSamples.UserRequest

    let baseURL = URL(string: "https://api.example.com")!

    var firstSession: any HTTPSession {
        URLSession.shared
            .timingOut(after: .seconds(30))
            .retrying()
            .observed { print($0) }
    }

    func appSession<A>(_ tokens: Credentials<A>, _ log: ExchangeObserver) -> any HTTPSession {
        URLSession.shared
            .timingOut(after: .seconds(30))
            .limited(to: 6)
            .coalescing()
            .authenticated(by: tokens)
            .retrying(.standard)
            .observed(by: log)
    }

    @Test func theChainsOfThePageAreSessions() {
        _ = firstSession
        _ = appSession(.bearer("token", for: baseURL), ExchangeObserver { _ in })
    }

    @Test func sendsItsVersion() async throws {
        let network = MockNetwork()
        network.stub(
            .get("/users/{id}").header("API-Version", "2"), .json(#"{"name": "Emma"}"#))
        let session = MockURLSession(network).intercepting { request, next in
            try await next(request.header("API-Version", "2"))
        }

        let user = try await session.load(UserRequest(), 42)

        #expect(user.name == "Emma")
    }

    @Test func hasAPolicyOfItsOwn() async throws {
        let network = MockNetwork()
        network.stub(.any.header("Accept-Language", "fr"), .json(#"{"name": "Emma"}"#))

        let session = MockURLSession(network).asking(in: "fr").retrying()

        #expect(try await session.load(UserRequest(), 42).name == "Emma")
    }

    @Test func hasATransportOfItsOwn() async throws {
        let error = await #expect(throws: APIRequestError.self) {
            try await OfflineSession().load(UserRequest(), 42)
        }

        #expect(error?.stage == .transport)
    }

    @Test func chainsShareALimit() async throws {
        let network = MockNetwork()
        let stub = network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#).held)
        let transport = MockURLSession(network)
        let limit = RequestLimit(4)
        let session = transport.timingOut(after: .seconds(30)).limited(by: limit)
        let uploads = transport.timingOut(after: .seconds(300)).limited(by: limit)

        let loads = (1...8).map { id in
            let session: any HTTPSession = id.isMultiple(of: 2) ? session : uploads
            return Task { try await session.load(UserRequest(), id) }
        }
        await stub.waitForRequests(4)
        stub.release()

        for load in loads { _ = try await load.value }
        #expect(network.requests.count == 8)
        #expect(network.mostInFlight == 4)
    }
}
