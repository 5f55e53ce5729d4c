import APIKitLite
import Foundation

/// A session that gives every request the same response, as the mocks of many articles do.
///
/// Its tasks complete inside `resume()`. For responses that depend on the request, use a
/// ``MockNetwork``, which is a session too.
public final class MockURLSession: HTTPSession {
    /// The arguments of a completion handler: the data, the response and the error.
    public typealias Response = (data: Data?, urlResponse: URLResponse?, error: (any Error)?)

    private let answer: @Sendable (URL?) -> Response

    /// Creates a session that gives every request the same answer.
    ///
    /// - Parameter response: The data, the response and the error. A request fails with the error
    ///   if there is one, and with ``MockError`` if there is neither an error nor a response.
    public init(response: Response) {
        answer = { _ in response }
    }

    /// Creates a session that answers every request with the status 200 and the data, or with the
    /// status 404 and no data.
    ///
    /// - Parameters:
    ///   - isRequestSuccess: Whether the status is 200.
    ///   - data: The body of a 200; `{}` by default.
    public init(isRequestSuccess: Bool = true, data: Data? = Data("{}".utf8)) {
        answer = { url in
            let status = isRequestSuccess ? 200 : 404
            let response = HTTPURLResponse(
                url: url ?? .unnamed, statusCode: status, httpVersion: "HTTP/1.1", headerFields: nil
            )
            return (isRequestSuccess ? data : nil, response, nil)
        }
    }

    /// Returns a session that gives every request the same status and data.
    ///
    /// - Parameters:
    ///   - url: The URL of the response. If it is not a URL, every request fails with
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
    ///   - request: The request. It is not compared with anything.
    ///   - options: What to wait for. The body is complete in any case.
    /// - Returns: The body, and the status and headers.
    /// - Throws: The error of the session; `URLError.cancelled` when the task is cancelled;
    ///   ``MockError`` when there is neither an error nor a response; `TransportError.notHTTP` when
    ///   the response is not an `HTTPURLResponse`.
    public func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        try Task.checkNotCancelled()
        if let refusal = RequestBody.refusal(of: request) { throw refusal }
        let (data, response, error) = answer(request.url)
        if let error { throw error }
        guard let response else { throw MockError.noAnswer(request) }
        guard let http = response as? HTTPURLResponse else {
            throw TransportError.notHTTP(response.url)
        }
        return (try HTTPBody(data ?? Data()).limited(by: options), http)
    }
}

extension MockURLSession {
    /// Creates a task that sends a GET request, as a `URLSession` does.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - completionHandler: Called once with the data, the response and the error.
    /// - Returns: The task, which has not been started.
    public func dataTask(
        with url: URL, completionHandler: @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> MockURLSessionDataTask {
        dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// Creates a task that sends a request, as a `URLSession` does.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - completionHandler: Called once with the data, the response and the error, inside
    ///     `resume()`.
    /// - Returns: The task, which has not been started.
    public func dataTask(
        with request: URLRequest,
        completionHandler: @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> MockURLSessionDataTask {
        MockURLSessionDataTask(completionHandler) { [answer] in
            RequestBody.refusal(of: request).map { (nil, nil, $0) } ?? answer(request.url)
        }
    }
}

extension MockError {
    fileprivate static func noAnswer(_ request: URLRequest) -> MockError {
        MockError(
            .noAnswer,
            """
            The MockURLSession has no answer for \(request.line(redacting: .none)): it was \
            made with neither a response nor an error.
            """)
    }
}
