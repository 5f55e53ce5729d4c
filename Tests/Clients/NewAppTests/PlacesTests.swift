import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@testable import NewApp

// As in the unit test target of a new app of Xcode 26: its default isolation is not the main actor.

/// The tests of GettingStarted.md. The types of the app are on the main actor, and
/// so are these tests.
@MainActor @Suite(.limited, .usesSockets) struct PlacesTests {
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

    @Test func showsPlaces() async throws {
        let network = MockNetwork()
        network.stub(
            .get("/locations").query(["lat": "37.3293"]), .json(#"[{"name": "My Location"}]"#))
        let model = PlacesModel(urlSession: network.urlSession)

        await model.loadData(near: coordinate)

        #expect(model.places == [PointOfInterest(name: "My Location")])
        #expect(model.message == nil)
        try network.verify()
    }
}

/// The other cure: the request, its input and its output are `nonisolated`.
@Suite(.limited, .usesSockets) struct AirportTests {
    @Test func asksForTheCode() throws {
        let urlRequest = try AirportRequest().makeRequest(from: "SJC")

        #expect(urlRequest.url?.path == "/airports/SJC")
    }

    @Test func loadsAnAirport() async throws {
        let network = MockNetwork()
        network.stub(.get("/airports/SJC"), .json(#"{"name": "San Jose"}"#))
        let loader = APIRequestLoader(apiRequest: AirportRequest(), urlSession: network)

        #expect(try await loader.load("SJC") == Airport(name: "San Jose"))
    }
}
