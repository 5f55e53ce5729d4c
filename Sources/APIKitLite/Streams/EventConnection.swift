import Foundation

/// One connection of an ``EventStream``, whose response is an event stream.
struct EventConnection {
    private(set) var parser: ServerSentEvents
    private var pieces: HTTPBody.AsyncIterator
    private let load: Load

    /// Sends the request of the next connection, and checks the status and headers of its response.
    ///
    /// - Parameter refusalTimer: Returns the timer that limits how long the body of a refused
    ///   response is read. It is called when that response has arrived.
    /// - Throws: The end of the connection, if the response is no event stream, or if there is none.
    static nonisolated(nonsending) func open(
        _ request: URLRequest, _ reconnection: Reconnection, over session: any HTTPSession,
        redaction: Redaction, refusalTimer: () -> DeadlineTimer?
    ) async throws(ConnectionEnd) -> EventConnection {
        var load = Load(session: session, request: request, redaction: redaction)
        do {
            load.request = try reconnection.request(request)
        } catch {
            throw ConnectionEnd(load.failure(.makeRequest, error))
        }
        let (body, response): (HTTPBody, HTTPURLResponse)
        do {
            (body, response) = try await load.open(awaiting: .head(), refusalTimer: refusalTimer) {
                _, response in try response.validateStatus(200)
            }
        } catch {
            throw ConnectionEnd(error)
        }
        let parser = ServerSentEvents(continuing: reconnection.lastEventID)
        do {
            try parser.checkContentType(of: response)
        } catch {
            throw ConnectionEnd(await load.refusal(.parse, error, body, within: refusalTimer()))
        }
        return EventConnection(parser: parser, pieces: body.makeAsyncIterator(), load: load)
    }

    /// Suspends until an event has arrived, and returns all that have.
    ///
    /// - Returns: At least one event.
    /// - Throws: The end of the connection.
    nonisolated(nonsending) mutating func nextEvents() async throws(ConnectionEnd)
        -> [ServerSentEvent]
    {
        // The empty piece throws the error that follows the events of the last call, if there is one.
        var piece: Data? = Data()
        while let bytes = piece {
            do {
                let events = try parser.parse(bytes)
                if !events.isEmpty { return events }
            } catch {
                throw ConnectionEnd(load.failure(.parse, error))
            }
            do {
                piece = try await pieces.next()
            } catch {
                throw ConnectionEnd(load.failure(.transport, error))
            }
        }
        // Nothing is left to parse: an event without an empty line after it is ignored.
        throw ConnectionEnd(.complete)
    }
}
