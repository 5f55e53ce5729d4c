import Foundation

extension HTTPSession {
    /// Lets identical GET and HEAD requests that are in singleFlight at the same time share one exchange.
    ///
    ///     let session = URLSession.shared.coalescing()
    ///     async let first = loader.load(42)   // one exchange,
    ///     async let second = loader.load(42)  // and both get its answer
    ///
    /// Identical means the same method, URL, headers (names without case), body, cache policy,
    /// timeout and use of cookies and cellular networks; two users' tokens keep two requests
    /// apart. A request whose body comes from a stream is never shared, nor is another method.
    ///
    /// A cancelled request ends at once and disturbs no other; when the last one is cancelled, so is
    /// the exchange. What fails, fails for all who share it, and nothing is kept: the next request
    /// is sent anew.
    ///
    /// Requests are compared as they come here. Inside ``authenticated(by:)`` they carry the user's
    /// token; around it they do not, so there one that is made right after another user signed in
    /// may share an exchange of the user before.
    ///
    /// The shared exchanges are in the value that this returns: make it once and keep it. Copies share
    /// them.
    public func coalescing() -> CoalescingSession {
        CoalescingSession(next: self)
    }
}

/// A session that sends identical requests once: see ``HTTPSession/coalescing()``.
public struct CoalescingSession: SessionPolicy {
    typealias Exchange = SingleFlight<(Data, HTTPURLResponse)>

    /// The session inside, nearer to the network.
    public let next: any HTTPSession
    private let exchanges = Locked<[CoalescingKey: Exchange]>([:])

    init(next: any HTTPSession) {
        self.next = next
    }

    /// Joins the exchange of an identical request, or starts one.
    ///
    /// - Throws: What the shared exchange throws; `URLError.cancelled` when this task is cancelled.
    public func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try Task.checkNotCancelled()
        guard let key = CoalescingKey(request), let (handle, isNew) = join(key) else {
            return try await next.exchange(request)
        }
        // Everybody who has joined comes by here, so the last one removes the exchange.
        defer { forget(handle.singleFlight, key) }
        if isNew {
            handle.singleFlight.start { [next] in try await next.exchange(request) }
        }
        return try await handle.value()
    }

    /// Joins the exchange of a key, or makes one, which is to be started. Nil where the exchange
    /// waits for this very request, as it does if the refresh of a credential asks for the URL of a
    /// request that needs the refresh.
    private func join(_ key: CoalescingKey) -> (handle: Exchange.Handle, isNew: Bool)? {
        exchanges.withLock { exchanges in
            switch exchanges[key]?.join() {
            case .joined(let handle): return (handle, false)
            case .circular: return nil
            case .over, nil:
                let handle = Exchange.joined(isCancelledWithLastWaiter: true)
                exchanges[key] = handle.singleFlight
                return (handle, true)
            }
        }
    }

    private func forget(_ exchange: Exchange, _ key: CoalescingKey) {
        exchanges.withLock { exchanges in
            if exchanges[key] === exchange, exchange.isOver { exchanges[key] = nil }
        }
    }
}
