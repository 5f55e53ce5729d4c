import APIKitLite
import APIKitLiteTesting
import Foundation
import PlacesServer
import PointsOfInterest
import Testing
import pois

/// `pois watch`: what it prints, and how it connects again.
@Suite(.timeLimit(.minutes(20))) struct WatchTests {
    private let arguments = ["watch", "--base-url", "https://example.com"]

    private func places(_ count: Int, isFlaky: Bool = false) -> MockNetwork {
        let places = (1...count).map {
            PointOfInterest(
                name: "Place \($0)", kind: "city", country: "XX", latitude: 0, longitude: 0)
        }
        return .places(PlacesIndex(places), isFlaky: isFlaky)
    }

    /// The ID that each connection sent, without those that had no token.
    private func lastEventIDs(_ network: MockNetwork) -> [String?] {
        network.requests
            .filter { $0.path == "/events" && $0.header("Authorization") != nil }
            .map { $0.header("Last-Event-ID") }
    }

    @Test func printsPlacesUpToTheLast() async {
        let network = places(2)

        let run = await CommandRun(arguments, over: network)

        #expect(run.output == "Place 1 (city, XX)\nPlace 2 (city, XX)\n")
        #expect(run.errors.hasPrefix("pois: The server ended the connection. Connecting again in"))
        #expect(lastEventIDs(network) == [nil, "2"])
        #expect(run.exitCode == 0)
    }

    @Test func printsNoPlaceTwiceWhenTheConnectionBreaks() async {
        let network = places(30, isFlaky: true)

        let run = await CommandRun(arguments + ["--limit", "5"], over: network)

        #expect(run.output.split(separator: "\n") == (1...5).map { "Place \($0) (city, XX)" })
        #expect(run.errors.hasPrefix("pois: The network connection was lost. Connecting again in"))
        // The first one gets a 503.
        #expect(lastEventIDs(network) == [nil, nil, "3"])
        #expect(run.exitCode == 0)
    }

    @Test func saysThatAnEventIsNoPlace() async {
        let network = MockNetwork()
        network.stub(
            .get("/events"),
            .chunks(["data: {\"name\": \"x\"}\n\n"], contentType: "text/event-stream"))

        let run = await CommandRun(arguments, over: network)

        #expect(
            run.errors == "pois: The server's response could not be understood. "
                + "Check that --base-url names a server of this API.\n")
        #expect(run.exitCode == 1)
    }

    /// The feed was quiet: a server that ends a quiet connection is no error.
    @Test func staysConnectedToAServerThatSendsNoEvents() async {
        let network = places(1)
        network.stub(
            .get("/events"), .chunks([": none\n\n"], contentType: "text/event-stream"),
            times: .exactly(12))

        let run = await CommandRun(arguments + ["--limit", "1"], over: network)

        #expect(run.output == "Place 1 (city, XX)\n")
        #expect(run.errors.split(separator: "\n").count == 12)
        #expect(run.exitCode == 0)
    }

    @Test func endsWithoutAWordWhenItIsCancelled() async {
        let network = MockNetwork()
        network.stub(.get("/events"), .hanging)

        let task = Task { [arguments] in await CommandRun(arguments, over: network) }
        await network.waitForRequests()
        task.cancel()

        #expect(await task.value.errors == "")
        #expect(await task.value.exitCode == 130)
        #expect(network.requests.map(\.wasCancelled) == [true])
    }

    @Test func readsTwoEventsInASecond() async throws {
        let clock = MockClock()
        let index = PlacesIndex(
            (1...3).map {
                PointOfInterest(
                    name: "\($0)", kind: "city", country: "XX", latitude: 0, longitude: 0)
            })
        let network = MockNetwork.places(index, token: "t", clock: clock)
        let baseURL = try #require(URL(string: "https://example.com"))
        let session = placesSession(over: network, from: baseURL, clock: clock)
        let client = PlacesClient(baseURL: baseURL, session: session)
        var events = try client.newPlaces(clock: clock).makeAsyncIterator()

        #expect(try await events.next()?.id == "1")
        await clock.advance(by: .milliseconds(500))
        #expect(try await events.next()?.id == "2")
        await clock.advance(by: .milliseconds(500))
        #expect(try await events.next()?.id == "3")
    }
}
