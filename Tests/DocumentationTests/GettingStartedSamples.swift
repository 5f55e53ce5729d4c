import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The samples of GettingStarted.md.
@Suite(.limited, .usesSockets) struct GettingStartedSamples {
    struct Coordinate: Sendable {
        var latitude: Double
        var longitude: Double
    }

    struct PointOfInterest: Decodable, Equatable, Sendable {
        var name: String
    }

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

    @MainActor final class PlacesModel {
        private(set) var places: [PointOfInterest] = []
        private(set) var message: String?
        private let loader: APIRequestLoader<PointsOfInterestRequest>

        init(urlSession: any HTTPSession = URLSession.shared) {
            loader = APIRequestLoader(
                apiRequest: PointsOfInterestRequest(), urlSession: urlSession)
        }

        func loadData(near coordinate: Coordinate) async {
            do {
                places = try await loader.load(coordinate)
            } catch  where error.isCancellation {
                // The screen is closed: there is nothing to show.
            } catch {
                message = error.localizedDescription
            }
        }
    }

    @MainActor struct HandlerTests {
        let coordinate = Coordinate(latitude: 37.3293, longitude: -121.8893)

        @Test func showsPlaces() async throws {
            let network = MockNetwork()
            network.requestHandler = { request in
                #expect(request.url?.query()?.contains("lat=37.3293") == true)
                return (HTTPURLResponse(), Data(#"[{"name": "My Location"}]"#.utf8))
            }
            let model = PlacesModel(urlSession: network)

            await model.loadData(near: coordinate)

            #expect(model.places == [PointOfInterest(name: "My Location")])
        }
    }

    @MainActor struct StubTests {
        let coordinate = Coordinate(latitude: 37.3293, longitude: -121.8893)

        @Test func showsPlaces() async throws {
            let network = MockNetwork()
            network.stub(
                .get("/locations").query(["lat": "37.3293"]),
                .json(#"[{"name": "My Location"}]"#))
            let model = PlacesModel(urlSession: network)

            await model.loadData(near: coordinate)

            try network.verify()
            #expect(model.places == [PointOfInterest(name: "My Location")])
        }
    }

    @Test func saysWhatTheStubExpected() async throws {
        let network = MockNetwork()
        network.stub(
            .get("/locations").query(["lat": "37.3293"]),
            .json(#"[{"name": "My Location"}]"#), fileID: "PlacesTests/PlacesTests.swift")
        let request = try URLRequest(
            "GET", URL(string: "https://example.com")!, path: "/locations",
            query: ["latitude": 37.3293, "long": -121.8893])

        let error = await #expect(throws: MockError.self) { try await network.exchange(request) }

        // The first line of the page has more: the test, and its line.
        for line in "\(try #require(error))".split(separator: "\n").dropFirst() {
            try expectPage("GettingStarted.md", toShow: String(line))
        }
    }

    @Test @MainActor func showsNothingOfACancellation() async throws {
        let network = MockNetwork()
        network.stub(.any, .hanging)
        let model = PlacesModel(urlSession: network)

        let load = Task { await model.loadData(near: Coordinate(latitude: 0, longitude: 0)) }
        await network.waitForRequests()
        load.cancel()
        await load.value

        #expect(model.message == nil)
    }
}
