import Foundation

/// An asynchronous sequence of the elements on the pages of a ``PagedAPIRequest``.
///
/// A page is loaded when all elements before it have been returned. After a page failed to load,
/// `next()` of the same iterator tries that page again. No element is returned twice.
public struct APIElements<T: PagedAPIRequest, Elements: Sequence>: AsyncSequence {
    let pages: APIPages<T>
    let elements: (T.ResponseDataType) -> Elements

    /// Returns an iterator that starts at the first page.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: pages.makeAsyncIterator(), elements: elements)
    }

    /// An iterator over the elements of the pages.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var pages: APIPages<T>.Iterator
        fileprivate let elements: (T.ResponseDataType) -> Elements
        private var page: Elements.Iterator?

        fileprivate init(
            pages: APIPages<T>.Iterator, elements: @escaping (T.ResponseDataType) -> Elements
        ) {
            self.pages = pages
            self.elements = elements
        }

        /// Returns the next element, or nil after the last one. Stays on the caller's actor.
        ///
        /// - Throws: ``APIRequestError`` if a page fails to load. The next call tries the same page
        ///   again.
        public nonisolated(nonsending) mutating func next() async throws(APIRequestError)
            -> Elements.Element?
        {
            while true {
                if let element = page?.next() { return element }
                guard let next = try await pages.next() else { return nil }
                page = elements(next.value).makeIterator()
            }
        }

        /// Does the same as `next()`. `for try await` calls this one to stay on the caller's actor.
        ///
        /// - Parameter actor: The caller's actor.
        /// - Throws: ``APIRequestError`` if a page fails to load.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?)
            async throws(APIRequestError)
            -> Elements.Element?
        {
            try await next()
        }
    }
}

extension APIPages {
    /// Returns the elements of the pages, one after another.
    ///
    ///     session.pages(SearchRequest(), from: nil).elements { $0.items }
    ///
    /// - Parameter elements: A function that returns the elements of a page.
    public func elements<Elements: Sequence>(
        _ elements: @escaping (T.ResponseDataType) -> Elements
    ) -> APIElements<T, Elements> {
        APIElements(pages: self, elements: elements)
    }
}
