import APIKitLite
import Foundation

/// A place with a name, as the server sends it.
public struct PointOfInterest: Codable, Equatable, Sendable {
    /// The name in its own country, or in English.
    public let name: String
    /// `airport` or `city`; another server may have other kinds.
    public let kind: String
    /// The country's two letters (ISO 3166-1).
    public let country: String
    /// The airport's three letters (IATA).
    public let code: String?
    /// The latitude in degrees (WGS 84).
    public let latitude: Double
    /// The longitude in degrees (WGS 84).
    public let longitude: Double

    /// Creates a place from its properties.
    public init(
        name: String, kind: String, country: String, code: String? = nil,
        latitude: Double, longitude: Double
    ) {
        self.name = name
        self.kind = kind
        self.country = country
        self.code = code
        self.latitude = latitude
        self.longitude = longitude
    }

    /// The position of the place.
    public var coordinate: Coordinate {
        Coordinate(latitude: latitude, longitude: longitude)
    }
}

extension PointOfInterest {
    /// Decodes the place of an event of `GET /events`.
    ///
    /// - Throws: ``APIRequestError``, in stage `.parse` if the data is not a place.
    public init(_ event: ServerSentEvent) throws(APIRequestError) {
        do {
            self = try JSONDecoder().decode(PointOfInterest.self, from: Data(event.data.utf8))
        } catch {
            throw APIRequestError(stage: .parse, data: Data(event.data.utf8), underlying: error)
        }
    }
}
