import APIKitLite
import APIKitLiteTesting
import Foundation
import PlacesServer
import PointsOfInterest
import Testing

/// The chain of policies, over the example's own server without its socket.
@Suite(.timeLimit(.minutes(20))) struct PlacesSessionTests {
    let clock = MockClock()
    let log = Log()
    let baseURL = URL(string: "https://example.com")!
    let origin = Coordinate(latitude: 0, longitude: 0)

    func client(_ network: MockNetwork) -> PlacesClient {
        let session = placesSession(
            over: network, from: baseURL, timeout: .seconds(5), clock: clock,
            log: { [log] in log.append($0) })
        return PlacesClient(baseURL: baseURL, session: session)
    }

    @Test func signsInOnce() async throws {
        let network = MockNetwork.places(PlacesIndex([]), token: "abc")
        let client = client(network)

        _ = try await client.places(near: origin, limit: 1)
        _ = try await client.places(near: origin, limit: 1)

        #expect(
            network.requests.map(\.path) == ["/locations", "/token", "/locations", "/locations"])
        #expect(
            network.requests.map { $0.header("Authorization") }
                == [nil, nil, "Bearer abc", "Bearer abc"])
    }

    @Test func signsInToNoServerThatNeedsNoToken() async throws {
        let network = MockNetwork()
        network.stub(.get("/locations"), .json("[]"))

        _ = try await client(network).places(near: origin, limit: 1)

        #expect(network.requests.count == 1)
        try network.verify()
    }

    @Test func showsEachAttemptAndEachLoad() async throws {
        let network = MockNetwork.places(PlacesIndex([]), isFlaky: true)
        let client = client(network)

        async let places = client.places(near: origin, limit: 1)
        await clock.waitForSleepers()
        // As long as the busy server asks for.
        #expect(clock.pending == [.seconds(1)])
        await clock.advance(by: .seconds(1))
        #expect(try await places == [])

        let load = "GET https://example.com/locations?lat=0.0&long=0.0&limit=1"
        let signIn = "POST https://example.com/token"
        #expect(
            log.entries == [
                "load #1 \(load)",
                "attempt #1 \(load)",
                "attempt #1 \(load): 401 (Unauthorized), 47 bytes, 0.000 s",
                "attempt #2 \(signIn)",
                "attempt #2 \(signIn): 200 (OK), 77 bytes, 0.000 s",
                "attempt #3 \(load)",
                "attempt #3 \(load): 503 (Service Unavailable), 31 bytes, 0.000 s",
                "attempt #4 \(load)",
                "attempt #4 \(load): 200 (OK), 2 bytes, 0.000 s",
                "load #1 \(load): 200 (OK), 2 bytes, 1.000 s",
            ])
    }

    @Test func showsARejectedLoadOnce() async throws {
        let network = MockNetwork()
        network.stub(.get("/locations"), .text("<html>"))
        let client = client(network)

        await #expect(throws: APIRequestError.self) {
            try await client.places(near: origin, limit: 1)
        }

        let rejections = log.entries.filter { $0.contains("stage .parse") }
        #expect(rejections.count == 1)
        let start = "load #1 PointsOfInterestRequest: GET https://example.com/locations"
        #expect(rejections.first?.hasPrefix(start) == true)
    }

    @Test func givesEachAttemptTheTimeout() async throws {
        let network = MockNetwork()
        network.stub(.get("/locations"), .hanging, .json("[]"))
        let client = client(network)

        async let places = client.places(near: origin, limit: 1)
        await network.waitForRequests()
        await clock.advance(by: .seconds(5))
        await clock.waitForSleepers()
        await clock.advance(by: .seconds(1))

        #expect(try await places == [])
        #expect(log.entries[2].hasSuffix("The request timed out. (URLError -1001), 5.000 s"))
    }

    @Test func reportsThatTheSignInFailed() async throws {
        let network = MockNetwork()
        network.stub(.get("/locations"), .status(401))
        network.stub(.post("/token"), .status(404))

        let error = try await #require(throws: APIRequestError.self) {
            try await client(network).places(near: origin, limit: 1)
        }

        #expect((error.underlying as? UnacceptableStatusError)?.statusCode == 404)
    }
}
