import Foundation

extension StreamParser<ServerSentEvent> where Self: Sendable {
    /// Returns a parser that ends at the first event with the given data, and omits that event.
    ///
    ///     ServerSentEvents().until(data: "[DONE]").json(Delta.self)
    ///
    /// Otherwise, the parser works like `until { $0.data == terminator }`.
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
    /// An event with empty or blank data produces no element. A server can send such an event to
    /// set the ID. An event of the type `error` ends the stream with ``StreamError/event(_:)``. If
    /// an event's data cannot be decoded, the stream fails with the decoder's error in an
    /// ``APIRequestError``. For a `DecodingError`, ``APIRequestError/data`` is the event's data. To
    /// continue after data that cannot be decoded, decode the events in `compactMap`.
    ///
    /// The elements have no IDs. To resume a stream after its last ID, use the events themselves.
    ///
    /// - Parameters:
    ///   - type: The type of the value in each event's data, whatever the event's own type is.
    ///   - decoder: The decoder for each event's data.
    public func json<Value: Decodable>(
        _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) -> some StreamParser<Value> {
        JSONEvents<Self, Value>(events: self, decoder: decoder)
    }

    /// Returns a `Sendable` parser of the JSON in the events' data.
    ///
    /// This overload is for a `Value` whose `Decodable` conformance is not isolated to an actor.
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
            if event.event == "error" { throw StreamError.event(event) }
            if !event.data.utf8.isEmptyBody {
                values.append(try decoder.decode(Value.self, fromElement: Data(event.data.utf8)))
            }
            return true
        }
    }
}

extension JSONEvents: Sendable where Events: Sendable, Value: SendableMetatype {}

extension ServerSentEvent {
    /// Decodes the event's data from JSON.
    ///
    ///     for try await event in session.events(request, after: lastEventID) {
    ///         if event.event == "headline" { show(try event.decode(Headline.self)) }
    ///         lastEventID = event.id
    ///     }
    ///
    /// If the type is `Data`, the data is returned unchanged. If the type is optional, nil is
    /// returned for empty or blank data.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder. By default, this is a new `JSONDecoder`.
    ///   - redaction: The secrets to hide in the error's texts.
    /// - Throws: ``APIRequestError`` in stage ``APIRequestError/Stage/parse``, with the event's
    ///   data and without a request. The error's text says why the data cannot be decoded, and
    ///   names the event's type and, if it is not empty, the event's ID.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, using decoder: JSONDecoder = JSONDecoder(),
        redaction: Redaction = .standard
    ) throws(APIRequestError) -> Value {
        let element = Data(data.utf8)
        do {
            return try decoder.decode(type, fromElement: element)
        } catch {
            var failure = APIRequestError(
                stage: .parse, data: element, underlying: error, redaction: redaction)
            let (type, id) = (redaction.excerpt(event), redaction.excerpt(id))
            failure.hint = """
                The event has the type \(type.debugDescription)\
                \(id.isEmpty ? "" : " and the ID \(id.debugDescription)").
                """
            throw failure
        }
    }
}

extension JSONDecoder {
    /// Decodes an element of a stream. A thrown `DecodingError` contains the element's bytes.
    func decode<Value: Decodable>(_ type: Value.Type, fromElement element: Data) throws -> Value {
        do {
            return try decode(type, fromBody: element)
        } catch let error as DecodingError {
            throw error.about(element)
        }
    }
}
