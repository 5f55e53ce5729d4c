import APIKitLite
import APIKitLiteTesting
import Foundation
import PlacesServer
import PointsOfInterest
import Testing
import pois

/// The command as a function: what it sends, what it writes, and its exit code.
@Suite(.timeLimit(.minutes(20))) struct CommandTests {
    private let base = ["--base-url", "https://example.com"]

    private func places(isFlaky: Bool = false) -> MockNetwork {
        let places = (1...250).map { number in
            PointOfInterest(
                name: "Place \(1000 + number)", kind: "city", country: "XX",
                latitude: 0, longitude: Double(number) / 10)
        }
        return .places(PlacesIndex(places), isFlaky: isFlaky)
    }

    @Test func printsTheNearestPlaces() async {
        let run = await CommandRun(["--near", "0,0", "--limit", "2"] + base, over: places())

        #expect(run.output == "Place 1001 (city, XX), 11.1 km\nPlace 1002 (city, XX), 22.2 km\n")
        #expect(run.errors == "")
        #expect(run.exitCode == 0)
    }

    @Test(arguments: [40, 32, 10])
    func shortensNamesForANarrowTerminal(_ columns: Int) async {
        let place = PointOfInterest(
            name: "Reid-Hillview Of Santa Clara County Airport", kind: "airport", country: "US",
            latitude: 0, longitude: 0.1)
        let network = MockNetwork.places(PlacesIndex([place]))

        let run = await CommandRun(["--near", "0,0"] + base, over: network, columns: columns)

        let lines = [
            40: "Reid-Hillview Of… (airport, US), 11.1 km\n",
            32: "Reid-Hil… (airport, US), 11.1 km\n",
            10: "… (airport, US), 11.1 km\n",
        ]
        #expect(run.output == lines[columns])
    }

    @Test func printsJSON() async {
        let run = await CommandRun(["--search", "1001", "--json"] + base, over: places())

        #expect(
            run.output
                == #"{"country":"XX","kind":"city","latitude":0,"longitude":0.1,"name":"Place 1001"}"#
                + "\n")
    }

    @Test func loadsNoMorePagesThanItPrints() async {
        let network = places()

        let run = await CommandRun(["--search", "place"] + base, over: network)

        #expect(run.output.split(separator: "\n").count == 10)
        // 401, token, then a page.
        #expect(network.requests.count == 3)
    }

    @Test func loadsAllPagesFromAServerThatIsBusyNowAndThen() async throws {
        let network = places(isFlaky: true)

        let run = await CommandRun(["--search", "place", "--all"] + base, over: network)

        #expect(
            run.output.split(separator: "\n") == (1...250).map { "Place \(1000 + $0) (city, XX)" })
        #expect(run.errors == "")
        // 401, token, then busy, page 1, page 2, busy, page 3.
        #expect(
            network.requests.map { $0.query["cursor"] } == [
                nil, nil, nil, nil, "100", "200", "200",
            ])
    }

    @Test func showsAttemptsOnStandardError() async {
        let run = await CommandRun(
            ["--near", "0,0", "--verbose"] + base, over: places(isFlaky: true))

        let lines = run.errors.split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("load #1 GET https://example.com/loc") }.count == 2)
        #expect(lines.filter { $0.hasPrefix("attempt #") }.count == 8)
        #expect(lines.filter { $0.contains(": 503 (Service Unavailable)") }.count == 1)
    }

    private static let later = "Try again later."
    private static let server = "Check that --base-url names a server of this API."

    @Test(
        arguments: [
            (
                .error(.cannotConnectToHost),
                "The server could not be reached. Check --base-url, "
                    + "or leave it out to use the server inside pois."
            ),
            (
                .error(.timedOut),
                "The request timed out. Allow more time with --timeout, or try again later."
            ),
            (.status(500), "The server responded with 500 (Internal Server Error). \(later)"),
            (.json(#"{"error": "No maps."}"#, status: 503), "No maps. \(later)"),
            (.status(404), "The server responded with 404 (Not Found). \(server)"),
            (
                .status(401),
                "The sign-in failed. The server responded with 404 (Not Found). \(server)"
            ),
            (.text("<html>"), "The server's response could not be understood. \(server)"),
            (
                .error(.httpTooManyRedirects),
                "The server redirected the request too many times. "
                    + "Add --verbose to see each attempt."
            ),
        ] as [(MockResponse, String)])
    func saysWhatIsWrongAndWhatToDo(_ response: MockResponse, _ sentences: String) async {
        let network = MockNetwork()
        network.stub(.get("/locations"), response)
        network.stub(.post("/token"), .status(404), times: .any)

        let run = await CommandRun(["--near", "0,0"] + base, over: network)

        #expect(run.output == "")
        #expect(run.errors == "pois: \(sentences)\n")
        #expect(run.exitCode == 1)
    }

    @Test(arguments: [
        ([], "There must be one thing to do, such as --near 37.3293,-121.8893."),
        (
            ["watch", "download"],
            "There must be one thing to do, such as --near 37.3293,-121.8893."
        ),
        (["--limt", "3"], "There is no option --limt. Did you mean --limit?"),
        (["watc"], "There is no command watc. Did you mean watch?"),
        (["donwload"], "There is no command donwload. Did you mean download?"),
        (["find", "SJC"], "There is no command find."),
        (["-v"], "There is no option -v."),
        (["--near"], "--near needs degrees such as 37.3293,-121.8893."),
        (["--near", "91,0"], "--near needs degrees such as 37.3293,-121.8893."),
        (["watch", "--limit", "0"], "--limit needs a number from 1."),
        (["watch", "--timeout", "nan"], "--timeout needs seconds from 0.001 to 3600."),
        (["watch", "--base-url", "/v1"], "--base-url needs an http URL."),
    ])
    func refusesAWrongCommandLine(_ arguments: [String], _ sentence: String) async {
        let run = await CommandRun(arguments)

        #expect(run.output == "")
        #expect(run.errors == "pois: \(sentence) See --help.\n")
        #expect(run.exitCode == 64)
    }

    @Test func readsItsOptions() throws {
        let options = try Options([
            "--limit", "3", "--near", "-33.87,151.21", "--timeout", "2.5", "--slow",
        ])

        #expect(options.action == .find(near: Coordinate(latitude: -33.87, longitude: 151.21)))
        #expect(options.limit == 3)
        #expect(options.timeout == .seconds(2.5))
        #expect(options.isSlow && !options.isFlaky)
    }

    @Test func helpsInEightyColumns() async {
        let run = await CommandRun(["--near", "--help"])

        #expect(run.output.hasPrefix("Lists airports and cities"))
        #expect(run.output.split(separator: "\n").filter { $0.count > 80 } == [])
        #expect(run.exitCode == 0)
    }
}
