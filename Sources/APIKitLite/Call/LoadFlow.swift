import Foundation

/// The steps of one load, in their order: make, exchange, validate, parse.
struct LoadFlow<T: APIRequest> {
    let apiRequest: T
    let session: any HTTPSession

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
            throw APIRequestError(stage: .makeRequest, underlying: error)
        }
    }

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
            return APIResponse(value: value, data: data, http: http)
        } catch {
            throw rejection(.parse, request, http, data, error)
        }
    }

    /// The error of an answer that came and was of no use. The session hears of it.
    private func rejection(
        _ stage: APIRequestError.Stage, _ request: URLRequest, _ response: HTTPURLResponse,
        _ data: Data, _ underlying: any Error
    ) -> APIRequestError {
        let error = APIRequestError(
            stage: stage, request: request, response: response, data: data, underlying: underlying)
        session.loadDidFail(error)
        return error
    }

    /// Sends the request. A load that was cancelled before sends nothing; one that was cancelled
    /// meanwhile fails, whatever the session returned.
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
            throw APIRequestError(
                stage: .transport, request: request, response: answer?.1, data: answer?.0,
                underlying: error, isCancellation: Task.isCancelled)
        }
    }
}

extension LoadFlow {
    /// The form for completion handlers.
    nonisolated(nonsending) func result(of request: URLRequest) async -> (
        value: T.ResponseDataType?, error: (any Error)?
    ) {
        do throws(APIRequestError) {
            return (try await response(to: request).value, nil)
        } catch {
            return (nil, error.underlying)
        }
    }

    /// Calls on the session's delegate queue, if it has one.
    func deliver(_ completion: @escaping @Sendable () -> Void) {
        if let queue = (session as? URLSession)?.delegateQueue {
            queue.addOperation(completion)
        } else {
            completion()
        }
    }
}
