import APIKitLiteTesting
import Foundation
import PointsOfInterest
import Testing

/// The program as its user runs it, against this test's own network: how an app is tested from a
/// UI test.
@Suite(.timeLimit(.minutes(2))) struct SecondProcessTests {
    let network = MockNetwork()

    @Test func printsWhatTheServerAnswers() async throws {
        network.stub(
            .get("/locations").query(["lat": "37.3293", "long": "-121.8893", "limit": "2"]),
            .json(encoding: [
                PointOfInterest(
                    name: "Far", kind: "city", country: "US", latitude: 38, longitude: -121.8893),
                PointOfInterest(
                    name: "Near", kind: "airport", country: "US", code: "NRA",
                    latitude: 37.3293, longitude: -121.8),
            ]))
        let server = try network.serve()
        defer { server.stop() }

        let pois = try await Pois(
            "--near", "37.3293,-121.8893", "--limit", "2", "--base-url", server.url.absoluteString)

        #expect(pois.errors == "")
        #expect(
            pois.output == """
                Name  Kind     Distance  Direction
                Near  airport    7.9 km  E
                Far   city      74.6 km  N

                """)
        #expect(pois.exitCode == 0)
        #expect(network.requests.map(\.request.url?.path) == ["/locations"])
        try network.verify()
    }

    @Test func showsExchangesApartFromTheResult() async throws {
        network.stub(.get("/locations"), .json("[]"))
        let server = try network.serve()
        defer { server.stop() }

        let pois = try await Pois(
            "--near", "0.5,0.5", "--base-url", server.url.absoluteString, "--json", "--verbose")

        #expect(
            pois.errors == """
                curl '\(server.url)/locations?lat=0.5&long=0.5&limit=10'
                → 200, 2 bytes

                """)
        #expect(try JSONDecoder().decode([String].self, from: Data(pois.output.utf8)) == [])
        #expect(pois.exitCode == 0)
    }

    @Test(
        arguments: [
            (.status(500), "the server answered 500 (Internal Server Error)."),
            (.json(#"{"error": "Out of maps."}"#, status: 500), "it answered 500: Out of maps."),
            (.text("<html>"), "its answer is not a JSON array of places."),
            (.json(#"{"places": 3}"#), "its answer is not a JSON array of places."),
        ] as [(MockResponse, String)])
    func saysWhyThereIsNoResult(_ response: MockResponse, _ reason: String) async throws {
        network.stub(.get("/locations"), response)
        let server = try network.serve()
        defer { server.stop() }

        let pois = try await Pois("--near", "1,1", "--base-url", server.url.absoluteString)

        #expect(pois.output == "")
        #expect(pois.errors == "pois: Cannot load places from \(server.url): \(reason)\n")
        #expect(pois.exitCode == 1)
        try network.verify()
    }

    @Test func saysThatNobodyListens() async throws {
        let server = try network.serve()
        server.stop()

        let pois = try await Pois("--near", "1,1", "--base-url", server.url.absoluteString)

        #expect(
            pois.errors
                == "pois: Cannot load places from \(server.url): "
                + "the server could not be reached.\n")
        #expect(pois.exitCode == 1)
    }

    @Test func saysThatThePortIsTaken() async throws {
        let server = try network.serve()
        defer { server.stop() }

        let pois = try await Pois("--serve", "\(server.port)")

        #expect(
            pois.errors
                == "pois: Port \(server.port) is in use; "
                + "choose another, or 0 for any that is free.\n")
        #expect(pois.exitCode == 1)
    }

    @Test func saysWhatIsWrongWithTheArguments() async throws {
        let pois = try await Pois("--near", "91,0")

        #expect(pois.output == "")
        #expect(
            pois.errors == """
                pois: --near takes a latitude from -90 to 90 and a longitude from -180 to 180, \
                not "91,0".

                """)
        #expect(pois.exitCode == 64)
    }

    @Test func helps() async throws {
        let pois = try await Pois("--help")

        #expect(pois.output.hasPrefix("Lists the airports and cities"))
        #expect(pois.exitCode == 0)
    }

    @Test func loadsFromItsOwnServerPastDeadProxies() async throws {
        let names = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy"]
        var environment = Dictionary(uniqueKeysWithValues: names.map { ($0, "http://127.0.0.1:1") })
        environment["no_proxy"] = "example.com"

        let pois = try await Pois("--near", "37.3293,-121.8893", environment: environment)

        #expect(pois.errors == "")
        #expect(pois.output.contains("Mineta San Jose International Airport"))
        #expect(pois.exitCode == 0)
    }
}
