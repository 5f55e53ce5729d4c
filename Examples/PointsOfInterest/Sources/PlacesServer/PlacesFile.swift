import APIKitLiteTesting
import Foundation
import PointsOfInterest

/// The answer to `GET /places.json`: all places, as one file that can be resumed.
struct PlacesFile {
    private let data: Data

    init(_ places: [PointOfInterest]) throws {
        let encoder = JSONEncoder()
        // Two calls must give the same bytes, because a client may resume.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        data = try encoder.encode(places)
    }

    /// Returns the file, or the part that a request asks for.
    ///
    /// - Parameters:
    ///   - bytesPerSecond: The limit of the speed; nil for no limit.
    ///   - isCut: Whether the connection breaks after half of the file.
    func response(bytesPerSecond: Int?, isCut: Bool) -> MockResponse {
        var response = MockResponse.data(data, contentType: "application/json")
            .header("ETag", entityTag).acceptingRanges
            // Otherwise, a body in pieces is sent without its length, and a bar has no end.
            .header("Content-Length", String(data.count))
        if let bytesPerSecond {
            // Ten pieces in a second; fewer if a piece would have no byte.
            let size = max(1, bytesPerSecond / 10)
            let interval = Duration.seconds(Double(size) / Double(bytesPerSecond))
            response = response.chunked(by: size, every: interval)
        }
        return isCut ? response.failing(afterBytes: data.count / 2) : response
    }

    /// A strong validator: another one for other bytes (FNV-1a, 64 bits).
    private var entityTag: String {
        let hash = data.withUnsafeBytes { bytes in
            bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        }
        return "\"\(String(hash, radix: 16))\""
    }
}
