import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The samples of GettingStarted.md.
@Suite(.limited) struct GettingStartedSamples {
    struct Coordinate: Sendable {
        var latitude: Double
        var longitude: Double
    }

    struct PointOfInterest: Decodable, Equatable, Sendable { var name: String }

    struct PointsOfInterestRequest: APIRequest {
        var baseURL = URL(string: "https://example.com")!

        func makeRequest(from coordinate: Coordinate) throws -> URLRequest {
            try URLRequest(
                "GET", baseURL, path: "/locations",
                query: ["lat": coordinate.latitude, "long": coordinate.longitude])
        }

        func parseResponse(data: Data) throws -> [PointOfInterest] {
            try jsonDecoder.decode([PointOfInterest].self, from: data)
        }
    }

    @MainActor struct PlacesTests {
        let request = PointsOfInterestRequest()
        let coordinate = Coordinate(latitude: 37.3293, longitude: -121.8893)

        @Test func asksForTheCoordinate() throws {
            let urlRequest = try request.makeRequest(from: coordinate)

            #expect(urlRequest.url?.path == "/locations")
            #expect(urlRequest.url?.query() == "lat=37.3293&long=-121.8893")
        }

        @Test func parsesPlaces() throws {
            let places = try request.parseResponse(
                data: Data(#"[{"name": "My Location"}]"#.utf8))

            #expect(places == [PointOfInterest(name: "My Location")])
        }
    }

    @MainActor struct LoaderTests {
        let request = PointsOfInterestRequest()
        let coordinate = Coordinate(latitude: 37.3293, longitude: -121.8893)

        @Test func loadsPlaces() async throws {
            let network = MockNetwork()
            network.requestHandler = { request in
                #expect(request.url?.query()?.contains("lat=37.3293") == true)
                return (HTTPURLResponse(), Data(#"[{"name": "My Location"}]"#.utf8))
            }
            let loader = APIRequestLoader(apiRequest: request, urlSession: network)

            let places = try await loader.load(coordinate)

            #expect(places == [PointOfInterest(name: "My Location")])
        }

        @Test func loadsPlacesFromAStub() async throws {
            let network = MockNetwork()
            network.stub(
                .get("/locations").query(["lat": "37.3293"]),
                .json(#"[{"name": "My Location"}]"#))
            let loader = APIRequestLoader(apiRequest: request, urlSession: network)

            let places = try await loader.load(coordinate)

            #expect(places == [PointOfInterest(name: "My Location")])
            try network.verify()
        }
    }

    /// The page's request with another name in its query.
    @Test func saysWhatTheStubExpected() async throws {
        let network = MockNetwork()
        network.stub(
            .get("/locations").query(["lat": "37.3293"]),
            .json(#"[{"name": "My Location"}]"#), fileID: "PlacesTests/PlacesTests.swift")
        let request = try URLRequest(
            "GET", URL(string: "https://example.com")!, path: "/locations",
            query: ["latitude": 37.3293, "long": -121.8893])

        let error = try await #require(throws: APIRequestError.self) {
            try await network.load(request, as: Data.self)
        }

        // The page's first line also names the test and the request's type.
        let lines = error.description.split(separator: "\n").dropFirst()
        try expectPage("GettingStarted.md", toShow: lines.joined(separator: "\n"))
    }
}
