import APIKitLite
import Foundation

/// A mock session that contains no `URLSession`. It answers from the stubs of a network, or gives
/// every request one fixed answer.
///
/// It is faster than a mocked `URLSession`, and it works where a custom `URLProtocol` does not, as
/// on watchOS.
public final class MockURLSession: HTTPSession, NetworkSession {
    /// The arguments of a completion handler: the data, the response and the error.
    public typealias Response = (data: Data?, urlResponse: URLResponse?, error: (any Error)?)

    private enum Source: Sendable {
        case network(NetworkCore)
        case fixed(@Sendable (URL?) -> Response)
    }

    private let source: Source

    var core: NetworkCore? { if case .network(let core) = source { core } else { nil } }

    /// Creates a session that answers from the stubs of a network.
    ///
    /// - Parameter network: The network, which records every request. The session keeps its stubs
    ///   alive.
    public init(_ network: MockNetwork) {
        source = .network(network.core)
    }

    /// Creates a session that gives every request the same answer.
    ///
    /// - Parameter response: The data, the response and the error. A request fails with the error
    ///   if there is one, and with ``MockError`` if there is neither an error nor a response.
    public init(response: Response) {
        source = .fixed { _ in response }
    }

    /// Creates a session that answers every request with the status 200 and the data, or with the
    /// status 404 and no data.
    ///
    /// - Parameters:
    ///   - isRequestSuccess: Whether the status is 200.
    ///   - data: The body of a 200; `{}` by default.
    public init(isRequestSuccess: Bool = true, data: Data? = Data("{}".utf8)) {
        source = .fixed { url in
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

    /// Answers a request.
    ///
    /// With a network, it follows redirects and stores cookies as a `URLSession` does, and the pieces
    /// of a stream follow as the stub gives them. A fixed answer is complete.
    ///
    /// - Parameters:
    ///   - request: The request to answer.
    ///   - options: What to wait for: the whole response, or its headers.
    /// - Returns: The body, and the status and headers.
    /// - Throws: The error of the fixed answer, of the stub or of its handler; `URLError.cancelled`
    ///   when the task is cancelled; `URLError.httpTooManyRedirects`; ``MockError`` when there is
    ///   no answer; `TransportError.notHTTP` when the fixed response is not an `HTTPURLResponse`;
    ///   the stream's own error when the body of the request cannot be read.
    public func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        try Task.checkNotCancelled()
        switch source {
        case .fixed(let answer):
            if let refusal = RequestBody.refusal(of: request) { throw refusal }
            let (data, response, error) = answer(request.url)
            if let error { throw error }
            guard let response else { throw MockError.noAnswer(request) }
            guard let http = response as? HTTPURLResponse else {
                throw TransportError.notHTTP(response.url)
            }
            return (try HTTPBody(data ?? Data()).limited(by: options), http)
        case .network(let core):
            if let limit = options.bufferLimit {
                return try await core.stream(request, options, buffering: limit)
            }
            let (body, response) = try await core.exchange(request, options)
            return (try HTTPBody(body).limited(by: options), response)
        }
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
    ///   - completionHandler: Called once with the data, the response and the error: inside
    ///     `resume()` if the answer is fixed, and later if it comes from a network.
    /// - Returns: The task, which has not been started.
    public func dataTask(
        with request: URLRequest,
        completionHandler: @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> MockURLSessionDataTask {
        switch source {
        case .fixed(let answer):
            MockURLSessionDataTask(completionHandler) { task in
                let refusal = RequestBody.refusal(of: request)
                task.complete(refusal.map { (nil, nil, $0) } ?? answer(request.url))
            }
        case .network(let core):
            MockURLSessionDataTask(completionHandler) { task in
                task.work.fill(
                    with:
                        Task {
                            do {
                                let (body, response) = try await core.exchange(request)
                                task.complete((body, response, nil))
                            } catch {
                                task.complete((nil, nil, error))
                            }
                        })
            }
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
