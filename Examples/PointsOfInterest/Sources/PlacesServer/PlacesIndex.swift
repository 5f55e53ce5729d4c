import Foundation
import PointsOfInterest

/// Places, and which of them are near.
public struct PlacesIndex: Sendable {
    /// All of them, in the order given.
    public let places: [PointOfInterest]

    /// An index of these places.
    public init(_ places: [PointOfInterest]) {
        self.places = places
    }

    /// The airports and cities of the world that come with this example (see ATTRIBUTION.md).
    ///
    /// - Throws: When the file is missing or damaged.
    public static func world() throws -> PlacesIndex {
        guard let file = Bundle.module.url(forResource: "places", withExtension: "json") else {
            throw CocoaError(.fileNoSuchFile)
        }
        return PlacesIndex(
            try JSONDecoder().decode([PointOfInterest].self, from: Data(contentsOf: file)))
    }

    /// The nearest places, nearest first; of two at the same distance, the first by name.
    public func nearest(to point: Coordinate, limit: Int) -> [PointOfInterest] {
        // 14,000 distances take milliseconds, so there is nothing cleverer here.
        places.lazy.map { (distance: point.distance(to: $0.coordinate), place: $0) }
            .sorted { ($0.distance, $0.place.name) < ($1.distance, $1.place.name) }
            .prefix(limit).map(\.place)
    }
}
