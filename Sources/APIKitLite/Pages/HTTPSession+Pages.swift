import Foundation

extension HTTPSession {
    /// Returns the pages of a request that is not `Sendable`, loaded one after another as needed.
    ///
    /// Runs `makeRequest` and `parseResponse` on the caller's actor. The parameters are the same as
    /// for a `Sendable` request.
    public func pages<R: PagedAPIRequest>(
        _ request: R, from first: R.RequestDataType, limit: Int = 1_000
    ) -> Pages<R.RequestDataType, R.ResponseDataType, APIRequestError> {
        Pages(from: first, limit: limit) { (input) async throws(APIRequestError) in
            let answer = try await response(request, for: input)
            return (answer.value, request.nextInput(after: answer, from: input))
        }
    }

    /// Returns the pages of a request, loaded one after another as needed.
    ///
    /// Runs `makeRequest` and `parseResponse` off the caller's actor.
    ///
    /// - Parameters:
    ///   - request: The request to load.
    ///   - first: The input of the first page.
    ///   - limit: The maximum number of pages to load. Below one, none is loaded.
    public func pages<R: PagedAPIRequest & Sendable>(
        _ request: R, from first: R.RequestDataType, limit: Int = 1_000
    ) -> Pages<R.RequestDataType, R.ResponseDataType, APIRequestError>
    where R.RequestDataType: Sendable {
        Pages(from: first, limit: limit) { (input) async throws(APIRequestError) in
            let answer = try await response(request, for: input)
            return (answer.value, request.nextInput(after: answer, from: input))
        }
    }
}

extension PagedAPIRequest {
    fileprivate func nextInput(
        after answer: APIResponse<ResponseDataType>, from input: RequestDataType
    ) -> RequestDataType? {
        nextInput(after: answer.value, response: answer.response, from: input)
    }
}
