import Foundation

/// A request whose answer is one page of many: it adds one pure function, the way to the next page.
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
///     func nextInput(after users: [User], response: HTTPURLResponse, from page: Int) -> Int? {
///         users.isEmpty ? nil : page + 1
///     }
/// }
///
/// for try await user in loader.elements(from: 1) { print(user.name) }
/// ```
///
/// Where the next page comes as a URL, in the body or in a `Link` header, let the input be a `URL`:
/// `response.links["next"]`. Where it comes as a cursor and the first page has none, let the input be
/// `String?`; the function then returns `String??`, and either nil is the end.
public protocol PagedAPIRequest: APIRequest where RequestDataType: Hashable {
    /// The input of the next page, or nil after the last one.
    ///
    /// - Parameters:
    ///   - page: What was parsed.
    ///   - response: The answer it was parsed from.
    ///   - input: What this page was asked for with.
    func nextInput(
        after page: ResponseDataType, response: HTTPURLResponse, from input: RequestDataType
    ) -> RequestDataType?
}
