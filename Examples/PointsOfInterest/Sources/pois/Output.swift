import Foundation
import PointsOfInterest

/// Lays places out in columns, one line each, under a line of titles.
package func table(of places: [NearbyPlace]) -> String {
    if places.isEmpty { return "There are no places.\n" }
    let titles = ["Name", "Kind", "Distance", "Direction"]
    let rows = places.map { nearby in
        [
            nearby.place.name.printable, nearby.place.kind.printable,
            String(format: "%.1f km", nearby.distance), nearby.direction?.rawValue ?? "here",
        ]
    }
    let lines = [titles] + rows
    let widths = titles.indices.map { column in lines.map(\.[column].count).max() ?? 0 }
    return lines.map { line in
        let name = line[0] + spaces(widths[0] - line[0].count)
        let kind = line[1] + spaces(widths[1] - line[1].count)
        let distance = spaces(widths[2] - line[2].count) + line[2]
        return [name, kind, distance, line[3]].joined(separator: "  ") + "\n"
    }.joined()
}

/// Writes places as a JSON array, with sorted keys.
package func json(of places: [NearbyPlace]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(places), as: UTF8.self) + "\n"
}

extension String {
    /// A server's text without what would move the cursor or change the colour.
    package var printable: String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            result.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return String(result)
    }
}

private func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
