import Foundation

/// A place, with its distance and direction from a point.
public struct NearbyPlace: Equatable, Sendable {
    /// The place.
    public let place: PointOfInterest
    /// The distance in kilometres.
    public let distance: Double
    /// The direction; nil for a place at the point itself.
    public let direction: CompassDirection?

    /// Measures the way from a point to a place.
    public init(_ place: PointOfInterest, from point: Coordinate) {
        self.place = place
        distance = point.distance(to: place.coordinate)
        direction = point.direction(to: place.coordinate)
    }
}

extension Sequence<PointOfInterest> {
    /// Returns the places with their distances from a point, nearest first.
    public func seen(from point: Coordinate) -> [NearbyPlace] {
        map { NearbyPlace($0, from: point) }
            .sorted { ($0.distance, $0.place.name) < ($1.distance, $1.place.name) }
    }
}

extension NearbyPlace: Encodable {
    private enum CodingKeys: String, CodingKey {
        case distance = "distanceInKilometres"
        case direction
    }

    /// Writes one flat object: the keys of the place and these two. The distance is rounded to
    /// metres.
    public func encode(to encoder: any Encoder) throws {
        try place.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode((distance * 1000).rounded() / 1000, forKey: .distance)
        try container.encodeIfPresent(direction, forKey: .direction)
    }
}
