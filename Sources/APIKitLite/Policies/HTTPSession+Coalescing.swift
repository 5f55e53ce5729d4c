import Foundation

extension HTTPSession {
    /// Returns a session that shares one exchange among identical concurrent requests.
    ///
    ///     let session = URLSession.shared.coalescing()
    ///     async let first = loader.load(42)   // starts an exchange
    ///     async let second = loader.load(42)  // shares it
    ///
    /// Only `GET`, `HEAD` and `QUERY` (RFC 10008) requests share an exchange. Two requests are
    /// identical if they have the same method, URL, headers, body, cache policy, timeout, cookie
    /// handling, cellular access and `limitingBodies` limit. The case of header names is ignored.
    /// Requests with different users' tokens are not identical.
    ///
    /// These requests always have their own exchange:
    /// - a request with a body stream
    /// - a request for a stream, because a stream has one reader
    /// - a request with an outer redirect policy, as in `coalescing().redirecting(.refuse)`
    /// - a request sent inside a shared exchange, or inside the `load`, `refresh`, `save` or
    ///   `token` closure of a credential, because such a request could wait for itself
    ///
    /// If a request is cancelled while others share its exchange, it ends immediately, without
    /// effect on the others. If it is the only request left, the exchange is cancelled too, and the
    /// request ends when the exchange has ended. So in `coalescing().limited(to: 4)`, at most four
    /// exchanges are in progress. If an exchange fails, all its requests throw the exchange's
    /// error. Responses are not cached: a later request starts a new exchange.
    ///
    /// The order in a chain matters. In `coalescing().authenticated(by: tokens)`, the compared
    /// requests contain the user's token. In `authenticated(by: tokens).coalescing()`, the compared
    /// requests contain no token, so a request made right after another user signs in may share the
    /// previous user's exchange.
    ///
    /// The returned session owns the shared exchanges, and copies of the session share them. Create
    /// the session once and keep it.
    public func coalescing() -> some HTTPSession {
        let exchanges = Locked<[[AnyHashable?]: SingleFlight<(HTTPBody, HTTPURLResponse)>]>([:])
        return ClosureSession(exchange: { request, options in
            try Task.checkNotCancelled()
            // A refresh's request must not join an exchange that is waiting for the refresh.
            guard options.bufferLimit == nil, !SharedWork.isRunning,
                let key = request.coalescingKey(options.context)
            else { return try await send(request, awaiting: options) }
            let handle = exchanges.withLock {
                SingleFlight.join(&$0[key], isCancelledWithLastTask: true)
            }
            // The first request that leaves after the exchange has ended or was cancelled removes
            // the exchange, unless another exchange has taken its key.
            defer {
                let exchange = handle.singleFlight
                exchanges.withLock { exchanges in
                    if exchanges[key] === exchange, exchange.isOver { exchanges[key] = nil }
                }
            }
            return try await handle.value { try await send(request, awaiting: options) }
        })
    }
}

extension URLRequest {
    /// Returns the properties that must be equal for two requests to share one exchange.
    ///
    /// The key contains the values themselves, because redacted text would make two users' requests
    /// look equal. Returns `nil` for a request with a body stream, no URL, a redirect policy (which
    /// cannot be compared), or a method other than `GET`, `HEAD` and `QUERY`. Such a request must
    /// have its own exchange.
    fileprivate func coalescingKey(_ context: SendContext) -> [AnyHashable?]? {
        let method = httpMethod ?? "GET"
        guard ["GET", "HEAD", "QUERY"].contains(method), httpBodyStream == nil,
            context.redirects == nil, let url = url?.absoluteString
        else { return nil }
        // On Linux, a header's name may occur in two spellings. The key contains both values, in a
        // fixed order.
        let fields = sortedHeaderFields.map { ($0.lowercased(), $1) }
        let headers = Dictionary(fields) { $0 + "\n" + $1 }
        return [
            method, url, headers, httpBody, cachePolicy, timeoutInterval, httpShouldHandleCookies,
            allowsCellularAccess, context.bodyLimit,
        ]
    }
}
