import APIKitLite
import Foundation
import PointsOfInterest
import Testing

/// The two pure halves of the call. Nothing is sent, and no network is mocked.
@Suite struct PointsOfInterestRequestTests {
    let request = PointsOfInterestRequest(baseURL: URL(string: "https://example.com")!)

    @Test func asksForTheCoordinate() throws {
        let made = try request.makeRequest(
            from: Coordinate(latitude: 37.3293, longitude: -121.8893))

        #expect(made.httpMethod == "GET")
        #expect(
            made.url?.absoluteString
                == "https://example.com/locations?lat=37.3293&long=-121.8893")
    }

    @Test func asksForALimit() throws {
        let request = PointsOfInterestRequest(
            baseURL: URL(string: "http://127.0.0.1:8080/v1/")!, limit: 3)

        let made = try request.makeRequest(from: Coordinate(latitude: 0.5, longitude: 1.5))

        #expect(
            made.url?.absoluteString
                == "http://127.0.0.1:8080/v1/locations?lat=0.5&long=1.5&limit=3")
    }

    @Test(arguments: [(90.5, 0), (-90.5, 0), (0, 180.5), (0, -180.5), (.nan, 0), (0, .infinity)])
    func refusesACoordinateOffTheGlobe(_ latitude: Double, _ longitude: Double) {
        #expect(throws: InvalidCoordinate.self) {
            try request.makeRequest(from: Coordinate(latitude: latitude, longitude: longitude))
        }
    }

    @Test func saysWhichCoordinateIsOffTheGlobe() throws {
        let error = try #require(throws: InvalidCoordinate.self) {
            try request.makeRequest(from: Coordinate(latitude: 91, longitude: 0))
        }

        #expect(
            error.localizedDescription
                == "No place has the latitude 91.0 and the longitude 0.0: "
                + "use -90 to 90 and -180 to 180 degrees.")
    }

    @Test func parsesPlaces() throws {
        let json = """
            [{"name": "Sydney", "kind": "city", "country": "AU",
              "latitude": -33.86785, "longitude": 151.20732}]
            """

        #expect(
            try request.parseResponse(data: Data(json.utf8)) == [
                PointOfInterest(
                    name: "Sydney", kind: "city", country: "AU",
                    latitude: -33.86785, longitude: 151.20732)
            ])
    }

    @Test(arguments: ["", "{}", #"[{"name": "Sydney"}]"#, "<html>"])
    func refusesABodyThatIsNotPlaces(_ body: String) {
        #expect(throws: DecodingError.self) {
            try request.parseResponse(data: Data(body.utf8))
        }
    }
}
