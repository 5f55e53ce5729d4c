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

/// One page, and how it and the next one are asked for.
public struct APIPage<Input, Value> {
    /// What this page was asked for with.
    public let input: Input

    /// What ``APIRequest/parseResponse(data:response:)`` made of the answer.
    public let value: Value

    /// The status and the headers of the answer.
    public let http: HTTPURLResponse

    /// Where to go on; nil after the last page, also where the server named a page that was already
    /// loaded. It is there at the page that ``APIPages`` stopped at because of its limit.
    public let next: Input?

    /// A page from its pieces.
    public init(input: Input, value: Value, http: HTTPURLResponse, next: Input?) {
        self.input = input
        self.value = value
        self.http = http
        self.next = next
    }
}

extension APIPage: Sendable where Input: Sendable, Value: Sendable {}

/// Where a walk through pages stands, and where it ends: all without loading anything.
struct PageWalk<Input: Hashable> {
    /// The page to load now; nil at the end.
    private(set) var input: Input?
    private var seen: Set<Input>
    private var pagesLeft: Int

    init(from first: Input, limit: Int) {
        input = limit < 1 ? nil : first
        seen = [first]
        pagesLeft = limit
    }

    /// The page at `input` is there, and names the next one.
    ///
    /// - Returns: The next input, unless it is one that was already loaded.
    mutating func move(to next: Input?) -> Input? {
        let new = next.flatMap { !isNil($0) && seen.insert($0).inserted ? $0 : nil }
        pagesLeft -= 1
        input = pagesLeft > 0 ? new : nil
        return new
    }
}

/// Whether an input that is optional itself is nil: a cursor that is missing in the answer.
private func isNil<Input>(_ input: Input) -> Bool {
    (input as? any PerhapsNil)?.isNil ?? false
}

private protocol PerhapsNil {
    var isNil: Bool { get }
}

extension Optional: PerhapsNil {
    fileprivate var isNil: Bool { self == nil }
}

extension PageWalk: Sendable where Input: Sendable {}
