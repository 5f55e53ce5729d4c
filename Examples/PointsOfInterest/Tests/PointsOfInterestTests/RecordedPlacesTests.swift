import APIKitLiteTesting
import Foundation
import PointsOfInterest
import Testing

/// The client against the responses of the real server, which Recordings/places.har contains. The
/// README says how to record them again.
@Suite(.timeLimit(.minutes(20))) struct RecordedPlacesTests {
    @Test func signsInAndFindsTheNearestPlaces() async throws {
        try await withMockNetwork(replaying: "places") { network in
            let baseURL = try #require(URL(string: "http://127.0.0.1:48631"))
            let session = placesSession(over: network, from: baseURL)
            let client = PlacesClient(baseURL: baseURL, session: session)

            let places = try await client.places(
                near: Coordinate(latitude: 37.3293, longitude: -121.8893), limit: 2)

            #expect(places.map(\.name) == ["San Jose", "Mineta San Jose International Airport"])
            let statuses = network.requests.map(\.response?.statusCode)
            #expect(statuses == [401, 200, 200])
        }
    }
}
