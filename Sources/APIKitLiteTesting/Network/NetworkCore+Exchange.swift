import APIKitLite
import Foundation

extension NetworkCore {
    /// Runs a whole exchange, with redirects and cookies, for a client without a `URLSession`. The
    /// client's task waits for the answer.
    ///
    /// - Throws: The error of a stub or of its handler, or a `URLError`.
    func exchange(_ first: URLRequest) async throws -> Answer {
        let jar = CookieJar(self)
        let passage = Passage(of: first)
        let limits = RedirectLimits(of: first)
        // Most networks have no cookies, and a lookup costs a microsecond.
        var request = try RequestBody.fill(hasCookieStorage ? jar.applied(to: first) : first, nil)
        for _ in 0...redirectLimit {
            let answer = try await answer(to: request, passage)
            jar.store(from: answer.response, to: request)
            guard let next = redirectedRequest(after: answer.response, from: request) else {
                return answer
            }
            if let refusal = limits.refusal(of: next.url) { throw refusal }
            request = jar.applied(to: next)
        }
        throw URLError(.httpTooManyRedirects)
    }

    private func answer(to request: URLRequest, _ passage: Passage) async throws -> Answer {
        let decision = decide(on: request, passage: passage)
        if case .now(let result) = decision.resolution {
            _ = journal.append(decision.record, awaitedBy: nil)
            try Task.checkNotCancelled()
            return try result.get()
        }
        let client = TaskClient()
        // Installed before the request is recorded: the test may call `verify()` as soon as it has
        // cancelled the task.
        return try await withTaskCancellationHandler {
            let accumulator = Locked(ResponseAccumulator())
            let handle = carryOut(decision, for: client, running: Self.startHere) { event in
                let result = accumulator.withLock { $0.add(event) }
                if let result { client.waiter.end(with: result) }
            }
            client.keep(handle)
            let result = await Result { try await client.waiter.value() }
            guard Task.isCancelled else { return try result.get() }
            // The cancellation may have come before `keep(_:)` or after the answer.
            handle.recordCancellation()
            handle.cancelWork?()
            throw URLError(.cancelled)
        } onCancel: {
            client.cancel()
        }
    }

    /// Starts a handler in a task of its own, on the caller's thread where the system can.
    ///
    /// In a separate task, a handler that ignores its cancellation does not delay the caller.
    private static func startHere(_ handler: @escaping @Sendable () async -> Void) -> Cancellation {
        let task = Task.immediateIfAvailable(handler)
        return Cancellation { task.cancel() }
    }
}
