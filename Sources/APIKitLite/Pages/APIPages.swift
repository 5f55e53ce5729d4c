import Foundation

/// An asynchronous sequence of the pages of a ``PagedAPIRequest``, each loaded on request.
///
/// Nothing runs between two pages, so a loop may end early without clean-up. After a page failed to
/// load, `next()` of the same iterator tries that page again:
///
/// ```swift
/// var pages = session.pages(UsersRequest(), from: 1).makeAsyncIterator()
/// do {
///     while let page = try await pages.next() { show(page.value) }
/// } catch {
///     offerToTryAgain(error)  // then: try await pages.next()
/// }
/// ```
///
/// To continue later, pass the ``APIPage/next`` of the last page to ``HTTPSession``'s
/// `pages(_:from:)`.
///
/// Use this loop also for code on an actor that must run on systems before macOS 15, iOS 18, tvOS
/// 18, watchOS 11 or visionOS 2: there, `for try await` leaves the actor for each page.
public struct APIPages<T: PagedAPIRequest>: AsyncSequence {
    typealias LoadPage =
        nonisolated(nonsending) (T.RequestDataType) async throws(APIRequestError)
        -> APIResponse<T.ResponseDataType>

    let apiRequest: T
    let first: T.RequestDataType
    let limit: Int
    let load: LoadPage

    /// Returns an iterator that starts at the first page.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: self, walk: PageWalk(from: first, limit: limit))
    }

    /// An iterator over the pages.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let pages: APIPages
        fileprivate var walk: PageWalk<T.RequestDataType>

        /// Returns the next page, or nil after the last one. Stays on the caller's actor.
        ///
        /// - Throws: ``APIRequestError`` if the page fails to load. The iterator does not advance,
        ///   so the next call tries the same page again.
        public nonisolated(nonsending) mutating func next() async throws(APIRequestError)
            -> APIPage<T.RequestDataType, T.ResponseDataType>?
        {
            guard let input = walk.input else { return nil }
            let answer = try await pages.load(input)
            let named = pages.apiRequest.nextInput(
                after: answer.value, response: answer.response, from: input)
            return APIPage(
                input: input, value: answer.value, response: answer.response,
                next: walk.move(to: named))
        }

        /// Does the same as `next()`. `for try await` calls this one to stay on the caller's actor.
        ///
        /// - Parameter actor: The caller's actor.
        /// - Throws: ``APIRequestError`` if the page fails to load.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?)
            async throws(APIRequestError)
            -> APIPage<T.RequestDataType, T.ResponseDataType>?
        {
            try await next()
        }
    }
}

/// One page, with its own input and the input of the next page.
public struct APIPage<Input, Value> {
    /// The input that this page was loaded with.
    public let input: Input

    /// The value that ``APIRequest/parseResponse(data:response:)`` returned.
    public let value: Value

    /// The status and the headers of the response.
    public let response: HTTPURLResponse

    /// The input of the next page. Nil if this is the last page, or if the response names a page
    /// that was already loaded. It is not nil if ``APIPages`` stops here only because of its limit.
    public let next: Input?
}

extension APIPage: Sendable where Input: Sendable, Value: Sendable {}

/// The state of an iteration through pages: which page comes next, and whether the end is reached.
///
/// It is a pure value and loads nothing.
private struct PageWalk<Input: Hashable> {
    /// The input of the page to load now; nil at the end.
    private(set) var input: Input?
    private var seen: Set<Input>
    private var pagesLeft: Int

    init(from first: Input, limit: Int) {
        input = limit < 1 ? nil : first
        seen = [first]
        pagesLeft = limit
    }

    /// Records that the page at `input` was loaded, and moves to the next one.
    ///
    /// - Returns: The same input, or nil if its page was already loaded. The limit does not matter.
    mutating func move(to next: Input?) -> Input? {
        let new = next.flatMap { next in
            // An input may itself be an optional, such as a cursor that the response lacks.
            (next as? any AnyOptional)?.isNil != true && seen.insert(next).inserted ? next : nil
        }
        pagesLeft -= 1
        input = pagesLeft > 0 ? new : nil
        return new
    }
}

extension PageWalk: Sendable where Input: Sendable {}
