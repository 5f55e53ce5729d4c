import Foundation

/// An asynchronous sequence of the elements of a ``StreamedAPIRequest``, delivered as they arrive.
///
/// ```swift
/// for try await delta in session.stream(ChatRequest(), "Why is the sky blue?") {
///     print(delta.text)
/// }
/// ```
///
/// Nothing is sent until the first element is requested. Each iterator sends one request, unless
/// the stream reads a body that is already open. Leaving the loop or cancelling the task ends the
/// transfer. A cancelled task receives an error whose ``APIRequestError/isCancellation`` is true.
/// Before any other error is thrown, all elements that precede the error are delivered. Only the
/// elements from one received piece of the body are kept in memory at a time.
///
/// On an actor, if you support systems before macOS 15, iOS 18, tvOS 18, watchOS 11 or visionOS 2,
/// call `next()` in a `while` loop, because `for try await` on those systems leaves the actor for
/// each element.
public struct APIStream<T: StreamedAPIRequest>: AsyncSequence {
    let apiRequest: T
    let input: T.RequestDataType
    let session: any HTTPSession
    var requestType: String? = "\(T.self)"
    var isConcurrent = false
    /// The body, if it is already open and no request needs to be sent.
    var body: HTTPBody?

    /// Returns an iterator. Its first `next()` sends the request, unless the body is already open.
    public func makeAsyncIterator() -> Iterator {
        let load = Load(apiRequest, over: session, type: requestType, reading: body)
        return Iterator(
            flow: StreamFlow(apiRequest, input: input, load, body), isConcurrent: isConcurrent)
    }

    /// An iterator over the elements of one response.
    ///
    /// Copies share the response, so each element is returned by only one copy. The transfer ends
    /// when the last copy is released.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let flow: StreamFlow<T>
        fileprivate let isConcurrent: Bool

        /// The status and the headers of the response, such as rate-limit headers. Nil until
        /// `next()` has received the headers.
        public var response: HTTPURLResponse? { flow.response }

        /// Suspends until the next element has arrived. Stays on the caller's actor.
        ///
        /// - Returns: The element, or nil at the end of the stream and after an error.
        /// - Throws: ``APIRequestError`` if a stage fails. If the stage is
        ///   ``APIRequestError/Stage/transport`` or ``APIRequestError/Stage/parse``, elements may
        ///   already have been delivered.
        public nonisolated(nonsending) mutating func next() async throws(APIRequestError)
            -> T.Parser.Element?
        {
            try await flow.next(isConcurrent: isConcurrent)
        }

        /// Does the same as `next()`. `for try await` calls this function to stay on the caller's
        /// actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?)
            async throws(APIRequestError)
            -> T.Parser.Element?
        {
            try await next()
        }
    }
}

extension APIStream: Sendable where T: Sendable, T.RequestDataType: Sendable {}

extension APIStream.Iterator: Sendable
where T: Sendable, T.RequestDataType: Sendable, T.Parser.Element: Sendable {}

extension HTTPSession {
    /// Returns a response's elements as they arrive, for a request, input or elements that are not
    /// `Sendable`.
    ///
    /// The stream runs the request's functions and the parser on the caller's actor. The parameters
    /// are the same as for a `Sendable` request.
    public func stream<R: StreamedAPIRequest>(
        _ request: R, _ input: R.RequestDataType
    ) -> APIStream<R> {
        APIStream(apiRequest: request, input: input, session: self)
    }

    /// Returns the elements of the response to a request, delivered as they arrive.
    ///
    ///     for try await delta in session.stream(ChatRequest(), "Why?") { print(delta.text) }
    ///
    /// The stream runs the request's functions and the parser off the caller's actor.
    ///
    /// - Parameters:
    ///   - request: The request to load.
    ///   - input: The input of the request. Each iterator sends the request once.
    public func stream<R: StreamedAPIRequest & Sendable>(
        _ request: R, _ input: R.RequestDataType
    ) -> APIStream<R> where R.RequestDataType: Sendable, R.Parser.Element: Sendable {
        APIStream(apiRequest: request, input: input, session: self, isConcurrent: true)
    }

    /// Returns the elements of the response to a request that needs no input, for a request or
    /// elements that are not `Sendable`.
    ///
    /// The stream runs the request's functions and the parser on the caller's actor.
    public func stream<R: StreamedAPIRequest>(
        _ request: R
    ) -> APIStream<R> where R.RequestDataType == Void {
        stream(request, ())
    }

    /// Returns the elements of the response to a request that needs no input.
    ///
    /// The stream runs the request's functions and the parser off the caller's actor.
    public func stream<R: StreamedAPIRequest & Sendable>(
        _ request: R
    ) -> APIStream<R> where R.RequestDataType == Void, R.Parser.Element: Sendable {
        stream(request, ())
    }
}
