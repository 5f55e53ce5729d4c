import Foundation

extension HTTPSession {
    /// Returns a session that limits the size of whole responses.
    ///
    ///     let session = URLSession.shared.limitingBodies(to: 10 * 1024 * 1024)
    ///
    /// The size is that of the decompressed body. Without this policy, it is 1 GiB. If a body is
    /// larger, `exchange` and `load` fail with ``TransportError/bodyTooLarge(limit:)``. Streams and
    /// downloads do not keep the whole body and have no such limit. If a chain has several such
    /// policies, the outermost one, which is the last one added, decides.
    ///
    /// On Linux, a `URLSession` ends the transfer soon after the limit. On Apple platforms, it
    /// receives the whole body first.
    ///
    /// - Parameter limit: The number of bytes that a body may have.
    public func limitingBodies(to limit: Int) -> some HTTPSession {
        BodyLimitingSession(next: self, limit: limit)
    }
}

private struct BodyLimitingSession: SessionPolicy {
    let next: any HTTPSession
    let limit: Int

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        var options = options
        options.context.bodyLimit = options.context.bodyLimit ?? limit
        let (body, response) = try await next.send(request, awaiting: options)
        return (try body.limited(by: options), response)
    }
}
