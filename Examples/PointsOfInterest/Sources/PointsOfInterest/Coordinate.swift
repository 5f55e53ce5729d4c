import Foundation

/// A point on the globe, in degrees. (CoreLocation's is not on Linux.)
public struct Coordinate: Equatable, Sendable {
    /// Degrees; positive north of the equator.
    public let latitude: Double
    /// Degrees; positive east of Greenwich.
    public let longitude: Double

    /// Creates a point, on the globe or not: see ``isValid``.
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Whether the latitude is in `-90...90` and the longitude in `-180...180`.
    public var isValid: Bool {
        (-90...90).contains(latitude) && (-180...180).contains(longitude)
    }
}

extension Coordinate {
    /// Returns the great-circle distance in kilometres, on a sphere of the Earth's mean radius.
    ///
    /// The Earth is not quite a sphere, so the error is up to half a percent.
    public func distance(to other: Coordinate) -> Double {
        let northward = sin((other.latitude - latitude).radians / 2)
        let eastward = sin((other.longitude - longitude).radians / 2)
        // The haversine formula, since others are inexact for short distances.
        let haversine =
            northward * northward
            + cos(latitude.radians) * cos(other.latitude.radians) * eastward * eastward
        return 2 * 6371.0088 * asin(min(1, haversine.squareRoot()))
    }

    /// Returns the direction in which the shortest way to another point starts. If it is the same
    /// point, or one that is not on the globe, returns nil.
    public func direction(to other: Coordinate) -> CompassDirection? {
        // A server may send a coordinate that is not on the globe.
        guard isValid, other.isValid else { return nil }
        // Half a metre. The formula would return a bearing even for the same point.
        if distance(to: other) < 0.0005 { return nil }
        // At a pole every way leads to the equator, whatever the longitude of the pole is.
        if latitude == 90 { return .south }
        if latitude == -90 { return .north }
        let turn = (other.longitude - longitude).radians
        let (here, there) = (latitude.radians, other.latitude.radians)
        let bearing = atan2(
            sin(turn) * cos(there),
            cos(here) * sin(there) - sin(here) * cos(there) * cos(turn))
        return CompassDirection(bearing: bearing * 180 / .pi)
    }
}

/// One of eight directions.
public enum CompassDirection: String, CaseIterable, Codable, Sendable {
    case north = "N"
    case northEast = "NE"
    case east = "E"
    case southEast = "SE"
    case south = "S"
    case southWest = "SW"
    case west = "W"
    case northWest = "NW"

    /// Rounds a bearing to the nearest direction: 0 degrees is north, 90 and -270 are east.
    public init(bearing: Double) {
        let eighths = Int((bearing / 45).rounded()) % 8
        self = Self.allCases[(eighths + 8) % 8]
    }
}

extension Double {
    fileprivate var radians: Double { self * .pi / 180 }
}
