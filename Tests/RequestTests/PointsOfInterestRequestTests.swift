import APIKitLite
import TestSupport

// The request of WWDC 2018 session 417, and the pure tests of its two functions: begin here.

struct PointOfInterest: Decodable, Equatable {
    let name: String
}

struct PointsOfInterestRequest: APIRequest {
    enum RequestError: Error, Equatable {
        case invalidCoordinate
    }

    func makeRequest(from coordinate: CLLocationCoordinate2D) throws -> URLRequest {
        guard CLLocationCoordinate2DIsValid(coordinate) else {
            throw RequestError.invalidCoordinate
        }
        return try URLRequest(
            "GET", URL(string: "https://example.com")!, path: "/locations",
            query: ["lat": coordinate.latitude, "long": coordinate.longitude])
    }

    func parseResponse(data: Data) throws -> [PointOfInterest] {
        try JSONDecoder().decode([PointOfInterest].self, from: data)
    }
}

@Suite(.limited) struct PointsOfInterestRequestTests {
    let request = PointsOfInterestRequest()

    @Test func makesTheURLRequest() throws {
        let coordinate = CLLocationCoordinate2D(latitude: 37.3293, longitude: -121.8893)

        let urlRequest = try request.makeRequest(from: coordinate)

        #expect(urlRequest.url?.scheme == "https")
        #expect(urlRequest.url?.host() == "example.com")
        #expect(urlRequest.url?.query() == "lat=37.3293&long=-121.8893")
    }

    @Test(arguments: [(91, 0), (0, -181)])
    func refusesAnInvalidCoordinate(_ latitude: Double, _ longitude: Double) {
        #expect(throws: PointsOfInterestRequest.RequestError.invalidCoordinate) {
            try request.makeRequest(
                from: CLLocationCoordinate2D(latitude: latitude, longitude: longitude))
        }
    }

    @Test func parsesTheResponse() throws {
        let jsonData = Data(#"[{"name":"My Location"}]"#.utf8)

        let response = try request.parseResponse(data: jsonData)

        #expect(response == [PointOfInterest(name: "My Location")])
    }
}
