import APIKitLite
import Foundation

/// Asks for the places around a coordinate: `GET /locations?lat=…&long=…`.
public struct PointsOfInterestRequest: PlacesRequest, Sendable {
    /// The default parsing decodes it from JSON.
    public typealias ResponseDataType = [PointOfInterest]

    // Stored, so that the same request runs against production, staging and a test's server.
    private let baseURL: URL
    private let limit: Int?

    /// Creates a request to one server.
    ///
    /// - Parameters:
    ///   - baseURL: The URL before `/locations`.
    ///   - limit: How many places to ask for. If nil, the server decides.
    public init(baseURL: URL, limit: Int? = nil) {
        self.baseURL = baseURL
        self.limit = limit
    }

    /// Makes the request. Nothing is sent.
    ///
    /// - Throws: ``InvalidCoordinate`` for a coordinate that is not on the globe.
    public func makeRequest(from coordinate: Coordinate) throws -> URLRequest {
        guard coordinate.isValid else { throw InvalidCoordinate(coordinate: coordinate) }
        return try URLRequest(
            "GET", baseURL, path: "/locations",
            query: ["lat": coordinate.latitude, "long": coordinate.longitude, "limit": limit])
    }
}

/// A coordinate that is not on the globe.
public struct InvalidCoordinate: LocalizedError, Equatable {
    /// What was asked for.
    public let coordinate: Coordinate

    /// A sentence that names both numbers and their limits.
    public var errorDescription: String? {
        "No place has the latitude \(coordinate.latitude) and the longitude "
            + "\(coordinate.longitude): use -90 to 90 and -180 to 180 degrees."
    }
}
