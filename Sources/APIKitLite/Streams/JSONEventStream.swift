import Foundation

/// An asynchronous sequence of the JSON in the data of the events of an ``EventStream``, which
/// continues over several connections.
///
/// ``EventStream/json(_:decoder:)`` returns it.
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

        /// Returns the value of the next event, or `nil` after the last one. Stays on the caller's
        /// actor.
        ///
        /// - Throws: ``APIRequestError``: the errors of ``EventStream/Iterator/next()``, and in the
        ///   stage ``APIRequestError/Stage/parse`` the error of the decoder, or
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

        /// Does the same as `next()`. `for try await` calls this one to stay on the caller's actor.
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
    /// Returns the JSON in the data of the events.
    ///
    ///     for try await headline in session.events(request).json(Headline.self) { show(headline) }
    ///
    /// An event with empty data has no value. An event of the type `error`, and data that cannot be
    /// decoded, end the sequence with an error. To go on after it, decode the events themselves; they
    /// also have the IDs with which another process can continue.
    ///
    /// - Parameters:
    ///   - type: The type of the values, whatever the types of their events.
    ///   - decoder: The decoder of the data of each event.
    public func json<Value: Decodable>(
        _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) -> JSONEventStream<Value> {
        JSONEventStream(events: self, decoder: decoder)
    }
}
