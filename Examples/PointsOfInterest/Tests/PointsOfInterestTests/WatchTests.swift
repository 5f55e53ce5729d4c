import APIKitLite
import APIKitLiteTesting
import Foundation
import PlacesServer
import PointsOfInterest
import Testing
import pois

/// `pois watch`: what it prints, and how it connects again.
@Suite(.timeLimit(.minutes(1))) struct WatchTests {
    private let arguments = ["watch", "--base-url", "https://example.com"]

    private func network(_ count: Int, isFlaky: Bool = false) -> MockNetwork {
        let places = (0..<count).map { number in
            PointOfInterest(
                name: "Place \(number + 1)", kind: "city", country: "XX",
                latitude: 0, longitude: Double(number) / 2)
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
        let network = network(2)

        let run = await CommandRun(arguments, over: MockURLSession(network))

        #expect(
            run.output == """
                Place 1 (city, XX) at 0.0000,0.0000
                Place 2 (city, XX) at 0.0000,0.5000

                """)
        #expect(run.errors.hasPrefix("pois: The server ended the connection. Connecting again in"))
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(lastEventIDs(network) == [nil, "2"])
        #expect(run.exitCode == 0)
    }

    @Test func printsNoPlaceTwiceWhenTheConnectionBreaks() async {
        let network = network(30, isFlaky: true)

        let run = await CommandRun(
            arguments + ["--count", "5", "--json"], over: MockURLSession(network))

        let names = run.output.split(separator: "\n").map { line in
            try? JSONDecoder().decode(PointOfInterest.self, from: Data(line.utf8)).name
        }
        #expect(names == (1...5).map { "Place \($0)" })
        #expect(
            run.errors.hasPrefix(
                "pois: The network connection was lost. Connecting again in "))
        // The first one is answered 503.
        #expect(lastEventIDs(network) == [nil, nil, "3"])
        #expect(run.exitCode == 0)
    }

    @Test func endsAfterACount() async {
        let network = network(30)

        let run = await CommandRun(arguments + ["--count", "1"], over: MockURLSession(network))

        #expect(run.output == "Place 1 (city, XX) at 0.0000,0.0000\n")
        #expect(run.errors == "")
        #expect(run.exitCode == 0)
        await network.waitForResponses(3)
    }

    @Test(
        arguments: [
            (.status(404), "the server answered 404 (Not Found). \(server)"),
            (
                .json(#"{"error": "No\nevents."}"#, status: 400),
                "it answered 400: No events. Add --verbose to see each attempt."
            ),
            (
                .chunks(["data: {\"name\": \"x\"}\n\n"], contentType: "text/event-stream"),
                "its answer is not the expected JSON. \(server)"
            ),
            (.text("<html>"), "its answer is not the expected JSON. \(server)"),
        ] as [(MockResponse, String)])
    func saysWhyThereAreNoEvents(_ response: MockResponse, _ reason: String) async {
        let network = MockNetwork()
        network.stub(.get("/events"), response)

        let run = await CommandRun(arguments, over: MockURLSession(network))

        #expect(run.output == "")
        #expect(
            run.errors == "pois: Cannot load places from https://example.com because \(reason)\n")
        #expect(run.exitCode == 1)
    }

    @Test func givesUpOnAServerThatSendsNoEvents() async {
        let network = MockNetwork()
        network.stub(
            .get("/events"), .chunks([": none\n\n"], contentType: "text/event-stream"),
            times: .any)

        let run = await CommandRun(arguments, over: MockURLSession(network))

        let lines = run.errors.split(separator: "\n")
        #expect(lines.count == 10)
        #expect(lines.last?.contains("because the server's answer ended too early.") == true)
        #expect(run.exitCode == 1)
    }

    @Test func endsWithoutAWordWhenItIsCancelled() async {
        let network = MockNetwork()
        network.stub(.get("/events"), .hanging)
        let session = MockURLSession(network)

        let run = Task { [arguments] in await CommandRun(arguments, over: session) }
        await network.waitForRequests()
        run.cancel()

        #expect(await run.value.errors == "")
        #expect(await run.value.exitCode == 130)
        #expect(network.requests.map(\.wasCancelled) == [true])
    }

    @Test(
        arguments: [
            (nil, ["1", "2", "3"]), ("0", ["1", "2", "3"]), ("2", ["3"]), ("3", nil),
        ] as [(String?, [String]?)])
    func continuesAfterAnEvent(_ id: String?, _ ids: [String]?) async throws {
        let (data, response) = try await events(after: id)

        var parser = ServerSentEvents()
        #expect(response.statusCode == (ids == nil ? 204 : 200))
        #expect(try parser.parse(data).map(\.id) == ids ?? [])
        #expect(parser.retry == (ids == nil ? nil : .milliseconds(500)))
    }

    @Test(arguments: ["4", "-1", "x"])
    func refusesAnotherID(_ id: String) async throws {
        let (data, response) = try await events(after: id)

        #expect(response.statusCode == 400)
        #expect(
            try JSONDecoder().decode(Refusal.self, from: data)
                == Refusal(error: "Last-Event-ID must be the ID of an event, but is \"\(id)\"."))
    }

    @Test func sendsTwoEventsInASecond() async throws {
        let clock = MockClock()
        let places = (1...3).map {
            PointOfInterest(name: "\($0)", kind: "city", country: "XX", latitude: 0, longitude: 0)
        }
        let network = MockNetwork.places(PlacesIndex(places), token: "t", clock: clock)
        let baseURL = try #require(URL(string: "https://example.com"))
        let request = try URLRequest("GET", baseURL, path: "/events").authorization(bearer: "t")
        var events = MockURLSession(network).events(request, clock: clock).makeAsyncIterator()

        #expect(try await events.next()?.id == "1")
        await clock.advance(by: .milliseconds(500))
        #expect(try await events.next()?.id == "2")
        await clock.advance(by: .milliseconds(500))
        #expect(try await events.next()?.id == "3")
    }

    private func events(after id: String?) async throws -> (Data, HTTPURLResponse) {
        let baseURL = try #require(URL(string: "https://example.com"))
        let request = try URLRequest("GET", baseURL, path: "/events")
            .authorization(bearer: "t").header("Last-Event-ID", id)
        let places = (1...3).map {
            PointOfInterest(name: "\($0)", kind: "city", country: "XX", latitude: 0, longitude: 0)
        }
        return try await MockNetwork.places(PlacesIndex(places), token: "t").urlSession
            .exchange(request)
    }
}

private let server = "Check that --base-url names a server of this API."
