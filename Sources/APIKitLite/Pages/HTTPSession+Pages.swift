import Foundation

extension HTTPSession {
    /// Returns the pages of a request, which are loaded one after another as needed.
    ///
    /// Runs `makeRequest` and `parseResponse` on the caller's actor.
    ///
    /// The sequence ends after a page that names no next page or a page that was already loaded,
    /// and at the limit. So it also ends if every page is empty and names a new one.
    ///
    /// - Parameters:
    ///   - request: The request to load.
    ///   - first: The input of the first page.
    ///   - limit: The largest number of pages to load. Below one, no page is loaded.
    /// - Returns: The sequence of the pages.
    public func pages<R: PagedAPIRequest>(
        _ request: R, from first: R.RequestDataType, limit: Int = 1_000
    ) -> APIPages<R> {
        APIPages(apiRequest: request, first: first, limit: limit) {
            (input) async throws(APIRequestError) in
            try await response(request, for: input)
        }
    }

    /// Returns the pages of a request, which are loaded one after another as needed.
    ///
    /// Runs `makeRequest` and `parseResponse` off the caller's actor.
    ///
    /// The sequence ends after a page that names no next page or a page that was already loaded,
    /// and at the limit. So it also ends if every page is empty and names a new one.
    ///
    /// - Parameters:
    ///   - request: The request to load.
    ///   - first: The input of the first page.
    ///   - limit: The largest number of pages to load. Below one, no page is loaded.
    /// - Returns: The sequence of the pages.
    public func pages<R: PagedAPIRequest & Sendable>(
        _ request: R, from first: R.RequestDataType, limit: Int = 1_000
    ) -> APIPages<R> where R.RequestDataType: Sendable, R.ResponseDataType: Sendable {
        APIPages(apiRequest: request, first: first, limit: limit) {
            (input) async throws(APIRequestError) in
            try await response(request, for: input)
        }
    }

    /// Returns the elements of the pages, which are loaded one after another as needed.
    ///
    /// Runs `makeRequest` and `parseResponse` on the caller's actor.
    ///
    /// - Parameters:
    ///   - request: The request to load.
    ///   - first: The input of the first page.
    ///   - limit: The largest number of pages to load. Below one, no page is loaded.
    /// - Returns: The sequence of the elements.
    public func elements<R: PagedAPIRequest>(
        _ request: R, from first: R.RequestDataType, limit: Int = 1_000
    ) -> APIElements<R, R.ResponseDataType> where R.ResponseDataType: Sequence {
        pages(request, from: first, limit: limit).elements { $0 }
    }

    /// Returns the elements of the pages, which are loaded one after another as needed.
    ///
    /// Runs `makeRequest` and `parseResponse` off the caller's actor.
    ///
    /// - Parameters:
    ///   - request: The request to load.
    ///   - first: The input of the first page.
    ///   - limit: The largest number of pages to load. Below one, no page is loaded.
    /// - Returns: The sequence of the elements.
    public func elements<R: PagedAPIRequest & Sendable>(
        _ request: R, from first: R.RequestDataType, limit: Int = 1_000
    ) -> APIElements<R, R.ResponseDataType>
    where R.RequestDataType: Sendable, R.ResponseDataType: Sequence & Sendable {
        pages(request, from: first, limit: limit).elements { $0 }
    }
}
