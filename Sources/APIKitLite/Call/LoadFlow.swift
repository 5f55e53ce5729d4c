import Foundation

/// The steps of one load, in order: make, exchange, validate, parse.
struct LoadFlow<T: APIRequest> {
    let apiRequest: T
    let session: any HTTPSession

    /// Makes the request for an input, and loads it.
    nonisolated(nonsending) func response(for requestData: T.RequestDataType)
        async throws(APIRequestError)
        -> APIResponse<T.ResponseDataType>
    {
        try await response(to: makeRequest(from: requestData))
    }

    /// Makes the request. An error gets the stage `.makeRequest`.
    func makeRequest(from requestData: T.RequestDataType) throws(APIRequestError) -> URLRequest {
        do {
            return try apiRequest.makeRequest(from: requestData)
        } catch {
            throw failure(.makeRequest, nil, underlying: error)
        }
    }

    /// Sends a request, then validates and parses its response.
    nonisolated(nonsending) func response(to request: URLRequest) async throws(APIRequestError)
        -> APIResponse<T.ResponseDataType>
    {
        let (data, http) = try await exchange(request)
        do {
            try apiRequest.validateResponse(data: data, response: http)
        } catch {
            throw rejection(.validate, request, http, data, error)
        }
        do {
            let value = try apiRequest.parseResponse(data: data, response: http)
            MainActorParsing.didParse(T.self, data, on: #isolation)
            return APIResponse(value: value, data: data, http: http)
        } catch {
            throw rejection(.parse, request, http, data, error)
        }
    }

    /// Returns the error for a response that was not accepted or parsed, and informs the session.
    func rejection(
        _ stage: APIRequestError.Stage, _ request: URLRequest?, _ response: HTTPURLResponse?,
        _ data: Data?, _ underlying: any Error
    ) -> APIRequestError {
        let error = failure(stage, request, response, data, underlying: underlying)
        session.loadDidFail(error)
        return error
    }

    /// The error of a stage, which names the type of the request and keeps its redaction.
    func failure(
        _ stage: APIRequestError.Stage, _ request: URLRequest?, _ response: HTTPURLResponse? = nil,
        _ data: Data? = nil, underlying: any Error, isCancellation: Bool = false
    ) -> APIRequestError {
        var error = APIRequestError(
            stage: stage, request: request, response: response, data: data, underlying: underlying,
            isCancellation: isCancellation, redaction: apiRequest.redaction)
        error.requestType = "\(T.self)"
        return error
    }

    /// Sends the request. If the task was cancelled before, nothing is sent. If it is cancelled
    /// during the exchange, the load fails, even if the session returns a response.
    private nonisolated(nonsending) func exchange(_ request: URLRequest)
        async throws(APIRequestError)
        -> (Data, HTTPURLResponse)
    {
        var answer: (Data, HTTPURLResponse)?
        do {
            try Task.checkNotCancelled()
            let received = try await session.exchange(request)
            answer = received
            try Task.checkNotCancelled()
            return received
        } catch {
            throw failure(
                .transport, request, answer?.1, answer?.0, underlying: error,
                isCancellation: Task.isCancelled)
        }
    }
}

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
