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

    @Test(arguments: [
        ("são TOMÉ", ["Sao Tome International Airport"]), ("SJC", [sjc]), ("sjc", [sjc]),
        ("mineta", [sjc]), ("no such place", []),
    ])
    func findsByNameAndByCode(_ text: String, _ names: [String]) throws {
        #expect(try Self.world.get().search(text).map(\.name) == names)
    }

    @Test func sortsWhatItFinds() throws {
        let names = try Self.world.get().search("san").map(\.name)

        #expect(names.count > 100)
        #expect(names == names.sorted())
    }

    @Test func answersWithTheNearest() async throws {
        let network = MockNetwork.places(try Self.world.get())
        let baseURL = try #require(URL(string: "https://example.com"))
        let client = PlacesClient(
            baseURL: baseURL, session: placesSession(over: network.urlSession, from: baseURL))

        let places = try await client.places(near: sanJose, limit: 2)

        #expect(places.map(\.name) == ["San Jose", sjc])
    }

    @Test(
        arguments: [
            (nil, ["A1", "A2"], "2"), ("0", ["A1", "A2"], "2"), ("2", ["A3", "A4"], "4"),
            ("3", ["A4", "A5"], nil), ("4", ["A5"], nil), ("5", [], nil), ("99", [], nil),
        ] as [(String?, [String], String?)])
    func answersWithAPage(_ cursor: String?, _ names: [String], _ next: String?) async throws {
        let places = (1...5).map {
            PointOfInterest(name: "A\($0)", kind: "city", country: "XX", latitude: 0, longitude: 0)
        }
        let path = "/search?q=a&limit=2" + (cursor.map { "&cursor=" + $0 } ?? "")

        let (data, response) = try await answer(to: path, from: PlacesIndex(places))

        let page = try JSONDecoder().decode(SearchPage.self, from: data)
        #expect(response.statusCode == 200)
        #expect(page.places.map(\.name) == names)
        #expect(page.next == next)
    }

    @Test(arguments: [
        ("", "q must be the text to look for, but is missing or blank."),
        ("q=%20", "q must be the text to look for, but is missing or blank."),
        ("q=a&limit=101", "limit must be a whole number from 1 to 100, but is \"101\"."),
        ("q=a&cursor=-1", "cursor must be the \"next\" of a page, but is \"-1\"."),
        ("q=a&cursor=x", "cursor must be the \"next\" of a page, but is \"x\"."),
    ])
    func refusesAWrongSearch(_ query: String, _ sentence: String) async throws {
        let (data, response) = try await answer(to: "/search?" + query)

        #expect(response.statusCode == 400)
        #expect(try JSONDecoder().decode(Refusal.self, from: data) == Refusal(error: sentence))
    }

    @Test(
        arguments: ["/locations?lat=1&long=1", "/search?q=a", "/events", "/places.json"],
        [nil, "", "other"])
    func refusesARequestWithoutItsToken(_ path: String, _ token: String?) async throws {
        let (data, response) = try await answer(to: path, token: token)

        #expect(response.statusCode == 401)
        #expect(response.value(forHTTPHeaderField: "WWW-Authenticate") == "Bearer")
        #expect(
            try JSONDecoder().decode(Refusal.self, from: data)
                == Refusal(error: "A token is needed: see POST /token."))
    }

    @Test func sendsAllPlacesAsAFile() async throws {
        let places = (1...5).map {
            PointOfInterest(name: "A\($0)", kind: "city", country: "XX", latitude: 0, longitude: 0)
        }

        let (data, response) = try await answer(to: "/places.json", from: PlacesIndex(places))
        let (_, same) = try await answer(to: "/places.json", from: PlacesIndex(places))
        let (_, other) = try await answer(to: "/places.json", from: PlacesIndex(places.dropLast()))

        #expect(try JSONDecoder().decode([PointOfInterest].self, from: data) == places)
        let tag = try #require(response.value(forHTTPHeaderField: "ETag"))
        #expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.count > 10)
        #expect(same.value(forHTTPHeaderField: "ETag") == tag)
        #expect(other.value(forHTTPHeaderField: "ETag") != tag)
        #expect(response.value(forHTTPHeaderField: "Content-Length") == "\(data.count)")
    }

    @Test(
        arguments: [
            (1, .seconds(1), 1), (4, .milliseconds(250), 1), (40, .milliseconds(100), 4),
            (99, .seconds(9.0 / 99), 9), (100_000, nil, 10_000),
        ] as [(Int, Duration?, Int)])
    func limitsTheSpeed(_ rate: Int, _ interval: Duration?, _ pieceSize: Int) async throws {
        let clock = MockClock()
        let place = PointOfInterest(
            name: "A", kind: "city", country: "XX", latitude: 0, longitude: 0)
        let network = MockNetwork.places(
            PlacesIndex([place]), token: "t", bytesPerSecond: rate, clock: clock)
        let baseURL = try #require(URL(string: "https://example.com"))
        let request = try URLRequest("GET", baseURL, path: "/places.json")
            .authorization(bearer: "t")

        let answer = Task { try await MockURLSession(network).exchange(request).0 }
        if let interval {
            await clock.waitForSleepers()
            #expect(clock.pending == [interval])
        }
        let waits = clock.endingWaits()
        defer { waits.cancel() }

        let count = try await answer.value.count
        #expect(network.requests[0].sentByteCount == count)
        #expect(network.requests[0].sentPieceCount == (count + pieceSize - 1) / pieceSize)
    }

    @Test(arguments: [0, 1, 70_000])
    func countsTheBytesOfAnUpload(_ count: Int) async throws {
        let baseURL = try #require(URL(string: "https://example.com"))
        let request = try URLRequest("PUT", baseURL, path: "/uploads/a%20b")
            .authorization(bearer: "t")
            .body(Data(count: count), contentType: "application/octet-stream")

        let (data, response) = try await MockNetwork.places(PlacesIndex([]), token: "t").urlSession
            .exchange(request)

        #expect(response.statusCode == 200)
        #expect(
            try JSONDecoder().decode(UploadReceipt.self, from: data) == UploadReceipt(bytes: count))
    }

    @Test func refusesAnotherGrant() async throws {
        let baseURL = try #require(URL(string: "https://example.com"))
        let request = try URLRequest("POST", baseURL, path: "/token")
            .formBody(["grant_type": "password"])

        let (_, response) = try await MockNetwork.places(PlacesIndex([])).urlSession
            .exchange(request)

        #expect(response.statusCode == 400)
    }

    @Test func isUnavailableForEveryThirdRequestIfFlaky() async throws {
        let session = MockNetwork.places(PlacesIndex([]), token: "t", isFlaky: true).urlSession
        let baseURL = try #require(URL(string: "https://example.com"))
        let request = try URLRequest("GET", baseURL, path: "/search", query: ["q": "a"])
            .authorization(bearer: "t")

        var answers: [HTTPURLResponse] = []
        for _ in 1...7 { answers.append(try await session.exchange(request).1) }

        #expect(answers.map(\.statusCode) == [503, 200, 200, 503, 200, 200, 503])
        #expect(answers[0].value(forHTTPHeaderField: "Retry-After") == "1")
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
        #expect(String(decoding: data, as: UTF8.self).contains("GET /locations"))
    }

    private func answer(
        to path: String, token: String? = "t", from index: PlacesIndex = PlacesIndex([])
    ) async throws -> (Data, HTTPURLResponse) {
        var request = URLRequest(url: try #require(URL(string: "https://example.com" + path)))
        if let token { request = try request.authorization(bearer: token) }
        return try await MockNetwork.places(index, token: "t").urlSession.exchange(request)
    }
}

private let sjc = "Mineta San Jose International Airport"

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
