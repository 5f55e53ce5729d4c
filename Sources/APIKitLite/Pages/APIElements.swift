import Foundation

/// What stands on the pages of a ``PagedAPIRequest``, one after another: a page is loaded when the
/// elements before it are used up.
///
/// After a page that failed, `next()` of the same iterator tries that page again; no element comes
/// twice.
public struct APIElements<T: PagedAPIRequest, Elements: Sequence>: AsyncSequence {
    /// What a page is made of.
    public typealias Element = Elements.Element

    let pages: APIPages<T>
    let elements: (T.ResponseDataType) -> Elements

    /// Starts before the first page.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: pages.makeAsyncIterator(), elements: elements)
    }

    /// Stands between two elements.
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

        /// The next element, on the caller's actor; nil after the last one.
        ///
        /// - Throws: ``APIRequestError``. The next call tries the same page again.
        public nonisolated(nonsending) mutating func next() async throws(APIRequestError)
            -> Element?
        {
            while true {
                if let element = page?.next() { return element }
                guard let next = try await pages.next() else { return nil }
                page = elements(next.value).makeIterator()
            }
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

extension APIPages {
    /// What stands on the pages, one after another.
    ///
    ///     loader.pages(from: nil).elements { $0.items }
    ///
    /// - Parameter elements: Takes them out of a page.
    public func elements<Elements: Sequence>(
        _ elements: @escaping (T.ResponseDataType) -> Elements
    ) -> APIElements<T, Elements> {
        APIElements(pages: self, elements: elements)
    }
}

extension APIPages where T.ResponseDataType: Sequence {
    /// What stands on the pages, one after another.
    public var elements: APIElements<T, T.ResponseDataType> { elements { $0 } }
}

extension APIRequestLoader where T: PagedAPIRequest, T.ResponseDataType: Sequence {
    /// Loads what stands on the pages, one after another, on the caller's actor.
    ///
    /// - Parameters:
    ///   - first: The input of the first page.
    ///   - limit: The most pages that are loaded. Below one, there are none.
    public func elements(
        from first: T.RequestDataType, limit: Int = 1_000
    ) -> APIElements<T, T.ResponseDataType> {
        pages(from: first, limit: limit).elements
    }
}

extension APIRequestLoader
where
    T: PagedAPIRequest, T: Sendable, T.RequestDataType: Sendable,
    T.ResponseDataType: Sequence & Sendable
{
    /// Loads what stands on the pages, one after another; makes and parses off the caller's actor.
    ///
    /// - Parameters:
    ///   - first: The input of the first page.
    ///   - limit: The most pages that are loaded. Below one, there are none.
    public func elements(
        from first: T.RequestDataType, limit: Int = 1_000
    ) -> APIElements<T, T.ResponseDataType> {
        pages(from: first, limit: limit).elements
    }
}
