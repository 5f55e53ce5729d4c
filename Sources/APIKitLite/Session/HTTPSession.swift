import Foundation

/// A type that sends a request and returns its response. A loader needs only this from its session.
///
/// `URLSession` and every policy conform to this protocol. A policy wraps another session, so
/// policies can be chained. To add a policy, write a type with a `send` function:
///
/// ```swift
/// struct LanguageSession: HTTPSession {
///     let next: any HTTPSession
///
///     func send(
///         _ request: URLRequest, awaiting options: SendOptions
///     ) async throws -> (HTTPBody, HTTPURLResponse) {
///         try await next.send(
///             request.header("Accept-Language", "fr"), awaiting: options)
///     }
/// }
/// ```
///
/// ## Topics
///
/// ### Read events
///
/// - ``events(_:after:reconnecting:willReconnect:name:redaction:validate:clock:random:now:)``
///
/// ### Download files
///
/// - ``download(_:to:progress:retrying:clock:name:redaction:validate:random:)``
/// - ``download(_:_:to:progress:retrying:clock:random:)``
///
/// ### Add a policy
///
/// - ``timingOut(after:idle:clock:)``
/// - ``retrying(_:clock:deciding:random:now:)``
/// - ``authenticated(by:clock:)``
/// - ``authenticated(for:clock:token:)``
/// - ``redirecting(_:)-(RedirectPolicy)``
/// - ``redirecting(_:)-((HTTPURLResponse,URLRequest)->URLRequest?)``
/// - ``limitingBodies(to:)``
/// - ``limited(to:)``
/// - ``limited(by:)``
/// - ``coalescing()``
/// - ``intercepting(_:)``
/// - ``observed(clock:by:)``
///
/// ### Send a request as it is
///
/// - ``data(for:progress:)``
/// - ``data(from:)``
/// - ``upload(for:from:progress:)``
/// - ``stream(_:buffering:)``
/// - ``send(_:awaiting:)``
public protocol HTTPSession: Sendable {
    /// Sends a request, and returns when the awaited part of the response has arrived.
    ///
    /// A response with any status is returned, not thrown. The transfer ends when the task is
    /// cancelled, an unread body in pieces is released, or the loop over a body in pieces is left.
    ///
    /// If your session cannot stream, return a complete body even if only the headers are awaited.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - options: What to wait for: the whole response, or its headers.
    /// - Returns: The body, and the status and headers. For ``SendOptions/body``, the body is
    ///   complete.
    /// - Throws: The reason the response was not received. A `URLSession` usually throws a
    ///   `URLError`.
    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse)
}

extension HTTPSession {
    /// Sends a request, and returns its response when the whole body has been received.
    ///
    /// `URLSession` has its own function with this name. The compiler prefers that function, but
    /// the function lacks the fixes for Linux. With a `URLSession`, write
    /// `load(request, as: Data.self)`, or store the session as `any HTTPSession`.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - progress: Called on any thread while the request's body is sent, with the number of
    ///     bytes passed to the connection so far, and the body's size. When the number reaches the
    ///     size, a few hundred kilobytes may still be in transit. If the server refuses the body
    ///     before all of it was passed on, the number stays below the size. If the request is sent
    ///     again, the number drops. For your own body stream, the size is nil on Apple platforms,
    ///     and `progress` is not called on Linux.
    /// - Returns: The body's bytes, and the status and headers.
    /// - Throws: Any error thrown by ``send(_:awaiting:)``.
    public func data(
        for request: URLRequest,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws -> (Data, HTTPURLResponse) {
        var options = SendOptions.body
        options.context.didSend = progress
        let (body, response) = try await send(request, awaiting: options)
        return (try await body.collect(limit: body.wholeLimit), response)
    }

    /// Sends a `GET` for a URL, and returns its response when the whole body has been received.
    ///
    /// - Throws: Any error thrown by ``send(_:awaiting:)``.
    public func data(from url: URL) async throws -> (Data, HTTPURLResponse) {
        try await data(for: URLRequest(url: url))
    }

    /// Sends a request with a body, and returns its response when the whole body has been received.
    ///
    /// - Parameters:
    ///   - request: The request to send, for example with the method `POST`.
    ///   - bodyData: The body, which replaces the request's own body.
    ///   - progress: Called while the body is sent: see ``data(for:progress:)``.
    /// - Returns: The response body's bytes, and the status and headers.
    /// - Throws: Any error thrown by ``send(_:awaiting:)``.
    public func upload(
        for request: URLRequest, from bodyData: Data,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws -> (Data, HTTPURLResponse) {
        var request = request
        request.httpBody = bodyData
        return try await data(for: request, progress: progress)
    }

    /// Sends a request, and returns its response as soon as the headers have been received.
    ///
    /// If the reader is slow, bytes are buffered. On Apple platforms, a `URLSession` suspends its
    /// task while more than 1 MiB, or half of the limit if that is less, is buffered, so that the
    /// server waits. Foundation on Linux cannot slow only one task. While more than 2 MiB, or half
    /// of the limit if that is less, is buffered, all transfers of the process are slowed. Once the
    /// reader has read nothing for 100 ms, they are no longer slowed.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - limit: The maximum number of buffered bytes. Nil means 64 MiB. If more bytes are unread,
    ///     unless they arrived in one piece, the body throws ``TransportError/bodyLimit(_:)``.
    /// - Returns: The body, which can be read once, and the status and headers.
    /// - Throws: Any error thrown by ``send(_:awaiting:)``.
    public func stream(
        _ request: URLRequest, buffering limit: Int? = nil
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        var (body, response) = try await send(request, awaiting: .head(limit: limit))
        body.exchange = (request, response)
        return (body, response)
    }
}
