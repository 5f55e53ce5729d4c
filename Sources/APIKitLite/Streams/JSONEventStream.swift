import Foundation

/// An asynchronous sequence of values decoded from the JSON data of an ``EventStream``.
///
/// To create one, call ``EventStream/json(_:decoder:)``.
public struct JSONEventStream<Value: Decodable>: AsyncSequence {
    fileprivate let events: EventStream
    fileprivate let decoder: JSONDecoder

    /// Returns an iterator that has no connection yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(events: events.makeAsyncIterator(), decoder: decoder)
    }

    /// An iterator over the values.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var events: EventStream.Iterator
        fileprivate let decoder: JSONDecoder

        /// Returns the value decoded from the next event, or `nil` after the last one. Stays on the
        /// caller's actor.
        ///
        /// - Throws: ``APIRequestError``, as in ``EventStream/Iterator/next()``. In stage
        ///   ``APIRequestError/Stage/parse``, it may also be the decoder's error or
        ///   ``StreamError/event(_:)``. Every later call returns `nil`.
        public nonisolated(nonsending) mutating func next() async throws(APIRequestError) -> Value?
        {
            while let event = try await events.next() {
                do {
                    if let value = try decoder.decode(Value.self, from: event) { return value }
                } catch {
                    throw events.end(parsing: error)
                }
            }
            return nil
        }

        /// Does the same as `next()`. `for try await` calls it to stay on the caller's actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?)
            async throws(APIRequestError)
            -> Value?
        {
            try await next()
        }
    }
}

extension JSONEventStream: Sendable where Value: SendableMetatype {}

extension EventStream {
    /// Returns the values decoded from the JSON data of the events.
    ///
    ///     for try await headline in session.events(request).json(Headline.self) { show(headline) }
    ///
    /// An event with empty data has no value. An event of the type `error`, or data that cannot be
    /// decoded, ends the sequence with an error. To continue after it, decode the events yourself.
    /// The events also have the IDs with which another process can continue.
    ///
    /// - Parameters:
    ///   - type: The type of the values, whatever the types of their events.
    ///   - decoder: The decoder for each event's data.
    public func json<Value: Decodable>(
        _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) -> JSONEventStream<Value> {
        JSONEventStream(events: self, decoder: decoder)
    }
}
