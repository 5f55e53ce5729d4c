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
        #expect(table(of: [NearbyPlace]()) == "There are no places.\n")
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

    @Test func listsFoundPlaces() {
        let found = places.map(\.place)

        #expect(
            table(of: found, hasMore: true) == """
                Name              Kind     Country  Latitude  Longitude
                São Tomé          city     XX         0.0000     0.0000
                Null [31m Island  airport  XX         0.0000    -9.5000
                There are more places; --all lists all of them.

                """)
        #expect(table(of: [PointOfInterest]()) == "There are no places.\n")
    }

    @Test func writesAPlaceOnALine() throws {
        let place = places[1].place

        #expect(line(of: place) == "Null [31m Island (airport, XX) at 0.0000,-9.5000\n")
        #expect(try jsonLine(of: place).filter { $0 == "\n" }.count == 1)
    }

    @Test func saysThatItConnectsAgain() {
        let error = APIRequestError(stage: .transport, underlying: URLError(.timedOut))

        #expect(
            notice(of: .milliseconds(1_340), after: error)
                == "pois: The request timed out. Connecting again in 1.3 s.\n")
        #expect(
            notice(of: .zero, after: nil)
                == "pois: The server ended the connection. Connecting again in 0.0 s.\n")
    }

    @Test(arguments: OptionName.allCases)
    func explainsEveryOption(_ option: OptionName) {
        #expect(help.contains("\(option.rawValue) "))
    }

    @Test func helpsInEightyColumns() {
        #expect(help.split(separator: "\n").filter { $0.count > 80 } == [])
    }
}

private func place(
    _ name: String, _ kind: String, code: String? = nil, latitude: Double, longitude: Double
) -> PointOfInterest {
    PointOfInterest(
        name: name, kind: kind, country: "XX", code: code,
        latitude: latitude, longitude: longitude)
}
