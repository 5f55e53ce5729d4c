import PointsOfInterest
import Testing

@Suite struct GeographyTests {
    struct Way: Sendable {
        let from: Coordinate
        let to: Coordinate
        let kilometres: Double
        let direction: CompassDirection?

        init(
            _ from: (Double, Double), _ to: (Double, Double), _ kilometres: Double,
            _ direction: CompassDirection?
        ) {
            self.from = Coordinate(latitude: from.0, longitude: from.1)
            self.to = Coordinate(latitude: to.0, longitude: to.1)
            self.kilometres = kilometres
            self.direction = direction
        }
    }

    // A degree of a great circle is 111.195 km; half the Earth's circumference 20,015.1 km.
    @Test(arguments: [
        Way((0, 0), (0, 0), 0, nil),
        Way((0, 0), (1, 0), 111.195, .north),
        Way((0, 0), (0, 1), 111.195, .east),
        Way((0, 0), (-1, -1), 157.25, .southWest),
        // Nashville to Los Angeles, the textbook's example.
        Way((36.12, -86.67), (33.94, -118.40), 2886.45, .west),
        // London to Paris.
        Way((51.5074, -0.1278), (48.8566, 2.3522), 343.56, .southEast),
        // Across the date line.
        Way((0, 179.5), (0, -179.5), 111.195, .east),
        Way((0, -179.5), (0, 179.5), 111.195, .west),
        Way((10, 180), (10, -180), 0, nil),
        // The poles, and from one to the other.
        Way((89, 0), (90, 0), 111.195, .north),
        Way((90, 0), (89, 120), 111.195, .south),
        Way((-90, 45), (-89, -60), 111.195, .north),
        Way((90, 0), (-90, 0), 20015.115, .south),
        Way((90, 10), (90, -170), 0, nil),
        // Over the pole, since that is shorter than along the circle of latitude.
        Way((80, 0), (80, 180), 2223.901, .north),
        // To the other side of the globe.
        Way((0, 0), (0, 180), 20015.115, .east),
    ])
    func knowsDistancesAndDirections(_ way: Way) {
        #expect(abs(way.from.distance(to: way.to) - way.kilometres) < 0.01)
        #expect(way.from.direction(to: way.to) == way.direction)
    }

    // A server may send any numbers.
    @Test(arguments: [(100, 0), (0, 181), (0, 1e308), (.infinity, 0), (.nan, .nan)])
    func knowsNoDirectionOffTheGlobe(_ latitude: Double, _ longitude: Double) {
        let there = Coordinate(latitude: latitude, longitude: longitude)
        #expect(Coordinate(latitude: 0, longitude: 0).direction(to: there) == nil)
    }

    @Test(
        arguments: [
            (0, .north), (22.4, .north), (22.6, .northEast), (45, .northEast), (90, .east),
            (135, .southEast), (180, .south), (-180, .south), (225, .southWest), (-135, .southWest),
            (-90, .west), (270, .west), (-45, .northWest), (337.6, .north), (-22.4, .north),
            (360, .north), (720, .north),
        ] as [(Double, CompassDirection)])
    func namesBearings(_ bearing: Double, _ direction: CompassDirection) {
        #expect(CompassDirection(bearing: bearing) == direction)
    }

    @Test func seesTheNearestFirst() {
        let far = place("A", latitude: 2)
        let near = place("B", latitude: -1)
        let nearToo = place("C", latitude: 1)

        let seen = [nearToo, far, near].seen(from: Coordinate(latitude: 0, longitude: 0))

        #expect(seen.map(\.place.name) == ["B", "C", "A"])
        #expect(seen.map(\.direction) == [.south, .north, .north])
    }

    private func place(_ name: String, latitude: Double) -> PointOfInterest {
        PointOfInterest(name: name, kind: "city", country: "XX", latitude: latitude, longitude: 0)
    }
}
