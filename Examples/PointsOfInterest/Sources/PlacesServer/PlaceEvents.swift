import APIKitLite
import APIKitLiteTesting
import Foundation
import PointsOfInterest

/// The checked header of `GET /events`, and the events of one connection.
struct PlaceEvents {
    /// One event for each place, whose ID is the number of the place, from 1 on.
    let events: [ServerSentEvent]

    /// Reads `Last-Event-ID`, which a client sends when it connects again.
    ///
    /// - Throws: ``InvalidQuery`` if it is not the ID of an event.
    init(after lastEventID: String?, of places: [PointOfInterest]) throws(InvalidQuery) {
        guard let last = Int(lastEventID ?? "0"), (0...places.count).contains(last) else {
            throw InvalidQuery(
                "Last-Event-ID must be the ID of an event, but is \"\(lastEventID ?? "")\".")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A connection has 20 events at most, as a server that is restarted now and then.
        events = places.dropFirst(last).prefix(20).enumerated().map { index, place in
            // A place can always be encoded.
            let json = (try? encoder.encode(place)) ?? Data()
            return ServerSentEvent(
                event: "place", data: String(decoding: json, as: UTF8.self),
                id: String(last + index + 1))
        }
    }

    /// Returns the events, two in a second, or 204 after the last place.
    ///
    /// - Parameter isCut: Whether the connection breaks within the fourth event.
    func response(isCut: Bool) -> MockResponse {
        guard !events.isEmpty else { return .status(204) }
        // The client waits up to half a second before it connects again.
        let texts = ["retry: 500\n" + events[0].text] + events.dropFirst().map(\.text)
        let response = MockResponse.chunks(
            texts, every: .milliseconds(500), contentType: "text/event-stream")
        guard isCut else { return response }
        return response.failing(afterBytes: texts.prefix(3).joined().utf8.count + 10)
    }
}
