import APIKitLite
import APIKitLiteTesting
import Foundation
import PlacesServer
import PointsOfInterest
import Testing

@Suite struct PlacesServerTests {
    private let fivePlaces = PlacesIndex(
        (1...5).map {
            PointOfInterest(name: "A\($0)", kind: "city", country: "XX", latitude: 0, longitude: 0)
        })

    @Test func findsTheNearestPlacesOfTheWorld() throws {
        let index = try PlacesIndex.world()

        let nearest = index.nearest(
            to: Coordinate(latitude: 37.3293, longitude: -121.8893), limit: 2)

        #expect(nearest.map(\.name) == ["San Jose", "Mineta San Jose International Airport"])
        #expect(index.places.filter { !$0.coordinate.isValid } == [])
    }

    // A degree of a great circle is 111.195 km.
    @Test(arguments: [
        (0, 0, 1, 0, 111.195), (0, 179.5, 0, -179.5, 111.195), (80, 0, 80, 180, 2223.901),
        // Nashville to Los Angeles, the textbook's example.
        (36.12, -86.67, 33.94, -118.40, 2886.45),
    ])
    func knowsDistances(
        _ latitude: Double, _ longitude: Double, _ latitude2: Double, _ longitude2: Double,
        _ kilometres: Double
    ) {
        let distance = Coordinate(latitude: latitude, longitude: longitude)
            .distance(to: Coordinate(latitude: latitude2, longitude: longitude2))

        #expect(abs(distance - kilometres) < 0.01)
    }

    @Test(arguments: [
        ("são TOMÉ", ["Sao Tome International Airport"]),
        ("sjc", ["Mineta San Jose International Airport"]), ("no such place", []),
    ])
    func findsByNameAndByCode(_ text: String, _ names: [String]) throws {
        #expect(try PlacesIndex.world().search(text).map(\.name) == names)
    }

    @Test(
        arguments: [
            ("0", ["A1", "A2"], "2"), ("3", ["A4", "A5"], nil), ("4", ["A5"], nil), ("5", [], nil),
        ] as [(String, [String], String?)])
    func respondsWithAPage(_ cursor: String, _ names: [String], _ next: String?) async throws {
        let (data, _) = try await receive("/search?q=a&limit=2&cursor=" + cursor)

        let page = try JSONDecoder().decode(SearchPage.self, from: data)
        #expect(page.places.map(\.name) == names)
        #expect(page.next == next)
    }

    @Test(
        arguments: [
            (nil, ["1", "2", "3", "4", "5"]), ("4", ["5"]), ("5", nil),
        ] as [(String?, [String]?)])
    func continuesAfterAnEvent(_ id: String?, _ ids: [String]?) async throws {
        let (data, response) = try await receive("/events", after: id)

        var parser = ServerSentEvents()
        #expect(response.statusCode == (ids == nil ? 204 : 200))
        #expect(try parser.parse(data).map(\.id) == ids ?? [])
    }

    @Test func sendsAllPlacesAsAFile() async throws {
        let (data, response) = try await receive("/places.json")

        #expect(
            try JSONDecoder().decode([PointOfInterest].self, from: data) == fivePlaces.places)
        #expect(response.value(forHTTPHeaderField: "ETag") == "\"\(data.count)\"")
        #expect(response.value(forHTTPHeaderField: "Content-Length") == "\(data.count)")
    }

    @Test(arguments: [
        ("/favicon.ico", "t", 404, "There is no GET /favicon.ico here."),
        ("/locations?lat=1&long=1", "other", 401, "A token is needed: see POST /token."),
        ("/locations?long=1", "t", 400, "lat must be from -90.0 to 90.0."),
        ("/locations?lat=1&long=nan", "t", 400, "long must be from -180.0 to 180.0."),
        ("/search?q=a&limit=101", "t", 400, "limit must be from 1 to 100."),
        ("/search?q=a&cursor=x", "t", 400, "cursor must be from 0 to 5."),
    ])
    func refuses(
        _ path: String, _ token: String, _ status: Int, _ sentence: String
    ) async throws {
        let (data, response) = try await receive(path, token: token)

        #expect(response.statusCode == status)
        #expect(try JSONDecoder().decode(Refusal.self, from: data) == Refusal(error: sentence))
    }

    @Test func isUnavailableForEveryThirdRequestIfFlaky() async throws {
        let session = MockNetwork.places(fivePlaces, token: "t", isFlaky: true)
        let url = try #require(URL(string: "https://example.com/search"))
        let request = try URLRequest(url: url).authorization(bearer: "t")

        var responses: [HTTPURLResponse] = []
        for _ in 1...4 { responses.append(try await session.data(for: request).1) }

        #expect(responses.map(\.statusCode) == [503, 200, 200, 503])
        #expect(responses[0].value(forHTTPHeaderField: "Retry-After") == "1")
    }

    private func receive(
        _ path: String, token: String = "t", after id: String? = nil
    ) async throws -> (Data, HTTPURLResponse) {
        let url = try #require(URL(string: "https://example.com" + path))
        let request = try URLRequest(url: url)
            .authorization(bearer: token).header("Last-Event-ID", id)
        return try await MockNetwork.places(fivePlaces, token: "t").data(
            for: request)
    }
}
