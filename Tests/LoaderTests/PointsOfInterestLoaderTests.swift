import APIKitLite
import APIKitLiteTesting
import TestSupport

// The loader test of WWDC 2018 session 417, with a `requestHandler` closure on a network of its own:
// begin here. The request and its pure tests are in GettingStartedSamples.swift.

private struct PointOfInterest: Decodable, Equatable { let name: String }

private struct PointsOfInterestRequest: APIRequest {
    func makeRequest(from coordinate: CLLocationCoordinate2D) throws -> URLRequest {
        try URLRequest(
            "GET", URL(string: "https://example.com")!, path: "/locations",
            query: ["lat": coordinate.latitude, "long": coordinate.longitude])
    }

    func parseResponse(data: Data) throws -> [PointOfInterest] {
        try JSONDecoder().decode([PointOfInterest].self, from: data)
    }
}

@Suite(.limited) struct PointsOfInterestLoaderTests {
    private let network = MockNetwork()
    private let coordinate = CLLocationCoordinate2D(latitude: 37.3293, longitude: -121.8893)

    private var loader: APIRequestLoader<PointsOfInterestRequest> {
        APIRequestLoader(apiRequest: PointsOfInterestRequest(), urlSession: network.urlSession)
    }

    @Test func loadsThePlaces() async throws {
        network.requestHandler = { request in
            #expect(request.url?.query()?.contains("lat=37.3293") == true)
            return (HTTPURLResponse(), Data(#"[{"name":"MyPointOfInterest"}]"#.utf8))
        }
        let pointsOfInterest = try await loader.load(coordinate)
        #expect(pointsOfInterest == [PointOfInterest(name: "MyPointOfInterest")])
    }

    @Test func throwsTheErrorOfTheHandler() async {
        network.requestHandler = { _ in throw URLError(.notConnectedToInternet) }
        let error = await #expect(throws: APIRequestError.self) {
            try await loader.load(coordinate)
        }
        #expect(error?.stage == .transport)
        #expect((error?.underlying as? URLError)?.code == .notConnectedToInternet)
    }
}
