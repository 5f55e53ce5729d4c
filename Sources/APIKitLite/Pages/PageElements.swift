import Foundation

/// An asynchronous sequence of the elements on the pages of a list.
///
/// A page is loaded when all elements before it have been returned. If a page fails to load, the
/// iterator's next call to `next()` tries that page again. No element is returned twice.
public struct PageElements<Elements: Sequence, Failure: Error>: AsyncSequence {
    typealias NextPage = nonisolated(nonsending) () async throws(Failure) -> Elements?

    /// Returns a function that loads the elements of one page per call, from the first page on.
    let makePages: () -> NextPage

    /// Returns an iterator that starts at the first page.
    public func makeAsyncIterator() -> Iterator {
        Iterator(nextPage: makePages())
    }

    /// An iterator over the elements of the pages. Copies share the pages.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let nextPage: NextPage
        fileprivate var page: Elements.Iterator?

        /// Returns the next element, or nil after the last one. Stays on the caller's actor.
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

        /// Does the same as `next()`. `for try await` calls it to stay on the caller's actor.
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
