import APIKitLite
import Foundation
import PointsOfInterest

/// Lays places out in columns, with distance and direction, one line each under a line of titles.
package func table(of places: [NearbyPlace]) -> String {
    if places.isEmpty { return "There are no places.\n" }
    return table(
        titles: ["Name", "Kind", "Distance", "Direction"],
        rows: places.map { nearby in
            [
                nearby.place.name.printable, nearby.place.kind.printable,
                String(format: "%.1f km", nearby.distance), nearby.direction?.rawValue ?? "here",
            ]
        },
        numbers: [2])
}

/// Lays places out in columns, with country and coordinate, one line each under a line of titles.
///
/// - Parameter hasMore: Whether the search found places that are not listed.
package func table(of places: [PointOfInterest], hasMore: Bool = false) -> String {
    if places.isEmpty { return "There are no places.\n" }
    let lines = table(
        titles: ["Name", "Kind", "Country", "Latitude", "Longitude"],
        rows: places.map { place in
            [
                place.name.printable, place.kind.printable, place.country.printable,
                String(format: "%.4f", place.latitude), String(format: "%.4f", place.longitude),
            ]
        },
        numbers: [3, 4])
    return lines + (hasMore ? "There are more places; --all lists all of them.\n" : "")
}

/// Writes one place on a line, with its country and coordinate.
package func line(of place: PointOfInterest) -> String {
    let coordinate = String(format: "%.4f,%.4f", place.latitude, place.longitude)
    return "\(place.name.printable) (\(place.kind.printable), \(place.country.printable)) at "
        + coordinate + "\n"
}

/// Writes one value, such as a place, as a JSON object on a line, with sorted keys.
package func jsonLine(of value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
}

/// Says why a connection ended, and when the next one follows.
package func notice(of delay: Duration, after error: APIRequestError?) -> String {
    let reason = error?.localizedDescription ?? "The server ended the connection."
    let seconds = String(format: "%.1f", delay / .seconds(1))
    return "pois: \(reason.printable) Connecting again in \(seconds) s.\n"
}

/// Writes places as a JSON array, with sorted keys.
package func json(of places: [some Encodable]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(places), as: UTF8.self) + "\n"
}

/// A file that was transferred.
package struct TransferResult: Codable, Equatable, Sendable {
    /// The path as it was given.
    package var file: String
    /// The number of bytes in the file.
    package var bytes: Int64
    /// The position of the first byte that was received; nil if the whole file was transferred.
    package var resumedAt: Int64?

    /// Creates a result.
    package init(file: String, bytes: Int64, resumedAt: Int64? = nil) {
        self.file = file
        self.bytes = bytes
        self.resumedAt = resumedAt
    }
}

/// Writes a transfer on a line.
///
/// - Parameters:
///   - verb: What was done.
///   - preposition: The word between the size and the path.
///   - asJSON: Whether to write a JSON object, with sorted keys.
package func text(
    of result: TransferResult, _ verb: String, _ preposition: String, asJSON: Bool
) throws -> String {
    if asJSON { return try jsonLine(of: result) }
    let resumption = result.resumedAt.map { " (resumed at \(size(of: $0)))" } ?? ""
    // No punctuation follows the path: a terminal would copy it along.
    let transfer = "\(verb) \(size(of: result.bytes)) \(preposition)"
    return "\(transfer) \(result.file.printable)\(resumption)\n"
}

/// Says where the server is, with commands to copy. No punctuation follows a URL.
package func announcement(of url: URL, placeCount: Int, token: String) -> String {
    """
    Serving \(placeCount) places at \(url)
    Stop the server with control-C. To try it:
    curl -H 'Authorization: Bearer \(token)' '\(url)/search?q=San%20Jose'
    pois --base-url \(url) --search 'San Jose'

    """
}

extension String {
    /// A server's text without control characters, which could move the cursor or change colours.
    package var printable: String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            result.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return String(result)
    }
}

/// Lays rows out in columns as wide as their widest text.
///
/// - Parameter numbers: The columns that are aligned at their right edge.
private func table(titles: [String], rows: [[String]], numbers: Set<Int>) -> String {
    let lines = [titles] + rows
    let widths = titles.indices.map { column in lines.map(\.[column].count).max() ?? 0 }
    return lines.map { line in
        line.indices.map { column in
            let text = line[column]
            let space = String(repeating: " ", count: widths[column] - text.count)
            if numbers.contains(column) { return space + text }
            return column == line.count - 1 ? text : text + space
        }.joined(separator: "  ") + "\n"
    }.joined()
}
