import Foundation

/// One request of a load: it is sent, its response is checked, and its errors are made here.
///
/// Loads, streams, event streams and downloads share it.
struct CheckedExchange {
    var session: any HTTPSession
    /// The request that was sent, or that is to be sent. Nil before it was made.
    var request: URLRequest?
    var response: HTTPURLResponse?
    var exchangeIDs: [ObjectIdentifier: Int] = [:]
    let redaction: Redaction
    var requestType: String?
    /// What a policy says about the request that was sent.
    var hint: Locked<String?>?
    /// The clock of the time for which the body of a refused response is read.
    var clock: any Clock<Duration> = ContinuousClock()
    /// Called with the number of bytes of the request's body that were sent, and its size.
    var progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)?

    /// Sends the request, and returns the body of its response if it is accepted.
    ///
    /// If the task was cancelled before, nothing is sent. If it is cancelled during the exchange,
    /// the load fails, even if the session returns a response.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - options: What to wait for: the whole response, or its headers.
    ///   - validate: Throws if the response is not accepted. For a stream, it gets an empty body
    ///     first. If it throws, it is called again with the beginning of the body, so that its
    ///     error can describe the body.
    nonisolated(nonsending) mutating func open(
        _ request: URLRequest, awaiting options: SendOptions,
        validate: (Data, HTTPURLResponse) throws -> Void
    ) async throws(APIRequestError) -> (HTTPBody, HTTPURLResponse) {
        (self.request, response, hint) = (request, nil, Locked(nil))
        let (body, http) = try await send(request, awaiting: options)
        do {
            try validate(body.data ?? Data(), http)
        } catch {
            throw await refusal(.validate, error, body) { data in
                try validate(data, http)
            }
        }
        return (body, http)
    }

    private nonisolated(nonsending) mutating func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws(APIRequestError) -> (HTTPBody, HTTPURLResponse) {
        var data: Data?
        var options = options
        options.hint = hint
        options.requestType = requestType
        options.didSend = progress
        do {
            try Task.checkNotCancelled()
            let (body, http) = try await session.send(request, awaiting: options)
            (response, data, exchangeIDs) = (http, body.data, body.exchangeIDs)
            try Task.checkNotCancelled()
            return (body, http)
        } catch {
            throw failure(.transport, error, data, isCancellation: Task.isCancelled)
        }
    }

    /// Returns the error for a response that is not accepted, with the beginning of its body.
    ///
    /// - Parameters:
    ///   - error: The reason why it is not accepted.
    ///   - describe: Throws the reason again, if the body of a stream says more about it.
    nonisolated(nonsending) func refusal(
        _ stage: APIRequestError.Stage, _ error: any Error, _ body: HTTPBody,
        describe: (Data) throws -> Void = { _ in }
    ) async -> APIRequestError {
        if let data = body.data { return failure(stage, error, data) }
        let data = await body.beginning(on: clock)
        if Task.isCancelled {
            return failure(.transport, URLError(.cancelled), isCancellation: true)
        }
        do {
            try describe(data)
            return failure(stage, error, data)
        } catch {
            return failure(stage, error, data)
        }
    }

    func failure(
        _ stage: APIRequestError.Stage, _ underlying: any Error, _ data: Data? = nil,
        isCancellation: Bool = false
    ) -> APIRequestError {
        var error = APIRequestError(
            stage: stage, request: request, response: response, data: data, underlying: underlying,
            isCancellation: isCancellation, redaction: redaction)
        error.requestType = requestType
        error.exchangeIDs = exchangeIDs
        error.hint = error.isCancellation ? nil : hint?.withLock { $0 }
        return error
    }

    /// Informs the session if the error says that a response was not accepted or not parsed.
    func reported(_ error: APIRequestError) -> APIRequestError {
        if error.stage == .validate || error.stage == .parse { session.loadDidFail(error) }
        return error
    }
}
