import Foundation

/// A type that sends a request and returns its response: all that a loader needs of a network.
///
/// `URLSession` conforms. A type that wraps another session conforms too, so policies can be
/// chained: see ``SessionPolicy``.
///
/// ## Topics
///
/// ### Load a request
///
/// - ``load(_:_:)-c2r9``
/// - ``load(_:_:)-2vd5h``
/// - ``load(_:_:)-968gf``
/// - ``load(_:)-4eheg``
/// - ``load(_:)-969pr``
/// - ``load(_:)-9k6st``
/// - ``response(_:for:)-7fs41``
/// - ``response(_:for:)-1smod``
/// - ``response(_:for:)-1g8h0``
/// - ``response(_:)-4k6vv``
/// - ``response(_:)-4r5rw``
/// - ``response(_:)-759or``
///
/// ### Read streams, events and pages
///
/// - ``stream(_:_:)-2c6m7``
/// - ``stream(_:_:)-61jyb``
/// - ``stream(_:)-6w1mz``
/// - ``stream(_:)-8k5x4``
/// - ``events(_:after:reconnecting:willReconnect:redaction:clock:random:now:)``
/// - ``pages(_:from:limit:)-2uuhe``
/// - ``pages(_:from:limit:)-585z5``
/// - ``elements(_:from:limit:)-2dmia``
/// - ``elements(_:from:limit:)-82w9m``
///
/// ### Download and upload files
///
/// - ``download(_:to:progress:retrying:clock:random:)``
/// - ``download(_:_:to:progress:retrying:clock:random:)``
/// - ``reporting(to:)``
///
/// ### Add a policy
///
/// - ``timingOut(after:idle:clock:)``
/// - ``retrying(_:clock:random:now:)``
/// - ``authenticated(by:)``
/// - ``limited(to:)``
/// - ``limited(by:)``
/// - ``coalescing()``
/// - ``intercepting(_:)``
/// - ``observed(by:)``
/// - ``observed(clock:onEvent:)``
/// - ``observed(redacting:clock:onLine:)``
///
/// ### Send a `URLRequest`
///
/// - ``exchange(_:)``
/// - ``stream(_:buffering:)``
/// - ``send(_:awaiting:)``
/// - ``loadDidFail(_:)``
public protocol HTTPSession: Sendable {
    /// Sends a request, and returns when the awaited part of the response has arrived.
    ///
    /// A response with any status is returned, not thrown. Cancelling the task ends the transfer.
    /// So do releasing a body that comes in pieces, and leaving the loop over it.
    ///
    /// A session of your own that cannot stream returns a complete body in any case.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - options: What to wait for: the whole response, or its headers.
    /// - Returns: The body, and the status and headers. For ``SendOptions/body``, the body is
    ///   complete.
    /// - Throws: The reason why that was not received. For a `URLSession`, it is a `URLError`.
    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse)

    /// Informs the session that a load failed after its exchange had succeeded: the response was
    /// not accepted (stage `.validate`) or not parsed (stage `.parse`).
    ///
    /// A session that wraps another one forwards this call, so that an observer at any position in
    /// a chain is informed. ``SessionPolicy`` does so. By default, does nothing.
    ///
    /// - Parameter error: The error that the load throws.
    func loadDidFail(_ error: APIRequestError)
}

extension HTTPSession {
    /// Does nothing.
    public func loadDidFail(_ error: APIRequestError) {}

    /// Sends a request, and returns its response when the whole body has been received.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The bytes of the body, and the status and headers.
    /// - Throws: The errors of ``send(_:awaiting:)``.
    public func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let (body, response) = try await send(request, awaiting: .body)
        return (try await body.collect(), response)
    }

    /// Sends a request, and returns its response as soon as the headers have been received.
    ///
    /// If the reader of the body is slow, bytes wait for it. On Apple platforms, a `URLSession`
    /// suspends its task while more than 1 MiB or half of the limit waits, so that the server
    /// waits. On Linux, while more than 2 MiB or half of the limit waits, the server is delayed for
    /// 100 ms at most until the reader takes something.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - limit: The number of bytes that may wait for the reader. If more arrive, the body ends
    ///     with ``TransportError/bodyLimit(_:)``.
    /// - Returns: The body, which can be read once, and the status and headers.
    /// - Throws: The errors of ``send(_:awaiting:)``.
    public func stream(
        _ request: URLRequest, buffering limit: Int = SendOptions.standardLimit
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        try await send(request, awaiting: .head(limit: limit))
    }
}
