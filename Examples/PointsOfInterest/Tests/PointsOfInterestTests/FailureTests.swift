import APIKitLite
import APIKitLiteTesting
import Foundation
import PointsOfInterest
import Testing
import pois

@Suite struct FailureTests {
    private static let later = "Try again later."
    private static let server = "Check that --base-url names a server of this API."

    @Test(
        arguments: [
            (
                .error(.cannotConnectToHost), "the server could not be reached.",
                "Check --base-url, or leave it out to use the server inside pois."
            ),
            (
                .error(.timedOut), "the request timed out.",
                "Allow more time with --timeout, or try again later."
            ),
            (
                .error(.notConnectedToInternet),
                "the internet connection appears to be offline.",
                "Check the internet connection."
            ),
            (
                .error(.httpTooManyRedirects),
                "the server redirected the request too many times.",
                "Add --verbose to see each attempt."
            ),
            (.status(500), "the server answered 500 (Internal Server Error).", later),
            (.json(#"{"error": "No\nmaps."}"#, status: 503), "it answered 503: No maps.", later),
            (.status(404), "the server answered 404 (Not Found).", server),
            (.text("<html>"), "its answer is not the expected JSON.", server),
            (.json(#"{"name": "x"}"#), "its answer is not the expected JSON.", server),
        ] as [(MockResponse, String, String)])
    func namesTheServerTheReasonAndTheCure(
        _ response: MockResponse, _ reason: String, _ hint: String
    ) async throws {
        let network = MockNetwork()
        network.stub(.any, response)
        let baseURL = try #require(URL(string: "http://emma:secret@example.com:8080/v1?key=secret"))

        let failure = Failure(try await error(network, from: baseURL), from: baseURL)

        #expect(
            failure.error
                == "Cannot load places from http://example.com:8080/v1 because \(reason)")
        #expect(failure.hint == hint)
        #expect(failure.exitCode == 1)
    }

    @Test func saysThatTheSignInFailed() async throws {
        let network = MockNetwork()
        network.stub(.get("/locations"), .status(401))
        network.stub(.post("/token"), .json(#"{"error": "Go away."}"#, status: 403))
        let baseURL = try #require(URL(string: "http://example.com"))

        let failure = Failure(try await error(network, from: baseURL), from: baseURL)

        #expect(
            failure.error == "Cannot load places from http://example.com because the sign-in "
                + "failed: it answered 403: Go away.")
        #expect(failure.hint == Self.server)
    }

    @Test func printsWhereTheAnswerIsWrong() async throws {
        let network = MockNetwork()
        network.stub(
            .get("/locations"),
            .json(
                #"[{"name": "San Jose", "kind": "city", "country": "US", "lat": 37.34, "#
                    + #""longitude": -121.9}]"#))
        let baseURL = try #require(URL(string: "http://127.0.0.1:8080"))

        let error = try await error(network, from: baseURL)

        #expect(
            "\(error)" == """
                PointsOfInterestRequest: GET http://127.0.0.1:8080/locations?lat=37.3293&\
                long=-121.8893&limit=1 got an answer that could not be parsed (stage .parse).
                The server answered 200 (OK) with 90 bytes, application/json.
                At $[0]: the key "latitude" is missing. The keys there: "country", "kind", \
                "lat", "longitude", "name".
                Body: [{"country":"US","kind":"city","lat":37.34,"longitude":-121.9,\
                "name":"San Jose"}]
                curl 'http://127.0.0.1:8080/locations?lat=37.3293&long=-121.8893&limit=1'
                """)
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(
            contentsOf: package.appendingPathComponent("README.md"), encoding: .utf8)
        #expect(readme.contains("\(error)"))
    }

    private func error(_ network: MockNetwork, from baseURL: URL) async throws -> APIRequestError {
        // Without waits between attempts.
        let clock = MockClock()
        let waits = clock.endingWaits()
        defer { waits.cancel() }
        let session = placesSession(over: network.urlSession, from: baseURL, clock: clock)
        return try await #require(throws: APIRequestError.self) {
            try await PlacesClient(baseURL: baseURL, session: session)
                .places(near: Coordinate(latitude: 37.3293, longitude: -121.8893), limit: 1)
        }
    }

    @Test func saysWhatToDoAboutAPort() {
        #expect(
            Failure(LoopbackServerError.portInUse(8080)).line(asJSON: false)
                == "pois: Port 8080 is in use. Choose another port, or 0 for any free port.\n")
        #expect(
            Failure(LoopbackServerError.cannotListen(port: 80, reason: "Permission denied"))
                .line(asJSON: true)
                == #"{"error":"Port 80 cannot be used (Permission denied).","#
                + #""hint":"Choose another port, or 0 for any free port."}"# + "\n")
    }

    @Test(
        arguments: [
            ("127.0.0.1", [:], "127.0.0.1"),
            ("localhost", ["no_proxy": ""], "localhost"),
            ("[::1]", ["no_proxy": "a.test, b.test"], "a.test,b.test,::1"),
            ("127.0.0.1", ["NO_PROXY": "a.test"], "a.test,127.0.0.1"),
            ("127.0.0.1", ["no_proxy": "a.test", "NO_PROXY": "b.test"], "a.test,127.0.0.1"),
            ("127.0.0.1", ["no_proxy": "a.test,127.0.0.1"], nil),
            ("127.0.0.1", ["no_proxy": "*"], nil),
            ("example.com", [:], nil),
        ] as [(String, [String: String], String?)])
    func keepsServersOfThisMachineOffProxies(
        _ host: String, _ environment: [String: String], _ value: String?
    ) {
        #expect(noProxy(for: host, environment: environment) == value)
    }
}
