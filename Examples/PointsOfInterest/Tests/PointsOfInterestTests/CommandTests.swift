import APIKitLite
import APIKitLiteTesting
import Foundation
import PlacesServer
import PointsOfInterest
import Testing
import pois

/// The command as a function: what it sends, what it writes, and its exit code.
@Suite(.timeLimit(.minutes(1))) struct CommandTests {
    private let base = ["--base-url", "https://example.com"]

    private func network(isFlaky: Bool = false) -> MockNetwork {
        let places = (1...250).map { number in
            PointOfInterest(
                name: "Place \(1000 + number)", kind: "city", country: "XX",
                latitude: 0, longitude: Double(number) / 10)
        }
        return .places(PlacesIndex(places), isFlaky: isFlaky)
    }

    @Test func searches() async {
        let run = await CommandRun(
            ["--search", "1001"] + base, over: MockURLSession(network()))

        #expect(
            run.output == """
                Name        Kind  Country  Latitude  Longitude
                Place 1001  city  XX         0.0000     0.1000

                """)
        #expect(run.errors == "")
        #expect(run.exitCode == 0)
    }

    @Test func saysThatThereIsMore() async {
        let run = await CommandRun(
            ["--search", "place", "--limit", "2"] + base, over: MockURLSession(network()))

        #expect(run.output.hasSuffix("There are more places; --all lists all of them.\n"))
        #expect(run.output.split(separator: "\n").count == 4)
    }

    @Test func loadsAllPages() async throws {
        let network = network()

        let run = await CommandRun(
            ["--search", "place", "--all", "--json"] + base, over: MockURLSession(network))

        let places = try JSONDecoder().decode([PointOfInterest].self, from: Data(run.output.utf8))
        #expect(places.map(\.name) == (1...250).map { "Place \(1000 + $0)" })
        let pages = network.requests.filter {
            $0.path == "/search" && $0.header("Authorization") != nil
        }
        #expect(pages.map { $0.query["cursor"] } == [nil, "100", "200"])
    }

    @Test func succeedsWhereTheServerIsBusyNowAndThen() async throws {
        let network = network(isFlaky: true)

        let run = await CommandRun(
            ["--search", "place", "--all", "--json"] + base, over: MockURLSession(network))

        let places = try JSONDecoder().decode([PointOfInterest].self, from: Data(run.output.utf8))
        #expect(places.count == 250)
        #expect(run.errors == "")
        // 401, token, then busy, page 1, page 2, busy, page 3.
        #expect(network.requests.count == 7)
    }

    @Test func showsAttemptsOnStandardError() async {
        let run = await CommandRun(
            ["--near", "0,0", "--limit", "1", "--verbose"] + base,
            over: MockURLSession(network(isFlaky: true)))

        let lines = run.errors.split(separator: "\n")
        #expect(lines.count == 10)
        #expect(lines.filter { $0.hasPrefix("load #1 GET https://example.com/loc") }.count == 2)
        #expect(lines.filter { $0.hasPrefix("attempt #") }.count == 8)
        #expect(lines.filter { $0.contains(": 503 (Service Unavailable)") }.count == 1)
        #expect(run.output.contains("Place 1001"))
    }

    @Test func saysWhatToDoAboutATimeout() async {
        let network = MockNetwork()
        network.stub(.get("/locations"), .error(.timedOut))

        let run = await CommandRun(["--near", "0,0"] + base, over: MockURLSession(network))

        #expect(
            run.errors == "pois: Cannot load places from https://example.com because the request "
                + "timed out. Allow more time with --timeout, or try again later.\n")
        #expect(network.requests.count == 3)
        #expect(run.exitCode == 1)
    }

    @Test func writesAFailedLoadAsJSON() async throws {
        let network = MockNetwork()
        network.stub(.get("/locations"), .json(#"{"error": "Out of maps."}"#, status: 500))

        let run = await CommandRun(
            ["--near", "0,0", "--json"] + base, over: MockURLSession(network))

        #expect(run.output == "")
        #expect(
            run.errors == """
                {"error":"Cannot load places from https://example.com because it answered 500: \
                Out of maps.","hint":"Try again later."}

                """)
        #expect(run.exitCode == 1)
    }

    @Test(arguments: [
        (["--limt", "3"], "There is no option \"--limt\".", "Did you mean --limit?"),
        (["--near"], "--near needs a value.", "For example: --near 37.3293,-121.8893"),
        (
            ["--timeout", "0", "--near", "1,1"], "--timeout cannot be \"0\".",
            "Give seconds from 0.001 to 3600."
        ),
    ])
    func writesAWrongCommandLineAsJSON(
        _ arguments: [String], _ error: String, _ hint: String
    ) async throws {
        let run = await CommandRun(["--json"] + arguments)

        #expect(run.output == "")
        #expect(
            try JSONDecoder().decode([String: String].self, from: Data(run.errors.utf8))
                == ["error": error, "hint": hint])
        #expect(run.exitCode == 64)
    }

    @Test func printsItsVersion() async {
        let run = await CommandRun(["--version"])

        #expect(run.output == "pois 0.1.0\n")
        #expect(run.exitCode == 0)
    }

    @Test func announcesItsServerWithTextToCopy() throws {
        let url = try #require(URL(string: "http://127.0.0.1:8080"))

        #expect(
            announcement(of: url, placeCount: 3, token: "abc") == """
                Serving 3 places at http://127.0.0.1:8080
                Stop the server with control-C. To try it:
                curl -H 'Authorization: Bearer abc' 'http://127.0.0.1:8080/search?q=San%20Jose'
                pois --base-url http://127.0.0.1:8080 --search 'San Jose'

                """)
    }
}
