import Foundation

/// The steps of one load, in order: make, send, validate, parse.
struct LoadFlow<T: APIRequest> {
    let apiRequest: T
    let session: any HTTPSession
    var requestType: String? = "\(T.self)"
    var clock: any Clock<Duration> = ContinuousClock()
    var progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)?
    /// Held while an answer is validated or parsed, if several tasks may use the request although
    /// it is not `Sendable`.
    var parsing: NSLock?

    var exchange: CheckedExchange {
        CheckedExchange(
            session: session, redaction: apiRequest.redaction, requestType: requestType,
            clock: clock, progress: progress)
    }

    nonisolated(nonsending) func response(for requestData: T.RequestDataType)
        async throws(APIRequestError)
        -> APIResponse<T.ResponseDataType>
    {
        try await response(to: makeRequest(from: requestData))
    }

    func makeRequest(from requestData: T.RequestDataType) throws(APIRequestError) -> URLRequest {
        do {
            return try apiRequest.makeRequest(from: requestData)
        } catch {
            throw exchange.failure(.makeRequest, error)
        }
    }

    nonisolated(nonsending) func response(to request: URLRequest) async throws(APIRequestError)
        -> APIResponse<T.ResponseDataType>
    {
        var exchange = exchange
        do throws(APIRequestError) {
            let (body, http) = try await exchange.open(request, awaiting: .body) { data, http in
                try alone { try apiRequest.validateResponse(data: data, response: http) }
            }
            return try await parse(collect(body, exchange), http, exchange)
        } catch {
            throw exchange.reported(error)
        }
    }

    /// Returns all bytes of a body. It is complete, unless a session of the app's own returns it in
    /// pieces.
    private nonisolated(nonsending) func collect(
        _ body: HTTPBody, _ exchange: CheckedExchange
    ) async throws(APIRequestError) -> Data {
        do {
            return try await body.collect()
        } catch {
            throw exchange.failure(.transport, error, isCancellation: Task.isCancelled)
        }
    }

    private nonisolated(nonsending) func parse(
        _ data: Data, _ http: HTTPURLResponse, _ exchange: CheckedExchange
    ) async throws(APIRequestError) -> APIResponse<T.ResponseDataType> {
        do {
            let value = try alone { try apiRequest.parseResponse(data: data, response: http) }
            MainActorParsing.didParse(T.self, data, on: #isolation)
            return APIResponse(value: value, data: data, response: http)
        } catch {
            throw exchange.failure(.parse, error, data)
        }
    }

    private func alone<R>(_ work: () throws -> R) rethrows -> R {
        guard let parsing else { return try work() }
        return try parsing.withLock(work)
    }
}

extension LoadFlow: Sendable where T: Sendable {}

extension LoadFlow {
    /// Returns the value or the original error of a load, for a completion handler.
    nonisolated(nonsending) func result(of request: URLRequest) async -> (
        value: T.ResponseDataType?, error: (any Error)?
    ) {
        do throws(APIRequestError) {
            return (try await response(to: request).value, nil)
        } catch {
            return (nil, error.underlying)
        }
    }

    /// Calls the completion: on the delegate queue of a `URLSession`, otherwise directly.
    func deliver(_ completion: @escaping @Sendable () -> Void) {
        if let queue = (session as? URLSession)?.delegateQueue {
            queue.addOperation(completion)
        } else {
            completion()
        }
    }
}
