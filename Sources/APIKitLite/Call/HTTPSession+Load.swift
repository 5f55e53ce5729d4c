import Foundation

// Each function exists twice, as that of a loader does. If the request and its input are `Sendable`,
// the compiler prefers the `@concurrent` one, which parses in the background. The other function is
// called for any other request, and for one whose conformance is isolated to the caller's actor.

extension HTTPSession {
    /// Loads a request that is not `Sendable`, and returns the parsed value.
    ///
    /// Runs `makeRequest` and `parseResponse` on the caller's actor. The parameters are those of the
    /// form for a `Sendable` request.
    ///
    /// - Throws: ``APIRequestError`` if a stage fails.
    public nonisolated(nonsending) func load<R: APIRequest>(
        _ request: R, _ input: R.RequestDataType,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws(APIRequestError) -> R.ResponseDataType {
        try await Load(request, over: self, progress: progress).response(for: input).value
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
    ///   - progress: Called with the number of bytes of the body that were sent, and its size: see
    ///     ``exchange(_:progress:)``.
    /// - Throws: ``APIRequestError`` if a stage fails. It has the stage and the original error.
    @concurrent
    public func load<R: APIRequest & Sendable>(
        _ request: R, _ input: R.RequestDataType,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws(APIRequestError) -> sending R.ResponseDataType
    where R.RequestDataType: Sendable {
        try await Load(request, over: self, progress: progress).response(for: input).value
    }

    /// Loads a request that is not `Sendable`, and returns the parsed value with its headers and body.
    ///
    /// Runs `makeRequest` and `parseResponse` on the caller's actor. The parameters are those of the
    /// form for a `Sendable` request.
    ///
    /// - Throws: ``APIRequestError`` if a stage fails.
    public nonisolated(nonsending) func response<R: APIRequest>(
        _ request: R, for input: R.RequestDataType,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws(APIRequestError) -> APIResponse<R.ResponseDataType> {
        try await Load(request, over: self, progress: progress).response(for: input)
    }

    /// Loads a request and returns the parsed value with its headers and body.
    ///
    /// Runs `makeRequest` and `parseResponse` off the caller's actor.
    ///
    /// - Parameters:
    ///   - request: The request to load.
    ///   - input: The input of the request.
    ///   - progress: Called with the number of bytes of the body that were sent, and its size: see
    ///     ``exchange(_:progress:)``.
    /// - Returns: The parsed value, and the response that it was parsed from.
    /// - Throws: ``APIRequestError`` if a stage fails. It has the stage and the original error.
    @concurrent
    public func response<R: APIRequest & Sendable>(
        _ request: R, for input: R.RequestDataType,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws(APIRequestError) -> sending APIResponse<R.ResponseDataType>
    where R.RequestDataType: Sendable {
        try await Load(request, over: self, progress: progress).response(for: input)
    }
}

extension HTTPSession {
    /// Loads a request that needs no input and is not `Sendable`, and returns the parsed value.
    ///
    /// Runs `makeRequest` and `parseResponse` on the caller's actor.
    ///
    /// - Throws: ``APIRequestError`` if a stage fails.
    public nonisolated(nonsending) func load<R: APIRequest>(
        _ request: R
    ) async throws(APIRequestError) -> R.ResponseDataType where R.RequestDataType == Void {
        try await Load(request, over: self).response(for: ()).value
    }

    /// Loads a request that needs no input, and returns the parsed value.
    ///
    /// Runs `makeRequest` and `parseResponse` off the caller's actor.
    ///
    /// - Throws: ``APIRequestError`` if a stage fails. It has the stage and the original error.
    @concurrent
    public func load<R: APIRequest & Sendable>(
        _ request: R
    ) async throws(APIRequestError) -> sending R.ResponseDataType where R.RequestDataType == Void {
        try await Load(request, over: self).response(for: ()).value
    }
}

extension HTTPSession {
    /// Loads a request, and decodes its response on the caller's actor, to which the output belongs.
    ///
    ///     func get<T: Decodable>(_ path: String) async throws(APIRequestError) -> T {
    ///         try await session.load(URLRequest(url: base.appending(path: path)), as: T.self)
    ///     }
    ///
    /// The parameters are those of the form that decodes in the background.
    ///
    /// - Throws: ``APIRequestError`` if a stage fails.
    public nonisolated(nonsending) func load<T: Decodable>(
        _ request: URLRequest, as type: T.Type, decoder: JSONDecoder = JSONDecoder(),
        name: String? = nil, redaction: Redaction = .standard,
        validate: @escaping @Sendable (Data, HTTPURLResponse) throws -> Void = {
            try $1.validateStatus()
        }
    ) async throws(APIRequestError) -> T {
        let endpoint = Endpoint<Void, T>(
            jsonDecoder: decoder, { request }, validate: validate, redaction: redaction)
        return try await Load(endpoint, over: self, type: name).response(for: ()).value
    }

    /// Loads a request, and decodes its response from JSON.
    ///
    ///     let user = try await session.load(request, as: User.self)
    ///
    /// Decodes off the caller's actor.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - type: The output. `Data` is the body itself. If it is optional, an empty body is nil.
    ///   - decoder: The decoder of the output.
    ///   - name: The name of the call in errors and events, such as a route: the `requestType`.
    ///   - redaction: The secrets that the texts of its errors hide.
    ///   - validate: Throws if a response is not acceptable. By default, its status must be in
    ///     `200..<300`.
    /// - Throws: ``APIRequestError`` if a stage fails. It has the stage and the original error.
    @concurrent
    public func load<T: Decodable & SendableMetatype>(
        _ request: URLRequest, as type: T.Type, decoder: JSONDecoder = JSONDecoder(),
        name: String? = nil, redaction: Redaction = .standard,
        validate: @escaping @Sendable (Data, HTTPURLResponse) throws -> Void = {
            try $1.validateStatus()
        }
    ) async throws(APIRequestError) -> sending T {
        let endpoint = Endpoint<Void, T>(
            jsonDecoder: decoder, { request }, validate: validate, redaction: redaction)
        return try await Load(endpoint, over: self, type: name).response(for: ()).value
    }
}
