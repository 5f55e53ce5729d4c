import APIKitLite
import APIKitLiteTesting
import Foundation
import PointsOfInterest
import Testing
import pois

@Suite struct OutputTests {
    private let places = [
        place("São Tomé", "city", latitude: 0, longitude: 0),
        place("Null\u{1B}[31m\nIsland", "airport", code: "NUL", latitude: 0, longitude: -9.5),
    ].seen(from: Coordinate(latitude: 0, longitude: 0))

    @Test func alignsTheColumns() {
        #expect(
            table(of: places) == """
                Name              Kind      Distance  Direction
                São Tomé          city        0.0 km  here
                Null [31m Island  airport  1056.4 km  W

                """)
    }

    @Test func saysThatThereAreNoPlaces() {
        #expect(table(of: []) == "There are no places.\n")
    }

    @Test func writesJSON() throws {
        #expect(
            try json(of: Array(places.prefix(1))) == """
                [
                  {
                    "country" : "XX",
                    "distanceInKilometres" : 0,
                    "kind" : "city",
                    "latitude" : 0,
                    "longitude" : 0,
                    "name" : "São Tomé"
                  }
                ]

                """)
        #expect(try json(of: Array(places.suffix(1))).contains(#""direction" : "W""#))
    }

    @Test func explainsEveryOption() {
        for option in ["near", "limit", "base-url", "json", "verbose", "serve", "help"] {
            #expect(help.contains("--\(option) "))
        }
        #expect(help.split(separator: "\n").filter { $0.count > 80 } == [])
    }

    @Test func showsEachExchange() async throws {
        let network = MockNetwork()
        network.stub(.get("/locations"), .json("[]"))
        let lines = Lines()
        let session = VerboseSession(network.urlSession) { lines.append($0) }

        _ = try await session.exchange(
            URLRequest(url: try #require(URL(string: "https://example.com/locations"))))

        #expect(lines.all == ["curl 'https://example.com/locations'", "→ 200, 2 bytes"])
    }
}

private func place(
    _ name: String, _ kind: String, code: String? = nil, latitude: Double, longitude: Double
) -> PointOfInterest {
    PointOfInterest(
        name: name, kind: kind, country: "XX", code: code,
        latitude: latitude, longitude: longitude)
}

private final class Lines: @unchecked Sendable {
    // Safe: `lines` is touched only while holding `lock`.
    private let lock = NSLock()
    private var lines: [String] = []

    var all: [String] { lock.withLock { lines } }

    func append(_ line: String) {
        lock.withLock { lines.append(line) }
    }
}
