import APIKitLite
import Foundation

/// A session that returns the same response to every request, as many hand-written mocks do.
///
/// The session's tasks complete inside `resume()` or `cancel()`. For responses that depend on the
/// request, use a ``MockNetwork``, which is also a session.
public final class MockURLSession: HTTPSession {
    /// The arguments of a completion handler: the data, the response and the error.
    public typealias Response = (data: Data?, urlResponse: URLResponse?, error: (any Error)?)

    private let makeResponse: @Sendable (URL?) -> Response

    /// Creates a session that returns the same response to every request.
    ///
    /// - Parameter response: The data, the response and the error. If there is an error, requests
    ///   fail with that error. If there is neither an error nor a response, `send` throws
    ///   ``MockError``.
    public init(response: Response) {
        makeResponse = { _ in response }
    }

    /// Creates a session that returns either status 200 with the data, or status 404 without data.
    ///
    /// - Parameters:
    ///   - isRequestSuccess: Whether the status is 200.
    ///   - data: The body of a response with status 200; `{}` by default.
    public init(isRequestSuccess: Bool = true, data: Data? = Data("{}".utf8)) {
        makeResponse = { url in
            let response = HTTPURLResponse.http(url ?? .unnamed, isRequestSuccess ? 200 : 404)
            return (isRequestSuccess ? data : nil, response, nil)
        }
    }

    /// Creates a session that returns the same status and data for every request.
    ///
    /// - Parameters:
    ///   - url: The URL of the response. If the URL is invalid, every request fails with
    ///     `URLError.badURL`.
    ///   - data: The body.
    ///   - statusCode: The HTTP status.
    public static func make(url: String, data: Data?, statusCode: Int) -> MockURLSession {
        guard let url = URL(string: url) else {
            return MockURLSession(response: (nil, nil, URLError(.badURL)))
        }
        let response = HTTPURLResponse(
            url: url, statusCode: statusCode, httpVersion: "HTTP/1.1", headerFields: nil)
        return MockURLSession(response: (data, response, nil))
    }

    /// Returns the fixed response.
    ///
    /// - Parameters:
    ///   - request: The request, which does not affect the status or the body.
    ///   - options: What to wait for. The body is always complete.
    /// - Returns: The body, with the status and headers.
    /// - Throws: The session's error; `URLError.cancelled` if the task is cancelled; another
    ///   `URLError` for a GET request with a body; ``MockError`` if there is neither an error nor a
    ///   response; `TransportError` if the response is not HTTP or its body is too large.
    public func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        try Task.checkNotCancelled()
        return try await ClosureSession { [self] request in
            let (data, response, error) = response(to: request)
            if let error { throw error }
            guard let response else {
                throw MockError(
                    """
                    The MockURLSession has no response for \(request.line(redacting: .none)): it \
                    was made with neither a response nor an error.
                    """)
            }
            return (data ?? Data(), response)
        }.send(request, awaiting: options)
    }

    private func response(to request: URLRequest) -> Response {
        RequestBody.refusal(of: request).map { (nil, nil, $0) } ?? makeResponse(request.url)
    }
}

extension MockURLSession {
    /// Creates a task for a GET request, as a `URLSession` does.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - completionHandler: A closure that is called once with the data, the response and the
    ///     error.
    /// - Returns: The task, not yet started.
    public func dataTask(
        with url: URL, completionHandler: @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> MockURLSessionDataTask {
        dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// Creates a task for a request, as a `URLSession` does.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - completionHandler: A closure that is called once with the data, the response and the
    ///     error, inside `resume()` or `cancel()`.
    /// - Returns: The task, not yet started.
    public func dataTask(
        with request: URLRequest,
        completionHandler: @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> MockURLSessionDataTask {
        MockURLSessionDataTask(completionHandler) { [self] in response(to: request) }
    }
}

/// A data task of a ``MockURLSession``.
public final class MockURLSessionDataTask: @unchecked Sendable {  // `lock` guards `completion`.
    private let lock = NSLock()
    private var completion: ((Data?, URLResponse?, (any Error)?) -> Void)?
    private let makeResponse: () -> MockURLSession.Response

    init(
        _ completion: @escaping (Data?, URLResponse?, (any Error)?) -> Void,
        makeResponse: @escaping () -> MockURLSession.Response
    ) {
        self.completion = completion
        self.makeResponse = makeResponse
    }

    /// Starts the task. Calling this method again, or after ``cancel()``, does nothing.
    public func resume() { complete(with: makeResponse) }

    /// Cancels the task. If the task is pending, its completion handler receives
    /// `URLError.cancelled`.
    public func cancel() { complete { (nil, nil, URLError(.cancelled)) } }

    /// Calls the completion handler, unless it has been called.
    private func complete(with makeResponse: () -> MockURLSession.Response) {
        guard let completion = lock.withLock({ completion.take() }) else { return }
        let (data, response, error) = makeResponse()
        completion(data, response, error)
    }
}
