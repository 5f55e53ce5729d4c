import Foundation

// The functions of HTTPSession+Load take an endpoint too. The compiler looks up the member in
// `load(.order(base), 7)` only where the parameter's type is `Endpoint`.
extension HTTPSession {
    /// Loads an endpoint and returns the parsed value.
    ///
    ///     let order = try await session.load(.order(base), 7)
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint to load.
    ///   - input: The input of the endpoint.
    /// - Returns: The parsed value.
    /// - Throws: ``APIRequestError`` if a stage fails. It has the stage and the original error.
    @concurrent
    public func load<Input, Output>(
        _ endpoint: Endpoint<Input, Output>, _ input: Input
    ) async throws(APIRequestError) -> Output {
        try await flow(endpoint).response(for: input).value
    }

    /// Loads an endpoint and returns the parsed value with its headers and body.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint to load.
    ///   - input: The input of the endpoint.
    /// - Returns: The parsed value, and the response that it was parsed from.
    /// - Throws: ``APIRequestError`` if a stage fails. It has the stage and the original error.
    @concurrent
    public func response<Input, Output>(
        _ endpoint: Endpoint<Input, Output>, for input: Input
    ) async throws(APIRequestError) -> APIResponse<Output> {
        try await flow(endpoint).response(for: input)
    }

    /// Loads an endpoint that needs no input, and returns the parsed value.
    ///
    /// - Parameter endpoint: The endpoint to load.
    /// - Returns: The parsed value.
    /// - Throws: ``APIRequestError`` if a stage fails. It has the stage and the original error.
    @concurrent
    public func load<Output>(
        _ endpoint: Endpoint<Void, Output>
    ) async throws(APIRequestError) -> Output {
        try await flow(endpoint).response(for: ()).value
    }

    /// Loads an endpoint that needs no input, and returns the value with its headers and body.
    ///
    /// - Parameter endpoint: The endpoint to load.
    /// - Returns: The parsed value, and the response that it was parsed from.
    /// - Throws: ``APIRequestError`` if a stage fails. It has the stage and the original error.
    @concurrent
    public func response<Output>(
        _ endpoint: Endpoint<Void, Output>
    ) async throws(APIRequestError) -> APIResponse<Output> {
        try await flow(endpoint).response(for: ())
    }
}
