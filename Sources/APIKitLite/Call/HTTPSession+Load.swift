import Foundation

// Each function exists twice, as in `APIRequestLoader`. If the request and its input are
// `Sendable`, the compiler prefers the `@concurrent` function, which parses in the background.
// Otherwise, or if the request's conformance is isolated to the caller's actor, the compiler picks
// the other function.

extension HTTPSession {
    /// Loads a request that is not `Sendable`, or whose input is not, and returns the parsed value.
    ///
    /// Runs `makeRequest` and `parseResponse` on the caller's actor. The parameters are the same as
    /// for a `Sendable` request.
    ///
    /// - Throws: ``APIRequestError`` if a stage fails.
    public nonisolated(nonsending) func load<R: APIRequest>(
        _ request: R, _ input: R.RequestDataType,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws(APIRequestError) -> R.ResponseDataType {
        try await response(request, for: input, progress: progress).value
    }

    /// Loads a request and returns the parsed value.
    ///
    ///     let user = try await session.load(UserRequest(baseURL: baseURL), 42)
    ///
    /// Runs `makeRequest` and `parseResponse` off the caller's actor.
    ///
    /// - Parameters:
    ///   - request: The request to load.
    ///   - input: The input of the request.
    ///   - progress: Called with the number of body bytes sent so far, and the body's size if
    ///     known: see ``data(for:progress:)``.
    /// - Throws: ``APIRequestError`` if a stage fails, with the stage and the original error.
    @concurrent
    public func load<R: APIRequest & Sendable>(
        _ request: R, _ input: R.RequestDataType,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws(APIRequestError) -> sending R.ResponseDataType
    where R.RequestDataType: Sendable {
        try await response(request, for: input, progress: progress).value
    }

    /// Loads a request that is not `Sendable`, or whose input is not, and returns the parsed value
    /// and its response.
    ///
    /// Runs `makeRequest` and `parseResponse` on the caller's actor. The parameters are the same as
    /// for a `Sendable` request.
    ///
    /// - Throws: ``APIRequestError`` if a stage fails.
    public nonisolated(nonsending) func response<R: APIRequest>(
        _ request: R, for input: R.RequestDataType,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws(APIRequestError) -> APIResponse<R.ResponseDataType> {
        try await request.response(for: input, over: self, progress: progress)
    }

    /// Loads a request and returns the parsed value and its response.
    ///
    /// Runs `makeRequest` and `parseResponse` off the caller's actor.
    ///
    /// - Parameters:
    ///   - request: The request to load.
    ///   - input: The input of the request.
    ///   - progress: Called with the number of body bytes sent so far, and the body's size if
    ///     known: see ``data(for:progress:)``.
    /// - Returns: The parsed value, and the response that it was parsed from.
    /// - Throws: ``APIRequestError`` if a stage fails, with the stage and the original error.
    @concurrent
    public func response<R: APIRequest & Sendable>(
        _ request: R, for input: R.RequestDataType,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws(APIRequestError) -> sending APIResponse<R.ResponseDataType>
    where R.RequestDataType: Sendable {
        try await request.response(for: input, over: self, progress: progress)
    }
}

extension HTTPSession {
    /// Loads a request that needs no input and is not `Sendable`, and returns the parsed value.
    ///
    /// Runs `makeRequest` and `parseResponse` on the caller's actor.
    ///
    /// - Throws: ``APIRequestError`` if a stage fails.
    public nonisolated(nonsending) func load<R: APIRequest>(
        _ request: R,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws(APIRequestError) -> R.ResponseDataType where R.RequestDataType == Void {
        try await response(request, progress: progress).value
    }

    /// Loads a request that needs no input, and returns the parsed value.
    ///
    /// Runs `makeRequest` and `parseResponse` off the caller's actor.
    ///
    /// - Throws: ``APIRequestError`` if a stage fails, with the stage and the original error.
    @concurrent
    public func load<R: APIRequest & Sendable>(
        _ request: R,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws(APIRequestError) -> sending R.ResponseDataType where R.RequestDataType == Void {
        try await response(request, progress: progress).value
    }

    /// Loads a request that needs no input and is not `Sendable`, and returns the parsed value and
    /// its response.
    ///
    /// Runs `makeRequest` and `parseResponse` on the caller's actor.
    ///
    /// - Throws: ``APIRequestError`` if a stage fails.
    public nonisolated(nonsending) func response<R: APIRequest>(
        _ request: R,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws(APIRequestError) -> APIResponse<R.ResponseDataType>
    where R.RequestDataType == Void {
        try await response(request, for: (), progress: progress)
    }

    /// Loads a request that needs no input, and returns the parsed value and its response.
    ///
    /// Runs `makeRequest` and `parseResponse` off the caller's actor.
    ///
    /// - Throws: ``APIRequestError`` if a stage fails, with the stage and the original error.
    @concurrent
    public func response<R: APIRequest & Sendable>(
        _ request: R,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws(APIRequestError) -> sending APIResponse<R.ResponseDataType>
    where R.RequestDataType == Void {
        try await response(request, for: (), progress: progress)
    }
}
