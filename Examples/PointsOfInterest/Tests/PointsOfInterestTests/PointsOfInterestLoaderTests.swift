import APIKitLite
import APIKitLiteTesting
import Foundation
import PointsOfInterest
import Testing

/// The whole call, over a network that belongs to each test.
@Suite struct PointsOfInterestLoaderTests {
    let network = MockNetwork()
    let conventionCentre = Coordinate(latitude: 37.3293, longitude: -121.8893)

    var loader: APIRequestLoader<PointsOfInterestRequest> {
        APIRequestLoader(
            apiRequest: PointsOfInterestRequest(baseURL: URL(string: "https://example.com")!),
            urlSession: network.urlSession)
    }

    /// With the `requestHandler` closure of WWDC 2018 session 417. The other tests use stubs.
    @Test func loadsPlacesFromAHandler() async throws {
        network.requestHandler = { request in
            #expect(request.url?.query()?.contains("lat=37.3293") == true)
            let body =
                #"[{"name": "San Jose", "kind": "city", "country": "US", "#
                + #""latitude": 37.34, "longitude": -121.9}]"#
            return (HTTPURLResponse(), Data(body.utf8))
        }

        let places = try await loader.load(conventionCentre)

        #expect(places.map(\.name) == ["San Jose"])
    }

    @Test func loadsPlaces() async throws {
        let airport = PointOfInterest(
            name: "Mineta San Jose International Airport", kind: "airport", country: "US",
            code: "SJC", latitude: 37.36299, longitude: -121.92862)
        network.stub(
            .get("/locations").query(["lat": "37.3293", "long": "-121.8893"]),
            .json(encoding: [airport]))

        let places = try await loader.load(conventionCentre)

        #expect(places == [airport])
        try network.verify()
    }

    @Test func loadsAnEmptyList() async throws {
        network.stub(.get("/locations"), .json("[]"))

        #expect(try await loader.load(conventionCentre).isEmpty)
    }

    @Test func reportsAnErrorOfTheServer() async throws {
        network.stub(.get("/locations"), .json(#"{"error": "out of maps"}"#, status: 500))

        let error = try await #require(throws: APIRequestError.self) {
            try await loader.load(conventionCentre)
        }

        #expect(error.stage == .validate)
        #expect(error.statusCode == 500)
        #expect(error.underlying as? Refusal == Refusal(error: "out of maps"))
    }

    @Test func reportsAPageOfHTML() async throws {
        network.stub(.get("/locations"), .text("<html>Log in to the hotel's network</html>"))

        let error = try await #require(throws: APIRequestError.self) {
            try await loader.load(conventionCentre)
        }

        #expect(error.stage == .parse)
        #expect("\(error)".contains("The body is HTML or XML, where JSON was expected."))
    }

    @Test func printsWhereTheResponseIsWrong() async throws {
        network.stub(
            .get("/locations"),
            .json(
                #"[{"name": "San Jose", "kind": "city", "country": "US", "lat": 37.34, "#
                    + #""longitude": -121.9}]"#))

        let error = try await #require(throws: APIRequestError.self) {
            try await loader.load(conventionCentre)
        }

        let readme = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../README.md")
        #expect(try String(contentsOf: readme, encoding: .utf8).contains("\(error)"))
    }

    @Test func sendsNothingForACoordinateOffTheGlobe() async throws {
        let error = try await #require(throws: APIRequestError.self) {
            try await loader.load(Coordinate(latitude: 91, longitude: 0))
        }

        #expect(error.stage == .makeRequest)
        #expect(error.underlying is InvalidCoordinate)
        #expect(network.requests.isEmpty)
    }
}
