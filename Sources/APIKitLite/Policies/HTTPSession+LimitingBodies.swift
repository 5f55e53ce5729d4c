extension HTTPSession {
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
