import Foundation

/// A limit, which several chains can share, on the number of requests in progress.
///
///     let limit = RequestLimit(4)
///     let session = URLSession.shared.timingOut(after: .seconds(30)).limited(by: limit)
///     let uploads = URLSession.shared.timingOut(after: .seconds(300)).limited(by: limit)
public final class RequestLimit: Sendable {
    fileprivate let semaphore: AsyncSemaphore

    /// Creates a limit.
    ///
    /// - Parameter count: The maximum number of requests in progress. A value below 1 counts as 1.
    public init(_ count: Int) {
        semaphore = AsyncSemaphore(count)
    }
}

extension HTTPSession {
    /// Returns a session with at most `count` requests in progress. Further requests wait in order
    /// of arrival.
    ///
    ///     let session = URLSession.shared.limited(to: 4)
    ///
    /// The returned session owns the limit. Create the session once and keep it. To share a limit
    /// between chains, use ``limited(by:)``, whose documentation also says when a request counts.
    ///
    /// - Parameter count: The maximum number of requests in progress. A value below 1 counts as 1.
    public func limited(to count: Int) -> some HTTPSession { limited(by: RequestLimit(count)) }

    /// Returns a session whose requests count against a limit. Requests beyond the limit wait in
    /// order of arrival.
    ///
    /// A request counts until it fails or its response is complete. A stream counts until its body
    /// has been read to the end or has failed, or its reader has left. In
    /// `retrying().limited(to: 4)`, a request also counts during the delays between attempts. A
    /// request that is cancelled while waiting ends immediately. After a timeout by an inner
    /// `timingOut`, another request may start while the timed-out request is still ending.
    ///
    /// If a request under the limit waits for the response to another request, send the other
    /// request over a session without the limit. The `refresh` of `Credentials` already does this.
    /// In chains that share a limit and credentials, put the limit on the same side of the
    /// authentication in each chain. Do not use the same limit twice in a chain.
    ///
    /// - Parameter limit: The limit, which other chains can share.
    public func limited(by limit: RequestLimit) -> some HTTPSession {
        ClosureSession(exchange: { [semaphore = limit.semaphore] request, options in
            var options = options
            options.context.begin()
            try await semaphore.wait()
            do {
                // The task may have been cancelled just as its turn came.
                try Task.checkNotCancelled()
                let (body, response) = try await send(request, awaiting: options)
                return (body.reportingEnd { _ in semaphore.signal() }, response)
            } catch {
                semaphore.signal()
                throw error
            }
        })
    }

    /// Returns a session that limits the size of whole responses.
    ///
    ///     let session = URLSession.shared.limitingBodies(to: 10 * 1024 * 1024)
    ///
    /// The limit applies to the decompressed body. Without this policy, the limit is 1 GiB. If a
    /// body is larger, `data(for:)` and `load` fail with ``TransportError/bodyTooLarge(limit:)``.
    /// Streams and downloads do not keep the entire body and have no such limit. If a chain has
    /// several such policies, the outermost policy, which was added last, applies.
    ///
    /// With this policy, a `URLSession` ends the transfer when the limit is exceeded. Without this
    /// policy, Foundation collects the body, and a transfer that exceeds 1 GiB ends later: on
    /// Linux, within seconds, and on Apple platforms, when the entire body has been received.
    ///
    /// - Parameter limit: The maximum size of a body, in bytes.
    public func limitingBodies(to limit: Int) -> some HTTPSession {
        changingContext { $0.bodyLimit = $0.bodyLimit ?? limit }
    }
}
