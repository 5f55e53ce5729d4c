import APIKitLite
import Foundation

/// Asks for the file with all places: `GET /places.json`.
///
/// The file is downloaded and not loaded, so `parseResponse` is not called.
public struct PlacesFileRequest: APIRequest, Sendable {
    /// The default parsing decodes it from JSON.
    public typealias ResponseDataType = [PointOfInterest]

    private let baseURL: URL

    /// Creates a request to one server.
    ///
    /// - Parameter baseURL: The URL before `/places.json`.
    public init(baseURL: URL) {
        self.baseURL = baseURL
    }

    /// Makes the request. Nothing is sent.
    public func makeRequest(from input: Void) throws -> URLRequest {
        try URLRequest("GET", baseURL, path: "/places.json")
    }
}
