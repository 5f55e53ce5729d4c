import Foundation

/// A load, which makes and sends a request, and validates and parses the response.
///
/// This type also creates the errors of these steps. Streams, event streams and downloads use the
/// same steps, but read the body themselves. The type is not generic, so that it is compiled once
/// for all requests.
struct Load {
    let session: any HTTPSession
    let requestType: String?
    /// The clock that times how long the body of a refused response is read, unless the body is
    /// complete. A download also uses this clock for delays and deadlines.
    var clock: any Clock<Duration> = ContinuousClock()
    /// Called with the number of body bytes sent so far, and the body's size if known.
    var progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)?
    /// Returns the secrets to hide in errors, which may change during the load.
    let redaction: () -> Redaction
    /// Throws if a response is not acceptable.
    var check: (Data, HTTPURLResponse) throws -> Void

    /// The request, or nil until it is made.
    var request: URLRequest?
    private(set) var response: HTTPURLResponse?
    private(set) var notes = HTTPBody.Notes()
    /// The closure of `Credentials` that threw, or nil if none threw.
    private(set) var failedCall: CredentialCall?

    // MARK: The steps

    mutating func makeRequest(
        _ make: () throws -> URLRequest
    ) throws(APIRequestError) -> URLRequest {
        let request = try perform(.makeRequest, nil, make)
        self.request = request
        return request
    }

    /// Sends a request, and validates and parses its response.
    nonisolated(nonsending) mutating func response<Value>(
        to request: URLRequest, parse: (Data, HTTPURLResponse) throws -> Value
    ) async throws(APIRequestError) -> APIResponse<Value> {
        do throws(APIRequestError) {
            let (body, http) = try await send(request, awaiting: .body)
            try await validate(body, http)
            let data: Data
            do {
                // The body is complete, unless the app's own session returns it in pieces.
                data = try await body.collect(limit: body.wholeLimit)
            } catch {
                throw failure(.transport, error)
            }
            let value = try perform(.parse, data) { try parse(data, http) }
            return APIResponse(value: value, data: data, response: http)
        } catch {
            throw notifyingObservers(of: error)
        }
    }

    /// Sends a request. If the task is already cancelled, nothing is sent. If the task is cancelled
    /// during the exchange, the load fails, even if the session returns a response.
    nonisolated(nonsending) mutating func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws(APIRequestError) -> (HTTPBody, HTTPURLResponse) {
        (self.request, response, notes, failedCall) = (request, nil, HTTPBody.Notes(), nil)
        var data: Data?
        var options = options
        options.context.requestType = requestType
        options.context.didSend = progress
        let failedCall = Locked<CredentialCall?>(nil)
        options.context.didFail = { call in failedCall.withLock { $0 = call } }
        do {
            try Task.checkNotCancelled()
            let (body, http) = try await session.send(request, awaiting: options)
            (response, data, notes) = (http, body.data, body.notes)
            try Task.checkNotCancelled()
            return (body, http)
        } catch {
            if !Task.isCancelled { self.failedCall = failedCall.take() }
            throw failure(.transport, error, data)
        }
    }

    /// Calls `check` with the body. For a stream, first passes empty data. If that call throws,
    /// passes the beginning of the body, so that the error can describe the body.
    nonisolated(nonsending) func validate(
        _ body: HTTPBody, _ http: HTTPURLResponse
    ) async throws(APIRequestError) {
        do {
            try check(body.data ?? Data(), http)
        } catch {
            throw await refusal(.validate, error, body) { try check($0, http) }
        }
    }

    /// Performs a step that can throw any error.
    private func perform<Value>(
        _ stage: APIRequestError.Stage, _ data: Data?, _ work: () throws -> Value
    ) throws(APIRequestError) -> Value {
        do { return try work() } catch { throw failure(stage, error, data) }
    }

    // MARK: The errors

    /// Returns the error for a stage. If the task is cancelled, an error of the stage `transport`
    /// is a cancellation.
    func failure(
        _ stage: APIRequestError.Stage, _ underlying: any Error, _ data: Data? = nil
    ) -> APIRequestError {
        var error = APIRequestError(
            stage: stage, request: request, response: response, data: data, underlying: underlying,
            isCancellation: stage == .transport && Task.isCancelled, redaction: redaction())
        error.requestType = requestType
        error.failedCall = failedCall
        // The hint says that a credential is missing. The hint is wrong if the app added a
        // credential.
        let isAuthorized = request?.value(forHTTPHeaderField: "Authorization") != nil
        error.hint = isAuthorized || error.isCancellation ? nil : notes.missingCredential
        return error
    }

    /// Returns the error for a response that is not accepted, with its body. For a stream, reads
    /// the beginning of the body, and passes it to `describe`, which can throw another error to use
    /// instead. If the task is cancelled before the read ends, returns the cancellation's error.
    nonisolated(nonsending) func refusal(
        _ stage: APIRequestError.Stage, _ error: any Error, _ body: HTTPBody,
        describe: (Data) throws -> Void = { _ in }
    ) async -> APIRequestError {
        if let data = body.data { return failure(stage, error, data) }
        var body = body
        let data = await body.peek(on: clock)
        if Task.isCancelled { return failure(.transport, URLError(.cancelled)) }
        var reason = error
        do { try describe(data) } catch { reason = error }
        return failure(stage, reason, data)
    }

    /// Notifies the observers of an exchange if its response was not accepted or could not be
    /// parsed.
    func notifyingObservers(of error: APIRequestError) -> APIRequestError {
        guard error.stage == .validate || error.stage == .parse else { return error }
        for didReject in notes.didReject.reversed() { didReject(error) }
        return error
    }
}

extension Load {
    /// Creates a load for the responses to an `APIRequest`.
    ///
    /// - Parameter body: A body that is already open, and which the app reads. The load then only
    ///   creates errors.
    init<R: APIRequest>(
        _ apiRequest: R, over session: any HTTPSession, type: String? = "\(R.self)",
        clock: any Clock<Duration> = ContinuousClock(),
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil,
        reading body: HTTPBody? = nil
    ) {
        self.init(
            session: session, requestType: type, clock: clock, progress: progress,
            redaction: { apiRequest.redaction }, check: apiRequest.validateResponse,
            request: body?.exchange?.request, response: body?.exchange?.response,
            notes: body?.notes ?? HTTPBody.Notes())
    }
}

extension APIRequest {
    /// Performs all steps of a load.
    nonisolated(nonsending) func response(
        for input: RequestDataType, over session: any HTTPSession,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)?
    ) async throws(APIRequestError) -> APIResponse<ResponseDataType> {
        var load = Load(self, over: session, progress: progress)
        let request = try load.makeRequest { try makeRequest(from: input) }
        return try await load.response(to: request, parse: parseResponse)
    }
}
