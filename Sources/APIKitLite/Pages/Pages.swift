import Foundation

/// An asynchronous sequence of the pages of a list, each loaded on demand by a function.
///
/// ```swift
/// let pages = Pages(from: 1) { page in
///     let users = try await client.users(page: page)
///     return (users, users.isEmpty ? nil : page + 1)
/// }
/// for try await user in pages.elements { print(user.name) }
/// ```
///
/// For a ``PagedAPIRequest``, ``HTTPSession`` has a short form: `pages(_:from:)`.
///
/// The sequence ends after a page that names no next page, before a page that was already loaded,
/// and at its limit. If every page is empty but names a new page, only the limit ends the sequence.
/// Nothing runs between two pages, so a loop that ends early needs no clean-up. If a page fails to
/// load, the next call to the iterator's `next()` tries that page again:
///
/// ```swift
/// let pages = session.pages(UsersRequest(), from: 1).makeAsyncIterator()
/// do {
///     while let page = try await pages.next() { show(page.value) }
/// } catch {
///     offerToTryAgain(error)  // then: try await pages.next()
/// }
/// ```
///
/// Also use this loop on an actor if you support systems before macOS 15, iOS 18, tvOS 18, watchOS
/// 11 or visionOS 2, where `for try await` leaves the actor for each page.
public struct Pages<Input: Hashable, Value, Failure: Error>: AsyncSequence {
    typealias Load =
        nonisolated(nonsending) (Input) async throws(Failure) -> (value: Value, next: Input?)

    let first: Input
    let limit: Int
    let load: Load

    /// Creates the sequence of the pages that a function loads.
    ///
    /// - Parameters:
    ///   - first: The input of the first page. To continue later, pass the ``Page/next`` of the
    ///     last loaded page.
    ///   - limit: The maximum number of pages to load. If it is below one, no page is loaded.
    ///   - load: Loads the page for an input. Returns the page's value and the input of the next
    ///     page, which is nil after the last page. If `Input` is an optional, either kind of nil
    ///     means the end.
    public init(
        from first: Input, limit: Int = 1_000,
        load:
            nonisolated(nonsending) @escaping (Input) async throws(Failure)
            -> (value: Value, next: Input?)
    ) {
        self.first = first
        self.limit = limit
        self.load = load
    }

    /// One page, and the input of the next page.
    public struct Page {
        /// The page's value.
        public let value: Value

        /// The input of the next page. Nil if this is the last page, or if the next page was
        /// already loaded. The input is not nil if the sequence stops only because of its limit.
        public let next: Input?
    }

    /// Returns an iterator that starts at the first page.
    public func makeAsyncIterator() -> Iterator {
        Iterator(load: load, walk: Walk(from: first, limit: limit))
    }

    /// An iterator over the pages. Copies share the remaining pages.
    ///
    /// A model can store the iterator in a `let`, and load a page when the user scrolls to the end
    /// of the list.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let load: Load
        fileprivate let walk: Walk

        /// Returns the next page, or nil after the last page. Stays on the caller's actor.
        ///
        /// Concurrent calls load one page after another.
        ///
        /// - Throws: Any error thrown by the function that loads a page. The iterator does not
        ///   advance, so the next call tries the same page again.
        public nonisolated(nonsending) func next() async throws(Failure) -> Page? {
            // A cancelled call also waits for its turn. Otherwise, a function that ignores the
            // cancellation would load the same page twice.
            await walk.turn.waitEvenIfCancelled()
            defer { walk.turn.signal() }
            guard let input = walk.input else { return nil }
            let (value, next) = try await load(input)
            return Page(value: value, next: walk.move(to: next))
        }

        /// Does the same as `next()`. `for try await` calls this function to stay on the caller's
        /// actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public func next(isolation actor: isolated (any Actor)?) async throws(Failure)
            -> Page?
        {
            try await next()
        }
    }

    /// The state that copies of an iterator share: which page comes next, and whether the end was
    /// reached. The iterators are not `Sendable`, so this state needs no lock.
    fileprivate final class Walk {
        /// The input of the page to load, or nil at the end.
        private(set) var input: Input?
        private var seen: Set<Input>
        private var pagesLeft: Int
        let turn = AsyncSemaphore(1)

        init(from first: Input, limit: Int) {
            input = limit < 1 ? nil : first
            seen = [first]
            pagesLeft = limit
        }

        /// Records that the page at `input` was loaded, and moves to the next page. Returns the
        /// input of the next page, even beyond the limit, or nil if there is no next page or the
        /// next page was already loaded.
        func move(to next: Input?) -> Input? {
            let new = next.flattened.flatMap { seen.insert($0).inserted ? $0 : nil }
            pagesLeft -= 1
            input = pagesLeft > 0 ? new : nil
            return new
        }
    }
}

extension Optional {
    /// The value, or nil if the value is itself an optional that is nil, such as a cursor that a
    /// response lacks.
    var flattened: Wrapped? {
        flatMap { ($0 as? any AnyOptional)?.isNil == true ? nil : $0 }
    }
}

extension Pages.Page: Sendable where Input: Sendable, Value: Sendable {}

/// An asynchronous sequence of the elements on the pages of a list.
///
/// A page is loaded only after all elements of the earlier pages have been returned. If a page
/// fails to load, the next call to the iterator's `next()` tries that page again, and returns no
/// element of the earlier pages again.
public struct PageElements<Elements: Sequence, Failure: Error>: AsyncSequence {
    typealias NextPage = nonisolated(nonsending) () async throws(Failure) -> Elements?

    /// Returns a function that loads the elements of one page per call, from the first page on.
    let makePages: () -> NextPage

    /// Returns an iterator that starts at the first page.
    public func makeAsyncIterator() -> Iterator {
        Iterator(nextPage: makePages())
    }

    /// An iterator over the elements of the pages. Copies share the remaining pages.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let nextPage: NextPage
        fileprivate var page: Elements.Iterator?

        /// Returns the next element, or nil after the last element. Stays on the caller's actor.
        ///
        /// - Throws: Any error from loading a page. The next call tries the same page again.
        public nonisolated(nonsending) mutating func next() async throws(Failure)
            -> Elements.Element?
        {
            while true {
                if let element = page?.next() { return element }
                guard let next = try await nextPage() else { return nil }
                page = next.makeIterator()
            }
        }

        /// Does the same as `next()`. `for try await` calls this function to stay on the caller's
        /// actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure)
            -> Elements.Element?
        {
            try await next()
        }
    }
}

extension Pages {
    /// Returns the elements of the pages, one after another.
    ///
    ///     session.pages(SearchRequest(), from: nil).elements { $0.items }
    public func elements<Elements: Sequence>(
        _ elements: @escaping (Value) -> Elements
    ) -> PageElements<Elements, Failure> {
        PageElements {
            let pages = makeAsyncIterator()
            return { () async throws(Failure) in try await pages.next().map { elements($0.value) } }
        }
    }
}

extension Pages where Value: Sequence {
    /// The elements of the pages, one after another.
    ///
    ///     for try await user in session.pages(UsersRequest(), from: 1).elements { show(user) }
    public var elements: PageElements<Value, Failure> { elements { $0 } }
}
