import APIKitLite
import Foundation

/// Asks for the places with a text in their name, page by page: `GET /search?q=…&cursor=…`.
///
/// The input is the cursor of a page: nil for the first one, then what the page before named.
public struct SearchRequest: PagedAPIRequest, PlacesRequest, Sendable {
    /// The default parsing decodes it from JSON.
    public typealias ResponseDataType = SearchPage

    private let baseURL: URL
    private let text: String
    private let limit: Int?

    /// Creates a request to one server.
    ///
    /// - Parameters:
    ///   - baseURL: The URL before `/search`.
    ///   - text: The text to look for.
    ///   - limit: The size of a page. If nil, the server decides.
    public init(baseURL: URL, text: String, limit: Int? = nil) {
        self.baseURL = baseURL
        self.text = text
        self.limit = limit
    }

    /// Makes the request for one page. Nothing is sent.
    public func makeRequest(from cursor: String?) throws -> URLRequest {
        try URLRequest(
            "GET", baseURL, path: "/search",
            query: ["q": text, "limit": limit, "cursor": cursor])
    }

    /// Returns the cursor that the page names; nil after the last page.
    public func nextInput(
        after page: SearchPage, response: HTTPURLResponse, from cursor: String?
    ) -> String?? {
        page.next
    }
}

/// One page of a search, as the server sends it: `{"places": […], "next": "10"}`.
public struct SearchPage: Codable, Equatable, Sendable {
    /// The places on this page.
    public let places: [PointOfInterest]
    /// The cursor of the next page; nil on the last one.
    public let next: String?

    /// Creates a page.
    public init(places: [PointOfInterest], next: String?) {
        self.places = places
        self.next = next
    }
}
