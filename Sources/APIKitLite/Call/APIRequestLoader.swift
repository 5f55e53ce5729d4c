import Foundation

/// A loader that makes and sends the requests of one ``APIRequest``, and validates and parses the
/// responses.
///
/// ```swift
/// let loader = APIRequestLoader(apiRequest: UserRequest(baseURL: baseURL))
/// let user = try await loader.load(42)
/// ```
///
/// In a test, pass a mock's session. The rest of the code stays the same. The loader comes from
/// WWDC 2018 session 417. You do not need a loader for each request, because a session loads any
/// request: `session.load(UserRequest(baseURL: baseURL), 42)`.
public final class APIRequestLoader<T: APIRequest> {
    /// The request that this loader loads.
    public let apiRequest: T

    /// The session that sends the loader's requests.
    public let urlSession: any HTTPSession
    private let parsing = NSLock()

    /// Creates a loader that sends its requests over a `URLSession`.
    ///
    /// - Parameters:
    ///   - apiRequest: The request to load.
    ///   - urlSession: The session that sends the request.
    public init(apiRequest: T, urlSession: URLSession = .shared) {
        self.apiRequest = apiRequest
        self.urlSession = urlSession
    }

    /// Creates a loader that sends its requests over any session.
    ///
    /// - Parameters:
    ///   - apiRequest: The request to load.
    ///   - urlSession: The session that sends the request, such as a chain of policies or a mock.
    public init(apiRequest: T, urlSession: any HTTPSession) {
        self.apiRequest = apiRequest
        self.urlSession = urlSession
    }

    /// Loads a request that is not `Sendable`, or whose input is not, and returns the parsed value.
    ///
    /// Runs `makeRequest` and `parseResponse` on the caller's actor.
    ///
    /// - Throws: ``APIRequestError`` if a stage fails.
    public nonisolated(nonsending) func load(_ requestData: T.RequestDataType)
        async throws(APIRequestError)
        -> T.ResponseDataType
    {
        try await response(for: requestData).value
    }

    /// Loads a request that is not `Sendable`, or whose input is not, and returns the parsed value
    /// and its response.
    ///
    /// Runs `makeRequest` and `parseResponse` on the caller's actor.
    ///
    /// - Throws: ``APIRequestError`` if a stage fails.
    public nonisolated(nonsending) func response(for requestData: T.RequestDataType)
        async throws(APIRequestError)
        -> APIResponse<T.ResponseDataType>
    {
        try await urlSession.response(apiRequest, for: requestData)
    }
}

extension APIRequestLoader: Sendable where T: Sendable {}

extension APIRequestLoader where T: Sendable, T.RequestDataType: Sendable {
    /// Loads the request and returns the parsed value.
    ///
    /// Runs `makeRequest` and `parseResponse` off the caller's actor.
    ///
    /// - Throws: ``APIRequestError`` if a stage fails, with the stage and the original error.
    @concurrent
    public func load(_ requestData: T.RequestDataType) async throws(APIRequestError)
        -> sending T.ResponseDataType
    {
        try await response(for: requestData).value
    }

    /// Loads the request and returns the parsed value and its response.
    ///
    /// Runs `makeRequest` and `parseResponse` off the caller's actor.
    ///
    /// - Throws: ``APIRequestError`` if a stage fails, with the stage and the original error.
    @concurrent
    public func response(for requestData: T.RequestDataType) async throws(APIRequestError)
        -> sending APIResponse<T.ResponseDataType>
    {
        try await urlSession.response(apiRequest, for: requestData)
    }
}

// The request is `SendableMetatype` because parsing runs in the background, where a conformance
// that is isolated to the main actor cannot be used. Declare a request type with such a conformance
// as a `nonisolated struct`, or use `load(_:)`.
extension APIRequestLoader where T: SendableMetatype {
    /// Loads the request and calls the completion handler exactly once.
    ///
    /// This is the function from WWDC 2018 session 417.
    ///
    /// The handler is called on the `delegateQueue` of a `URLSession`, or in the background for any
    /// other session. There is one exception: if the request cannot be made, the handler is called
    /// with the error before this method returns. The load continues even if the loader or the
    /// returned task is released.
    ///
    /// The request and its output need not be `Sendable`. Validating and parsing run in the
    /// background, one response of this loader at a time. The compiler does not check that the
    /// request and output are safe to use there. `makeRequest` runs before this method returns,
    /// even while an earlier response is parsed.
    ///
    /// - Parameters:
    ///   - requestData: The input of the request.
    ///   - completionHandler: The function to call with the parsed value, or with the original
    ///     error: see ``APIRequestError/underlying``.
    /// - Returns: The task of the load. Its `cancel()` makes the load fail with
    ///   `URLError.cancelled`.
    @preconcurrency
    @discardableResult
    public func loadAPIRequest(
        requestData: T.RequestDataType,
        completionHandler: @escaping @Sendable (T.ResponseDataType?, (any Error)?) -> Void
    ) -> Task<Void, Never> {
        let request: URLRequest
        do {
            request = try apiRequest.makeRequest(from: requestData)
        } catch {
            completionHandler(nil, (error as? APIRequestError)?.underlying ?? error)
            return Task {}
        }
        let queue = (urlSession as? URLSession)?.delegateQueue
        nonisolated(unsafe) let apiRequest = apiRequest  // `parsing` is held while it is used.
        return Task { @Sendable [urlSession, parsing] in
            var load = Load(apiRequest, over: urlSession)
            load.check = { data, response in
                try parsing.withLock {
                    try apiRequest.validateResponse(data: data, response: response)
                }
            }
            nonisolated(unsafe) let result: (T.ResponseDataType?, (any Error)?)  // Used once.
            do throws(APIRequestError) {
                let response = try await load.response(to: request) { data, response in
                    try parsing.withLock {
                        try apiRequest.parseResponse(data: data, response: response)
                    }
                }
                result = (response.value, nil)
            } catch {
                result = (nil, error.underlying)
            }
            let complete: @Sendable () -> Void = { completionHandler(result.0, result.1) }
            if let queue { queue.addOperation(complete) } else { complete() }
        }
    }
}
