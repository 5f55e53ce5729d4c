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

    /// Returns the great-circle distance in kilometres, on a sphere of the Earth's mean radius.
    public func distance(to other: Coordinate) -> Double {
        let northward = sin((other.latitude - latitude).radians / 2)
        let eastward = sin((other.longitude - longitude).radians / 2)
        // The haversine formula, since others are inexact for short distances.
        let haversine =
            northward * northward
            + cos(latitude.radians) * cos(other.latitude.radians) * eastward * eastward
        return 2 * 6371.0088 * asin(min(1, haversine.squareRoot()))
    }
}

extension Double {
    fileprivate var radians: Double { self * .pi / 180 }
}
