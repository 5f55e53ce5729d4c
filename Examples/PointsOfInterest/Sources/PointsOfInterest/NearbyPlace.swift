import Foundation

/// A place as it is seen from somewhere.
public struct NearbyPlace: Equatable, Sendable {
    /// What is seen.
    public let place: PointOfInterest
    /// In kilometres.
    public let distance: Double
    /// Nil for a place that is right here.
    public let direction: CompassDirection?

    /// Looks at a place from a point.
    public init(_ place: PointOfInterest, from point: Coordinate) {
        self.place = place
        distance = point.distance(to: place.coordinate)
        direction = point.direction(to: place.coordinate)
    }
}

extension Sequence<PointOfInterest> {
    /// The places as they are seen from a point, nearest first.
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

    /// Writes one flat object: the place's own keys and these two. The distance is to the metre.
    public func encode(to encoder: any Encoder) throws {
        try place.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode((distance * 1000).rounded() / 1000, forKey: .distance)
        try container.encodeIfPresent(direction, forKey: .direction)
    }
}
