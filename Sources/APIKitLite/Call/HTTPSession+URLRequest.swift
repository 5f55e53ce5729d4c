import Foundation

// A plain `URLRequest` is loaded like an `APIRequest`, with functions that have the same names and
// throw the same errors. Each function with `as:` exists twice: see HTTPSession+Load.swift.

extension HTTPSession {
    /// Loads a `URLRequest`, and decodes its response on the caller's actor.
    ///
    /// The output's `Decodable` conformance can be isolated to that actor. The parameters are the
    /// same as for the function that decodes in the background.
    ///
    /// - Throws: ``APIRequestError`` if a stage fails.
    public nonisolated(nonsending) func load<T: Decodable>(
        _ request: URLRequest, as type: T.Type, decoder: JSONDecoder = JSONDecoder(),
        name: String? = nil, redaction: Redaction = .standard,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil,
        validate: (@Sendable (Data, HTTPURLResponse) throws -> Void)? = nil
    ) async throws(APIRequestError) -> T {
        try await response(
            request, as: type, decoder: decoder, name: name, redaction: redaction,
            progress: progress, validate: validate
        ).value
    }

    /// Loads a `URLRequest`, and decodes its response from JSON.
    ///
    ///     let user = try await session.load(request, as: User.self)
    ///
    /// Decodes off the caller's actor.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - type: The type of the output. If the type is `Data`, the output is the body itself. If
    ///     the type is optional, an empty body is decoded as nil.
    ///   - decoder: The decoder of the output.
    ///   - name: The name of the call in errors and events (the `requestType`), such as a route.
    ///   - redaction: The secrets to hide in error texts.
    ///   - progress: Called with the number of body bytes sent so far, and the body's size if
    ///     known: see ``data(for:progress:)``.
    ///   - validate: A closure that throws if a response is not acceptable. By default, the status
    ///     must be in `200..<300`. The closure is called once, with the whole body.
    /// - Throws: ``APIRequestError`` if a stage fails, with the stage and the original error.
    @concurrent
    public func load<T: Decodable & SendableMetatype>(
        _ request: URLRequest, as type: T.Type, decoder: JSONDecoder = JSONDecoder(),
        name: String? = nil, redaction: Redaction = .standard,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil,
        validate: (@Sendable (Data, HTTPURLResponse) throws -> Void)? = nil
    ) async throws(APIRequestError) -> sending T {
        try await response(
            request, as: type, decoder: decoder, name: name, redaction: redaction,
            progress: progress, validate: validate
        ).value
    }

    /// Loads a `URLRequest`, and parses its response with a closure.
    ///
    ///     let title = try await session.load(request) { body, _ in try title(ofHTML: body) }
    ///
    /// Use this function if the response is not JSON, or if the output depends on the status or a
    /// header. The closure runs off the caller's actor. If the closure throws, the load fails
    /// in stage ``APIRequestError/Stage/parse``. To ignore the body, write `{ _, _ in }`. The other
    /// parameters are the same as for `load` with `as:`.
    ///
    /// - Throws: ``APIRequestError`` if a stage fails, with the stage and the original error.
    @concurrent
    public func load<T>(
        _ request: URLRequest, name: String? = nil, redaction: Redaction = .standard,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil,
        validate: (@Sendable (Data, HTTPURLResponse) throws -> Void)? = nil,
        parse: @escaping @Sendable (Data, HTTPURLResponse) throws -> T
    ) async throws(APIRequestError) -> sending T {
        try await response(
            request, name: name, redaction: redaction, progress: progress, validate: validate,
            parse: parse
        ).value
    }
}

extension HTTPSession {
    /// Loads a `URLRequest`, decodes its response on the caller's actor, and returns the value and
    /// the response.
    ///
    /// The parameters are the same as for `load` with `as:`.
    ///
    /// - Throws: ``APIRequestError`` if a stage fails.
    public nonisolated(nonsending) func response<T: Decodable>(
        _ request: URLRequest, as type: T.Type, decoder: JSONDecoder = JSONDecoder(),
        name: String? = nil, redaction: Redaction = .standard,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil,
        validate: (@Sendable (Data, HTTPURLResponse) throws -> Void)? = nil
    ) async throws(APIRequestError) -> APIResponse<T> {
        var load = Load(
            session: self, requestType: name, progress: progress, redaction: { redaction },
            check: validate ?? { try $1.validateStatus() })
        return try await load.response(to: request) { data, _ in
            try decoder.decode(T.self, fromBody: data)
        }
    }

    /// Loads a `URLRequest`, decodes its response from JSON, and returns the value and the
    /// response.
    ///
    ///     let users = try await session.response(request, as: [User].self)
    ///     let next = users.response.link("next")
    ///
    /// Decodes off the caller's actor. The parameters are the same as for `load` with `as:`.
    ///
    /// - Returns: The value, and the response that it was decoded from.
    /// - Throws: ``APIRequestError`` if a stage fails, with the stage and the original error.
    @concurrent
    public func response<T: Decodable & SendableMetatype>(
        _ request: URLRequest, as type: T.Type, decoder: JSONDecoder = JSONDecoder(),
        name: String? = nil, redaction: Redaction = .standard,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil,
        validate: (@Sendable (Data, HTTPURLResponse) throws -> Void)? = nil
    ) async throws(APIRequestError) -> sending APIResponse<T> {
        try await response(
            request, name: name, redaction: redaction, progress: progress, validate: validate
        ) { data, _ in try decoder.decode(T.self, fromBody: data) }
    }

    /// Loads a `URLRequest`, parses its response with a closure, and returns the value and the
    /// response.
    ///
    /// The parameters are the same as for `load` with `parse:`.
    ///
    /// - Throws: ``APIRequestError`` if a stage fails, with the stage and the original error.
    @concurrent
    public func response<T>(
        _ request: URLRequest, name: String? = nil, redaction: Redaction = .standard,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil,
        validate: (@Sendable (Data, HTTPURLResponse) throws -> Void)? = nil,
        parse: @escaping @Sendable (Data, HTTPURLResponse) throws -> T
    ) async throws(APIRequestError) -> sending APIResponse<T> {
        var load = Load(
            session: self, requestType: name, progress: progress, redaction: { redaction },
            check: validate ?? { try $1.validateStatus() })
        return try await load.response(to: request, parse: parse)
    }
}
