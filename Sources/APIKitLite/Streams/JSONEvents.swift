import Foundation

extension StreamParser<ServerSentEvent> where Self: Sendable {
    /// Returns a parser that ends at an event with this data, and leaves that event out.
    ///
    ///     ServerSentEvents().until(data: "[DONE]").json(Delta.self)
    ///
    /// Otherwise, it works like `until { $0.data == terminator }`.
    public func until(
        data terminator: String
    ) -> some StreamParser<ServerSentEvent> & Sendable {
        DerivedParser(base: self, needsLast: true) { event in
            event.data == terminator ? (nil, true) : (event, false)
        }
    }

    /// Returns a parser of the JSON in the events' data, as sent by language model APIs.
    ///
    ///     ServerSentEvents().until(data: "[DONE]").json(Delta.self)
    ///     ServerSentEvents().until { $0.event == "message_stop" }.json(Message.self)
    ///
    /// An event with empty data, which a server sends for its ID, produces no element. An event of
    /// the type `error` ends the stream with ``StreamError/event(_:)``. Data that cannot be decoded
    /// ends it with the decoder's error, and is the ``APIRequestError/data`` of the stream's error.
    /// To continue after such data, decode in `compactMap`.
    ///
    /// The elements have no IDs. To resume a stream after its last ID, use the events themselves.
    ///
    /// - Parameters:
    ///   - type: The type of the values, whatever the types of their events.
    ///   - decoder: The decoder for each event's data.
    public func json<Value: Decodable>(
        _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) -> some StreamParser<Value> {
        JSONEvents<Self, Value>(events: self, decoder: decoder)
    }

    /// Returns a `Sendable` parser of the JSON in the events' data.
    ///
    /// This overload is for a type whose conformance is not isolated to an actor.
    public func json<Value: Decodable & SendableMetatype>(
        _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) -> some StreamParser<Value> & Sendable {
        JSONEvents<Self, Value>(events: self, decoder: decoder)
    }
}

private struct JSONEvents<Events: StreamParser, Value: Decodable>: StreamParser
where Events.Element == ServerSentEvent {
    var events: Events
    let decoder: JSONDecoder

    var isComplete: Bool { events.isComplete }
    var mediaTypes: [String] { events.mediaTypes }

    mutating func parse(_ bytes: Data, into values: inout [Value]) throws {
        try append(bytes, to: &values)
    }

    mutating func finish(into values: inout [Value]) throws {
        try append(nil, to: &values)
    }

    private mutating func append(_ bytes: Data?, to values: inout [Value]) throws {
        try events.forEach(in: bytes) { [decoder] event in
            if let value = try decoder.decode(Value.self, from: event) { values.append(value) }
            return true
        }
    }
}

extension JSONEvents: Sendable where Events: Sendable, Value: SendableMetatype {}

extension JSONDecoder {
    /// Decodes an event's data. Returns nil for empty data, and throws for an event of the type
    /// `error`.
    func decode<Value: Decodable>(
        _ type: Value.Type, from event: ServerSentEvent
    ) throws -> Value? {
        if event.event == "error" { throw StreamError.event(event) }
        if event.data.utf8.isEmptyBody { return nil }
        return try decode(type, fromElement: Data(event.data.utf8))
    }

    /// Decodes an element of a stream. A `DecodingError` contains the element's bytes.
    func decode<Value: Decodable>(_ type: Value.Type, fromElement element: Data) throws -> Value {
        do {
            return try decode(type, fromBody: element)
        } catch let error as DecodingError {
            throw error.about(element)
        }
    }
}

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
