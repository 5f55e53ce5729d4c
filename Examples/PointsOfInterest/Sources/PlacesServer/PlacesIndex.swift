import Foundation
import PointsOfInterest

/// Places, found by distance or by name.
public struct PlacesIndex: Sendable {
    /// All places, in the order given.
    public let places: [PointOfInterest]

    /// Creates an index of these places.
    public init(_ places: [PointOfInterest]) {
        self.places = places
    }

    /// Reads the airports and cities of the world that come with this example (see ATTRIBUTION.md).
    ///
    /// - Throws: `CocoaError` or `DecodingError` if the file is missing or damaged.
    public static func world() throws -> PlacesIndex {
        guard let file = Bundle.module.url(forResource: "places", withExtension: "json") else {
            throw CocoaError(.fileNoSuchFile)
        }
        return PlacesIndex(
            try JSONDecoder().decode([PointOfInterest].self, from: Data(contentsOf: file)))
    }

    /// Returns the nearest places, nearest first.
    public func nearest(to point: Coordinate, limit: Int) -> [PointOfInterest] {
        // A thousand distances take less than a millisecond, so a list is enough.
        places.map { (distance: point.distance(to: $0.coordinate), place: $0) }
            .sorted { $0.distance < $1.distance }
            .prefix(limit).map(\.place)
    }

    /// Returns the places with a text in their name, and the airport with it as its code, by name.
    ///
    /// Case and accents make no difference: "são" finds Sao Tome, and "sao" finds São Paulo.
    public func search(_ text: String) -> [PointOfInterest] {
        let options: String.CompareOptions = [.caseInsensitive, .diacriticInsensitive]
        return places.filter { place in
            place.name.range(of: text, options: options) != nil
                || place.code?.caseInsensitiveCompare(text) == .orderedSame
        }.sorted { ($0.name, $0.country, $0.latitude) < ($1.name, $1.country, $1.latitude) }
    }
}
