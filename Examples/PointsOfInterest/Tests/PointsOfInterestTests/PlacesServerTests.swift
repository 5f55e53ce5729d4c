import APIKitLite
import APIKitLiteTesting
import Foundation
import PlacesServer
import PointsOfInterest
import Testing

@Suite struct PlacesServerTests {
    private static let world = Result { try PlacesIndex.world() }
    let sanJose = Coordinate(latitude: 37.3293, longitude: -121.8893)

    @Test func knowsTheWorld() throws {
        let index = try Self.world.get()

        #expect(index.places.count > 14_000)
        #expect(index.places.filter { !$0.coordinate.isValid } == [])
        #expect(Set(index.places.map(\.kind)) == ["airport", "city"])
    }

    @Test func findsSanJose() throws {
        let nearest = try Self.world.get().nearest(to: sanJose, limit: 10)

        #expect(nearest.count == 10)
        #expect(nearest.first?.name == "San Jose")
        #expect(nearest.contains { $0.code == "SJC" })
    }

    @Test(arguments: [(37.3293, -121.8893), (-17.8, 179.9), (89.9, 0), (-90, 0), (0, -30)])
    func findsWhatStraightLinesThroughTheGlobeFind(
        _ latitude: Double, _ longitude: Double
    ) throws {
        let index = try Self.world.get()
        let point = Coordinate(latitude: latitude, longitude: longitude)

        let nearest = index.nearest(to: point, limit: 100)

        let all = index.places.map { chord(from: point, to: $0.coordinate) }.sorted()
        let found = nearest.map { chord(from: point, to: $0.coordinate) }
        #expect(zip(found, all).allSatisfy { abs($0 - $1) < 1e-9 })
        #expect(nearest.count == 100)
    }

    @Test func answersWithTheNearest() async throws {
        let network = MockNetwork.places(try Self.world.get())
        let loader = APIRequestLoader(
            apiRequest: PointsOfInterestRequest(
                baseURL: URL(string: "https://example.com")!, limit: 2),
            urlSession: network.urlSession)

        let places = try await loader.load(sanJose)

        #expect(
            places.map(\.name) == ["San Jose", "Mineta San Jose International Airport"])
    }

    @Test(arguments: [
        ("long=1", "lat must be a number of degrees from -90 to 90, but is missing."),
        ("lat=91&long=1", "lat must be a number of degrees from -90 to 90, but is \"91\"."),
        ("lat=nan&long=1", "lat must be a number of degrees from -90 to 90, but is \"nan\"."),
        ("lat=1", "long must be a number of degrees from -180 to 180, but is missing."),
        ("lat=1&long=", "long must be a number of degrees from -180 to 180, but is \"\"."),
        ("lat=1&long=1&limit=0", "limit must be a whole number from 1 to 100, but is \"0\"."),
        ("lat=1&long=1&limit=all", "limit must be a whole number from 1 to 100, but is \"all\"."),
    ])
    func refusesWrongParameters(_ query: String, _ sentence: String) async throws {
        let (data, response) = try await answer(to: "/locations?" + query)

        #expect(response.statusCode == 400)
        #expect(try JSONDecoder().decode(Refusal.self, from: data) == Refusal(error: sentence))
    }

    @Test func refusesOtherPaths() async throws {
        let (data, response) = try await answer(to: "/favicon.ico")

        #expect(response.statusCode == 404)
        #expect(
            try JSONDecoder().decode(Refusal.self, from: data)
                == Refusal(error: "There is no GET /favicon.ico here."))
    }

    @Test func tellsABrowserWhatToAsk() async throws {
        let (data, response) = try await answer(to: "/")

        #expect(response.statusCode == 200)
        #expect(String(decoding: data, as: UTF8.self).contains("/locations?lat="))
    }

    private func answer(to path: String) async throws -> (Data, HTTPURLResponse) {
        let url = try #require(URL(string: "https://example.com" + path))
        return try await MockNetwork.places(PlacesIndex([])).urlSession
            .exchange(URLRequest(url: url))
    }
}

/// The straight line between two points of a globe of radius 1: another way to the same order.
private func chord(from one: Coordinate, to other: Coordinate) -> Double {
    func vector(_ point: Coordinate) -> SIMD3<Double> {
        let (latitude, longitude) = (point.latitude * .pi / 180, point.longitude * .pi / 180)
        return SIMD3(
            cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
    }
    let line = vector(one) - vector(other)
    return (line * line).sum().squareRoot()
}
