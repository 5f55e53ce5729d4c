import Foundation

/// Loads an ``APIRequest``: makes it, sends it, validates the answer and parses it.
///
/// ```swift
/// let loader = APIRequestLoader(apiRequest: UserRequest(baseURL: baseURL))
/// let user = try await loader.load(42)
/// ```
///
/// In a test the session comes from a mock, and everything else stays as it is. (WWDC 2018,
/// session 417.)
public final class APIRequestLoader<T: APIRequest> {
    /// The call that this loader makes.
    public let apiRequest: T

    private let session: any HTTPSession

    /// Loads over a `URLSession`.
    public init(apiRequest: T, urlSession: URLSession = .shared) {
        self.apiRequest = apiRequest
        session = urlSession
    }

    /// Loads over any session: a chain of policies, a mock.
    public init(apiRequest: T, urlSession: any HTTPSession) {
        self.apiRequest = apiRequest
        session = urlSession
    }

    /// Loads and returns the parsed value, on the caller's actor.
    ///
    /// - Throws: ``APIRequestError``, which names the stage and keeps the original error.
    public nonisolated(nonsending) func load(_ requestData: T.RequestDataType)
        async throws(APIRequestError)
        -> T.ResponseDataType
    {
        try await flow.response(for: requestData).value
    }

    /// Loads and returns the parsed value with its headers and body, on the caller's actor.
    ///
    /// - Throws: ``APIRequestError``, which names the stage and keeps the original error.
    public nonisolated(nonsending) func response(for requestData: T.RequestDataType)
        async throws(APIRequestError)
        -> APIResponse<T.ResponseDataType>
    {
        try await flow.response(for: requestData)
    }

    fileprivate var flow: LoadFlow<T> { LoadFlow(apiRequest: apiRequest, session: session) }
}

extension APIRequestLoader: Sendable where T: Sendable {}

extension APIRequestLoader
where T: Sendable, T.RequestDataType: Sendable, T.ResponseDataType: Sendable {
    /// Loads and returns the parsed value; makes and parses off the caller's actor.
    ///
    /// - Throws: ``APIRequestError``, which names the stage and keeps the original error.
    @concurrent
    public func load(_ requestData: T.RequestDataType) async throws(APIRequestError)
        -> T.ResponseDataType
    {
        try await flow.response(for: requestData).value
    }

    /// Loads and returns the parsed value with its headers and body; parses off the caller's actor.
    ///
    /// - Throws: ``APIRequestError``, which names the stage and keeps the original error.
    @concurrent
    public func response(for requestData: T.RequestDataType) async throws(APIRequestError)
        -> APIResponse<T.ResponseDataType>
    {
        try await flow.response(for: requestData)
    }
}

extension APIRequestLoader where T.RequestDataType == Void {
    /// Loads a request that needs no input.
    ///
    /// - Throws: ``APIRequestError``, which names the stage and keeps the original error.
    public nonisolated(nonsending) func load() async throws(APIRequestError) -> T.ResponseDataType {
        try await flow.response(for: ()).value
    }

    /// Loads a request that needs no input, and returns the value with its headers and body.
    ///
    /// - Throws: ``APIRequestError``, which names the stage and keeps the original error.
    public nonisolated(nonsending) func response() async throws(APIRequestError)
        -> APIResponse<T.ResponseDataType>
    {
        try await flow.response(for: ())
    }
}

extension APIRequestLoader
where T: Sendable, T.RequestDataType == Void, T.ResponseDataType: Sendable {
    /// Loads a request that needs no input; makes and parses off the caller's actor.
    ///
    /// - Throws: ``APIRequestError``, which names the stage and keeps the original error.
    @concurrent
    public func load() async throws(APIRequestError) -> T.ResponseDataType {
        try await flow.response(for: ()).value
    }

    /// Loads a request that needs no input, and returns the value with its headers and body; makes
    /// and parses off the caller's actor.
    ///
    /// - Throws: ``APIRequestError``, which names the stage and keeps the original error.
    @concurrent
    public func response() async throws(APIRequestError) -> APIResponse<T.ResponseDataType> {
        try await flow.response(for: ())
    }
}

// `SendableMetatype`: parsing happens in the background, which a conformance that is bound to the
// main actor cannot follow. Such a request says `nonisolated struct`, or is loaded with `load`.
extension APIRequestLoader where T: SendableMetatype {
    /// Loads and calls back, exactly once: the talk's own form.
    ///
    /// The handler is called on the `delegateQueue` of a `URLSession`, otherwise in the background,
    /// and never before this returns, unless the request could not be made: that error arrives at
    /// once. The load goes on when the loader or the returned task is dropped. The request and its
    /// output move to the background, as they do in the talk's own loader.
    ///
    /// - Parameters:
    ///   - requestData: The input of the request.
    ///   - completionHandler: Gets the value, or the original error: what your code threw, or the
    ///     `URLError`.
    /// - Returns: The load; `cancel()` ends it with `URLError.cancelled`.
    @preconcurrency
    @discardableResult
    public func loadAPIRequest(
        requestData: T.RequestDataType,
        completionHandler: @escaping @Sendable (T.ResponseDataType?, (any Error)?) -> Void
    ) -> Task<Void, Never> {
        let request: URLRequest
        do {
            request = try flow.makeRequest(from: requestData)
        } catch {
            completionHandler(nil, error.underlying)
            return Task {}
        }
        let flow = Transferred(flow)
        return Task {
            let result = Transferred(await flow.value.result(of: request))
            flow.value.deliver { completionHandler(result.value.value, result.value.error) }
        }
    }
}

/// A value that moves to the background and is used there alone, as in the talk's own loader.
private struct Transferred<Value>: @unchecked Sendable {  // One task at a time uses the value.
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
