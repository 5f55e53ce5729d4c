import Foundation

/// A load, which makes and sends a request, and validates and parses the response.
///
/// This type also creates the errors of these steps. Streams, event streams and downloads use the
/// same steps, but read the body themselves.
struct Load<T: APIRequest> {
    var apiRequest: T
    let session: any HTTPSession
    let requestType: String?
    /// The clock that times how long the body of a refused response is read, unless the body is
    /// complete. A download and an event stream also use this clock for delays and deadlines.
    let clock: any Clock<Duration>
    /// Called with the number of body bytes sent so far, and the body's size if known.
    let progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)?
    /// The lock to hold during validation and parsing, if several tasks may use a request that is
    /// not `Sendable`.
    var lock: NSLock?

    /// The request, or nil until it is made.
    var request: URLRequest?
    private(set) var response: HTTPURLResponse?
    private var notes = HTTPBody.Notes()
    /// The closure of `Credentials` that threw, or nil if none threw.
    private var failedCall: CredentialCall?

    init(
        _ apiRequest: T, over session: any HTTPSession, type: String? = "\(T.self)",
        clock: any Clock<Duration> = ContinuousClock(),
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil
    ) {
        self.apiRequest = apiRequest
        self.session = session
        requestType = type
        self.clock = clock
        self.progress = progress
    }

    /// Creates a load for a response whose body the app reads. This load only creates errors.
    init(_ apiRequest: T, reading body: HTTPBody) {
        self.init(
            apiRequest,
            over: body.exchange?.session ?? ClosureSession { _ in throw URLError(.unknown) },
            type: nil)
        (request, response) = (body.exchange?.request, body.exchange?.response)
        notes = body.notes
    }

    // MARK: All steps

    nonisolated(nonsending) func response(for input: T.RequestDataType)
        async throws(APIRequestError)
        -> APIResponse<T.ResponseDataType>
    {
        var load = self
        return try await load.response(to: load.makeRequest(from: input))
    }

    nonisolated(nonsending) mutating func response(to request: URLRequest)
        async throws(APIRequestError)
        -> APIResponse<T.ResponseDataType>
    {
        do throws(APIRequestError) {
            let (body, http) = try await send(request, awaiting: .body)
            try await validate(body, http)
            return try await parse(body, http)
        } catch {
            throw notifyingObservers(of: error)
        }
    }

    // MARK: The steps

    mutating func makeRequest(from input: T.RequestDataType) throws(APIRequestError) -> URLRequest {
        do {
            let request = try apiRequest.makeRequest(from: input)
            self.request = request
            return request
        } catch {
            throw failure(.makeRequest, error)
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
            throw failure(.transport, error, data, isCancellation: Task.isCancelled)
        }
    }

    /// Calls the request's `validateResponse` with the body. For a stream, first passes empty data.
    /// If that call throws, passes the beginning of the body, so that the error can describe the
    /// body.
    nonisolated(nonsending) func validate(
        _ body: HTTPBody, _ http: HTTPURLResponse
    ) async throws(APIRequestError) {
        func validate(_ data: Data) throws {
            try holdingLock { try apiRequest.validateResponse(data: data, response: http) }
        }
        do {
            try validate(body.data ?? Data())
        } catch {
            throw await refusal(.validate, error, body, describe: validate)
        }
    }

    private nonisolated(nonsending) func parse(
        _ body: HTTPBody, _ http: HTTPURLResponse
    ) async throws(APIRequestError) -> APIResponse<T.ResponseDataType> {
        let data: Data
        do {
            // The body is complete, unless the app's own session returns it in pieces.
            data = try await body.collect(limit: body.wholeLimit)
        } catch {
            throw failure(.transport, error, isCancellation: Task.isCancelled)
        }
        do {
            let value = try holdingLock { try apiRequest.parseResponse(data: data, response: http) }
            return APIResponse(value: value, data: data, response: http)
        } catch {
            throw failure(.parse, error, data)
        }
    }

    private func holdingLock<R>(_ work: () throws -> R) rethrows -> R {
        guard let lock else { return try work() }
        return try lock.withLock(work)
    }

    // MARK: The errors

    func failure(
        _ stage: APIRequestError.Stage, _ underlying: any Error, _ data: Data? = nil,
        isCancellation: Bool = false
    ) -> APIRequestError {
        var error = APIRequestError(
            stage: stage, request: request, response: response, data: data, underlying: underlying,
            isCancellation: isCancellation, redaction: apiRequest.redaction)
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
        if Task.isCancelled {
            return failure(.transport, URLError(.cancelled), isCancellation: true)
        }
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

extension Load: Sendable where T: Sendable {}
