import Foundation

/// The pages of a ``PagedAPIRequest``, each loaded when it is asked for.
///
/// Nothing runs between two pages, and nothing is left behind where a loop ends early. After a page
/// that failed, `next()` of the same iterator tries that page again:
///
/// ```swift
/// var pages = loader.pages(from: 1).makeAsyncIterator()
/// do {
///     while let page = try await pages.next() { show(page.value) }
/// } catch {
///     offerToTryAgain(error)  // then: try await pages.next()
/// }
/// ```
///
/// Outside such a loop, go on with `loader.pages(from: page.next)`.
///
/// Code on an actor that runs before macOS 15, iOS 18, tvOS 18, watchOS 11 or visionOS 2 uses this
/// loop too: there `for try await` leaves the actor for each page.
public struct APIPages<T: PagedAPIRequest>: AsyncSequence {
    /// A page with its input.
    public typealias Element = APIPage<T.RequestDataType, T.ResponseDataType>

    typealias Load =
        nonisolated(nonsending) (T.RequestDataType) async throws(APIRequestError)
        -> APIResponse<T.ResponseDataType>

    let apiRequest: T
    let first: T.RequestDataType
    let limit: Int
    let load: Load

    /// Starts at the first page.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: self, walk: PageWalk(from: first, limit: limit))
    }

    /// Stands between two pages.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let pages: APIPages
        fileprivate var walk: PageWalk<T.RequestDataType>

        /// The input of the page that is loaded next, also after it failed; nil at the end.
        public var nextInput: T.RequestDataType? { walk.input }

        /// Loads the next page, on the caller's actor; nil after the last one.
        ///
        /// - Throws: ``APIRequestError``. The iterator stays where it is: the next call tries the
        ///   same page again.
        public nonisolated(nonsending) mutating func next() async throws(APIRequestError)
            -> Element?
        {
            guard let input = walk.input else { return nil }
            let answer = try await pages.load(input)
            let named = pages.apiRequest.nextInput(
                after: answer.value, response: answer.http, from: input)
            return APIPage(
                input: input, value: answer.value, http: answer.http, next: walk.move(to: named))
        }

        /// The same; `for try await` calls this one, so that it stays on the caller's actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?)
            async throws(APIRequestError)
            -> Element?
        {
            try await next()
        }
    }
}

extension APIRequestLoader where T: PagedAPIRequest {
    /// Loads pages one after another, on the caller's actor.
    ///
    /// The sequence ends after the page that names no next one, or one that was already loaded, and
    /// at the limit: so it ends too where each page is empty and names another.
    ///
    /// - Parameters:
    ///   - first: The input of the first page.
    ///   - limit: The most pages that are loaded. Below one, there are none.
    public func pages(from first: T.RequestDataType, limit: Int = 1_000) -> APIPages<T> {
        APIPages(apiRequest: apiRequest, first: first, limit: limit) {
            (input) async throws(APIRequestError) in
            try await self.response(for: input)
        }
    }
}

extension APIRequestLoader
where
    T: PagedAPIRequest, T: Sendable, T.RequestDataType: Sendable, T.ResponseDataType: Sendable
{
    /// Loads pages one after another; makes and parses off the caller's actor.
    ///
    /// The sequence ends after the page that names no next one, or one that was already loaded, and
    /// at the limit: so it ends too where each page is empty and names another.
    ///
    /// - Parameters:
    ///   - first: The input of the first page.
    ///   - limit: The most pages that are loaded. Below one, there are none.
    public func pages(from first: T.RequestDataType, limit: Int = 1_000) -> APIPages<T> {
        APIPages(apiRequest: apiRequest, first: first, limit: limit) {
            (input) async throws(APIRequestError) in
            try await self.response(for: input)
        }
    }
}
