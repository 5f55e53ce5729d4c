import APIKitLite
import Foundation

/// A client's request to a network, and the further requests to which redirects lead.
///
/// `state` has its own lock.
final class ClientRequest: Sendable {
    private struct State: Sendable {
        /// The journal's ID of the last of these requests.
        var id: Int?
        /// Delivers the response to the last request; nil if the response was immediate.
        var delivery: Delivery?
        var isCancelled = false
    }

    private let core: NetworkCore
    private let client: any Client
    private let receive: @Sendable (ResponsePart) -> Void
    private let state = Locked(State())

    /// Creates a request that has not been sent.
    ///
    /// - Parameters:
    ///   - core: The network that responds.
    ///   - client: The client waiting for the response.
    ///   - receive: A closure that receives each part of the response, on any thread.
    init(
        to core: NetworkCore, from client: any Client,
        receive: @escaping @Sendable (ResponsePart) -> Void
    ) {
        (self.core, self.client, self.receive) = (core, client, receive)
    }

    /// Records a request, whose body is in `httpBody`, and responds to the request now or later.
    func send(_ request: URLRequest, afterRedirects redirects: Int = 0) {
        let (record, reply) = core.decide(on: request, passes: client.passes)
        send(record, reply, afterRedirects: redirects)
    }

    /// Records a request, and sends its reply.
    func send(_ record: RecordedRequest, _ reply: Reply, afterRedirects redirects: Int = 0) {
        // The delivery is created before the request is recorded, because a test that has waited
        // for the request may ask what the response is waiting for.
        var delivery: Delivery?
        if case .later(let reason, let stream, _) = reply {
            delivery = Delivery(to: record, for: client, in: core.time, reason, stream) {
                [self] part, time in
                // The delivery starts after the ID is set, and ends before the next request is
                // sent.
                if let id = state.withLock(\.id) { core.journal.record(part, of: id, at: time) }
                receive(part, to: record.request, afterRedirects: redirects)
            }
        }
        let id = core.journal.append(record, delivery)
        let isCancelled = state.withLock { state in
            (state.id, state.delivery) = (id, delivery)
            return state.isCancelled
        }
        if isCancelled { recordCancellation() }
        switch reply {
        case .now(let part):
            if !isCancelled { receive(part, to: record.request, afterRedirects: redirects) }
        case .later(_, _, let function):
            delivery?.start(function, on: core.handlers)
            core.watch.begin()
            if isCancelled { cancelWork() }
        }
    }

    /// Stores cookies, and follows a redirect or passes the response to the client.
    private func receive(
        _ part: ResponsePart, to request: URLRequest, afterRedirects redirects: Int
    ) {
        // Like a `URLSession`, store cookies when the headers arrive, because the body may take a
        // long time.
        part.head?.response.storeCookies(in: client.cookieStorage, for: request)
        guard let response = part.completeHead?.response, response.isRedirect else {
            return receive(part)
        }
        client.follow(response, to: request) { [self] decision in
            switch decision {
            case .success(nil): receive(part)
            case .success(let next?) where redirects < redirectLimit:
                if state.withLock(\.isCancelled) { return }
                send(next.addingCookies(of: client.cookieStorage), afterRedirects: redirects + 1)
            case .success: receive(.failure(URLError(.httpTooManyRedirects)))
            case .failure(let error): receive(.failure(error))
            }
        }
    }

    /// Records that the client cancelled the request.
    func recordCancellation() {
        let (id, delivery) = state.withLock { state in
            state.isCancelled = true
            return (state.id, state.delivery)
        }
        // The stream closes first, so that `send` throws in a test that has just waited for the
        // request to end.
        delivery?.closeStream()
        if let id { core.journal.markCancelled(id, at: core.time.now) }
    }

    /// Stops the response and its handler.
    func cancelWork() {
        state.withLock(\.delivery)?.cancel()
    }

    /// Records that the client cancelled the request. The response and its handler stop a moment
    /// later, on another thread.
    ///
    /// Cancelling a handler may run the user's code, which must not run on the loading thread and
    /// must not delay a server.
    func cancel() {
        recordCancellation()
        DispatchQueue.global().async { [self] in cancelWork() }
    }
}
