import APIKitLite
import Foundation

/// The server's API: one method for each endpoint, all over one session.
///
/// Each method names its request type, so the compiler sees that the request is `Sendable` and
/// decodes off the caller's actor. A generic `load<R: APIRequest>` would need
/// `R: Sendable, R.RequestDataType: Sendable, R.ResponseDataType: Sendable` for that.
public struct PlacesClient: Sendable {
    private let baseURL: URL
    private let session: any HTTPSession

    /// Creates a client of one server.
    ///
    /// - Parameter session: The chain that ``placesSession(over:from:timeout:clock:log:)`` returns.
    public init(baseURL: URL, session: any HTTPSession) {
        self.baseURL = baseURL
        self.session = session
    }

    /// Loads the places around a coordinate.
    ///
    /// - Throws: ``APIRequestError``, in stage `.makeRequest` for a coordinate off the globe.
    public func places(
        near coordinate: Coordinate, limit: Int
    ) async throws(APIRequestError) -> [PointOfInterest] {
        let request = PointsOfInterestRequest(baseURL: baseURL, limit: limit)
        return try await APIRequestLoader(apiRequest: request, urlSession: session)
            .load(coordinate)
    }

    /// Loads the first page of a search.
    ///
    /// - Throws: ``APIRequestError``.
    public func firstPage(
        of text: String, limit: Int
    ) async throws(APIRequestError) -> SearchPage {
        let request = SearchRequest(baseURL: baseURL, text: text, limit: limit)
        return try await APIRequestLoader(apiRequest: request, urlSession: session).load(nil)
    }

    /// Returns all places that a search finds. Each page is loaded when the loop gets to it.
    public func search(
        _ text: String, pageSize: Int = 100
    ) -> APIElements<SearchRequest, [PointOfInterest]> {
        let request = SearchRequest(baseURL: baseURL, text: text, limit: pageSize)
        return APIRequestLoader(apiRequest: request, urlSession: session)
            .pages(from: nil).elements { $0.places }
    }
}
