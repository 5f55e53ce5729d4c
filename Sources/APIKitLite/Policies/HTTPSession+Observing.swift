import Foundation

extension HTTPSession {
    /// Returns a session that reports each exchange, and each response that a load rejects, to a
    /// closure.
    ///
    ///     let session = URLSession.shared.observed { print($0) }
    ///     // #1 GET https://api.example.com/users/42
    ///     // #1 GET https://api.example.com/users/42: 200 (OK), 15 bytes, 0.030 s
    ///
    /// The order in a chain matters. In `observed { … }.retrying()`, each attempt is an exchange.
    /// In `retrying().observed { … }`, all attempts together are one exchange. To hide more
    /// secrets, use ``ExchangeEvent/description(redacting:)``.
    ///
    /// The returned session counts its exchanges from 1. Chains that wrap the returned session
    /// share the count.
    ///
    /// - Parameters:
    ///   - clock: The clock that measures the durations.
    ///   - onEvent: Receives each event. The closure is called in the exchange's task, which
    ///     continues when the closure returns. Calls for concurrent exchanges may overlap. The end
    ///     of a stream is reported in the task that reads the body. If no task reads, the end is
    ///     reported where the body is ended or released. The end of a complete body is reported
    ///     immediately. A rejection is reported in the load's task.
    public func observed(
        clock: any Clock<Duration> = ContinuousClock(),
        by onEvent: @escaping @Sendable (ExchangeEvent) -> Void
    ) -> some HTTPSession {
        let timeline = Timeline(clock)
        let count = Locked(0)
        return ClosureSession(exchange: { request, options in
            let id = count.next()
            let type = options.context.requestType
            onEvent(ExchangeEvent(.started, id: id, request, type: type))
            let start = timeline.now()
            let report = { @Sendable (kind: ExchangeEvent.Kind, response: HTTPURLResponse?) in
                onEvent(
                    ExchangeEvent(
                        kind, id: id, request, type: type, response: response,
                        after: timeline.now() - start))
            }
            var inner = options
            inner.context.didResend = {
                report(.resent, nil)
                options.context.didResend?()
            }
            do {
                var (body, response) = try await send(request, awaiting: inner)
                body.notes.didReject.append { onEvent(ExchangeEvent(rejected: $0, id: id)) }
                if options.bufferLimit == nil {
                    report(.received(bytes: body.data?.count ?? 0), response)
                    return (body, response)
                }
                report(.opened, response)
                return (body.reportingEnd { report($0, nil) }, response)
            } catch {
                report(.failed(error), nil)
                throw error
            }
        })
    }
}
