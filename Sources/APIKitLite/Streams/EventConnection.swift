import Foundation

/// One connection of an ``EventStream``, whose response is an event stream.
struct EventConnection {
    private(set) var parser: ServerSentEvents
    private var pieces: HTTPBody.AsyncIterator
    private let attempt: Attempt

    /// Sends the request of the next connection, and checks the status and headers of its response.
    ///
    /// - Parameter refusalTimer: Returns the timer that limits how long the body of a refused
    ///   response is read. It is called when that response has arrived.
    /// - Throws: The end of the connection, if the response is no event stream, or if there is none.
    static nonisolated(nonsending) func open(
        _ request: URLRequest, _ reconnection: Reconnection, over session: any HTTPSession,
        redaction: Redaction, refusalTimer: () -> DeadlineTimer?
    ) async throws(ConnectionEnd) -> EventConnection {
        var attempt = Attempt(request: request, redaction: redaction)
        do {
            attempt.request = try reconnection.request(request)
        } catch {
            throw attempt.end(.makeRequest, error)
        }
        let body: HTTPBody
        let response: HTTPURLResponse
        do {
            (body, response) = try await session.stream(attempt.request)
        } catch {
            throw attempt.end(.transport, error)
        }
        attempt.response = response
        let parser = ServerSentEvents(continuing: reconnection.lastEventID)
        do {
            try response.validateStatus(200)
        } catch {
            throw attempt.end(.validate, error, data: await body.beginning(within: refusalTimer()))
        }
        do {
            try parser.checkContentType(of: response)
        } catch {
            throw attempt.end(.parse, error, data: await body.beginning(within: refusalTimer()))
        }
        return EventConnection(
            parser: parser, pieces: body.makeAsyncIterator(), attempt: attempt)
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
                throw attempt.end(.parse, error)
            }
            do {
                piece = try await pieces.next()
            } catch {
                throw attempt.end(.transport, error)
            }
        }
        // Nothing is left to parse: an event without an empty line after it is ignored.
        throw ConnectionEnd(.complete)
    }
}

/// The request of one connection, and its response if there is one: the context of its errors.
private struct Attempt {
    var request: URLRequest
    var response: HTTPURLResponse?
    let redaction: Redaction

    func end(
        _ stage: APIRequestError.Stage, _ error: any Error, data: Data? = nil
    ) -> ConnectionEnd {
        ConnectionEnd(
            APIRequestError(
                stage: stage, request: request, response: response, data: data, underlying: error,
                redaction: redaction))
    }
}
