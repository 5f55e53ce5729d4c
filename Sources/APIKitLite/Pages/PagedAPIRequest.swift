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
/// the input, and return `response.link("next")`, for example. If the response has a cursor for the
/// next page, and the first page needs none, use `String?` as the input. The function then returns
/// `String??`, and both kinds of nil mean the end.
public protocol PagedAPIRequest: APIRequest where RequestDataType: Hashable {
    /// Returns the input of the next page, or nil after the last one.
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
    /// Runs `makeRequest` and `parseResponse` on the caller's actor. The parameters are the same as
    /// for a `Sendable` request.
    public func pages<R: PagedAPIRequest>(
        _ request: R, from first: R.RequestDataType, limit: Int = 1_000
    ) -> Pages<R.RequestDataType, R.ResponseDataType, APIRequestError> {
        Pages(from: first, limit: limit) { (input) async throws(APIRequestError) in
            try request.page(try await response(request, for: input), from: input)
        }
    }

    /// Returns the pages of a request, loaded one after another as needed.
    ///
    /// Runs `makeRequest` and `parseResponse` off the caller's actor.
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
            try request.page(try await response(request, for: input), from: input)
        }
    }
}

extension PagedAPIRequest {
    /// Returns the value of a page and the input of the next one.
    fileprivate func page(
        _ page: APIResponse<ResponseDataType>, from input: RequestDataType
    ) throws(APIRequestError) -> (ResponseDataType, RequestDataType?) {
        let next = nextInput(after: page.value, response: page.response, from: input)
        guard next == nil, let link = page.response.unreadableNextLink else {
            return (page.value, next)
        }
        var error = APIRequestError(
            stage: .parse, request: try? makeRequest(from: input), response: page.response,
            data: page.data, underlying: URLError(.cannotParseResponse), redaction: redaction)
        error.hint = "The address of the next page cannot be read. Link: \(redaction.excerpt(link))"
        throw error
    }
}
