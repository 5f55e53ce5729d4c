import Foundation

/// A request whose response is one page of many.
///
/// The protocol adds one pure function, which returns the next page's input.
///
/// ```swift
/// struct UsersRequest: PagedAPIRequest {
///     let baseURL: URL
///
///     func makeRequest(from page: Int) throws -> URLRequest {
///         try URLRequest("GET", baseURL, path: "/users", query: ["page": page])
///     }
///
///     func parseResponse(data: Data) throws -> [User] {
///         try jsonDecoder.decode([User].self, from: data)
///     }
///
///     func nextInput(
///         after users: [User], response: HTTPURLResponse, from page: Int
///     ) -> Int? {
///         users.isEmpty ? nil : page + 1
///     }
/// }
///
/// let request = UsersRequest(baseURL: baseURL)
/// for try await user in session.pages(request, from: 1).elements { print(user.name) }
/// ```
///
/// If the response has the URL of the next page, in the body or in a `Link` header, use `URL` as
/// the input. For a `Link` header, return `response.link("next")`. If the response has a cursor for
/// the next page, and the first page needs no cursor, use `String?` as the input. `nextInput` then
/// returns `String??`, and either kind of nil means the end.
public protocol PagedAPIRequest: APIRequest where RequestDataType: Hashable {
    /// Returns the input of the next page, or nil after the last page.
    ///
    /// If the function returns nil after `response.link(_:)` has found only a malformed link, the
    /// load fails in stage ``APIRequestError/Stage/parse``.
    ///
    /// - Parameters:
    ///   - page: The parsed value of this page.
    ///   - response: The response that the page was parsed from.
    ///   - input: The input that this page was loaded with.
    func nextInput(
        after page: ResponseDataType, response: HTTPURLResponse, from input: RequestDataType
    ) -> RequestDataType?
}

extension HTTPSession {
    /// Returns the pages of a request that is not `Sendable`, loaded one after another as needed.
    ///
    /// The request's functions, such as `makeRequest` and `nextInput`, run on the actor that
    /// iterates over the pages. The parameters are the same as for a `Sendable` request.
    public func pages<R: PagedAPIRequest>(
        _ request: R, from first: R.RequestDataType, limit: Int = 1_000
    ) -> Pages<R.RequestDataType, R.ResponseDataType, APIRequestError> {
        Pages(from: first, limit: limit) { (input) async throws(APIRequestError) in
            try await request.page(for: input, over: self)
        }
    }

    /// Returns the pages of a request, loaded one after another as needed.
    ///
    /// The request's functions, such as `makeRequest` and `nextInput`, run off the actor that
    /// iterates over the pages.
    ///
    /// - Parameters:
    ///   - request: The request to load.
    ///   - first: The input of the first page.
    ///   - limit: The maximum number of pages to load. If it is below one, no page is loaded.
    public func pages<R: PagedAPIRequest & Sendable>(
        _ request: R, from first: R.RequestDataType, limit: Int = 1_000
    ) -> Pages<R.RequestDataType, R.ResponseDataType, APIRequestError>
    where R.RequestDataType: Sendable {
        Pages(from: first, limit: limit) { (input) async throws(APIRequestError) in
            try await request.pageInBackground(for: input, over: self)
        }
    }
}

extension PagedAPIRequest {
    /// Loads a page, and returns its value and the input of the next page.
    fileprivate nonisolated(nonsending) func page(
        for input: RequestDataType, over session: any HTTPSession
    ) async throws(APIRequestError) -> (ResponseDataType, RequestDataType?) {
        var load = Load(self, over: session)
        let request = try load.makeRequest { try makeRequest(from: input) }
        let page = try await load.response(to: request, parse: parseResponse)
        let malformed = Locked<String?>(nil)
        let next = LinkHeader.$malformed.withValue(malformed) {
            nextInput(after: page.value, response: page.response, from: input)
        }
        guard next.flattened == nil, let link = malformed.take() else { return (page.value, next) }
        var error = load.failure(.parse, URLError(.cannotParseResponse), page.data)
        error.hint = "The address of the next page cannot be read. Link: \(redaction.excerpt(link))"
        throw load.notifyingObservers(of: error)
    }
}

extension PagedAPIRequest where Self: Sendable, RequestDataType: Sendable {
    @concurrent fileprivate func pageInBackground(
        for input: RequestDataType, over session: any HTTPSession
    ) async throws(APIRequestError) -> sending (ResponseDataType, RequestDataType?) {
        try await page(for: input, over: session)
    }
}
