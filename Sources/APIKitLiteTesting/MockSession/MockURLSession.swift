import APIKitLite
import Foundation

/// A session without a URLSession inside: it answers from a network's stubs, or always the same.
///
/// Faster than a mocked URLSession, and it works where custom protocols do not, as on watchOS.
/// Handlers run in the caller's task.
public final class MockURLSession: HTTPSession {
    /// What a completion handler gets: the data, the response, the error.
    public typealias Response = (data: Data?, urlResponse: URLResponse?, error: (any Error)?)

    private enum Source: Sendable {
        case network(NetworkCore)
        case fixed(@Sendable (URL?) -> Response)
    }

    private let source: Source

    /// Answers from the stubs of a network, and records what comes there.
    public init(_ network: MockNetwork) {
        source = .network(network.core)
    }

    /// Gives every request the same answer.
    public init(response: Response) {
        source = .fixed { _ in response }
    }

    /// Answers every request with a 200 and the data, or with a 404 and none.
    public init(isRequestSuccess: Bool = true, data: Data? = Data("{}".utf8)) {
        source = .fixed { url in
            let status = isRequestSuccess ? 200 : 404
            let response = HTTPURLResponse(
                url: url ?? .unnamed, statusCode: status, httpVersion: "HTTP/1.1", headerFields: nil
            )
            return (isRequestSuccess ? data : nil, response, nil)
        }
    }

    /// Gives every request a status and data under one URL. A string that is no URL makes every
    /// request fail with `URLError.badURL`.
    public static func make(url: String, data: Data?, statusCode: Int) -> MockURLSession {
        guard let url = URL(string: url) else {
            return MockURLSession(response: (nil, nil, URLError(.badURL)))
        }
        let response = HTTPURLResponse(
            url: url, statusCode: statusCode, httpVersion: "HTTP/1.1", headerFields: nil)
        return MockURLSession(response: (data, response, nil))
    }

    /// Answers a request; redirects and cookies work as over a network.
    ///
    /// - Throws: The error of a fixed answer, of a stub or of its handler; `URLError.cancelled`;
    ///   ``MockError`` where there is no answer.
    public func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try Task.checkNotCancelled()
        switch source {
        case .fixed(let answer):
            let (data, response, error) = answer(request.url)
            if let error { throw error }
            guard let response else { throw MockError.noAnswer(request) }
            guard let http = response as? HTTPURLResponse else {
                throw NotAnHTTPResponseError(url: response.url)
            }
            return (data ?? Data(), http)
        case .network(let core):
            let answer = try await core.exchange(request)
            return (answer.body, answer.response)
        }
    }
}

extension MockURLSession {
    /// A task for a URL, as a `URLSession` makes it.
    public func dataTask(
        with url: URL, completionHandler: @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> MockURLSessionDataTask {
        dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// A task for a request, as a `URLSession` makes it.
    ///
    /// A fixed answer calls the handler inside `resume()`, once; a network's calls it later.
    public func dataTask(
        with request: URLRequest,
        completionHandler: @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> MockURLSessionDataTask {
        switch source {
        case .fixed(let answer):
            MockURLSessionDataTask(completionHandler) { task in task.complete(answer(request.url)) }
        case .network(let core):
            MockURLSessionDataTask(completionHandler) { task in
                task.keep(
                    Task {
                        do {
                            let answer = try await core.exchange(request)
                            task.complete((answer.body, answer.response, nil))
                        } catch {
                            task.complete((nil, nil, error))
                        }
                    })
            }
        }
    }
}

/// A task of a ``MockURLSession``.
public final class MockURLSessionDataTask: @unchecked Sendable {  // Variables under `lock`.
    private typealias Completion = (Data?, URLResponse?, (any Error)?) -> Void

    private let lock = NSLock()
    private var completion: Completion?
    private var start: ((MockURLSessionDataTask) -> Void)?
    private var work: Task<Void, Never>?

    fileprivate init(
        _ completion: @escaping (Data?, URLResponse?, (any Error)?) -> Void,
        start: @escaping (MockURLSessionDataTask) -> Void
    ) {
        self.completion = completion
        self.start = start
    }

    /// Starts the task. The second time, it does nothing.
    public func resume() {
        let start = lock.withLock {
            defer { self.start = nil }
            return self.start
        }
        start?(self)
    }

    /// Ends a task that is not complete: its handler gets `URLError.cancelled`.
    public func cancel() {
        let (completion, work) = lock.withLock {
            defer { (self.completion, start) = (nil, nil) }
            return (self.completion, self.work)
        }
        work?.cancel()
        completion?(nil, nil, URLError(.cancelled))
    }

    /// Keeps what makes the answer, for `cancel()`, which may have come in between.
    fileprivate func keep(_ work: Task<Void, Never>) {
        let isOver = lock.withLock {
            self.work = work
            return completion == nil
        }
        if isOver { work.cancel() }
    }

    fileprivate func complete(_ response: MockURLSession.Response) {
        let completion = lock.withLock {
            defer { self.completion = nil }
            return self.completion
        }
        completion?(response.data, response.urlResponse, response.error)
    }
}

extension MockError {
    fileprivate static func noAnswer(_ request: URLRequest) -> MockError {
        MockError(
            .noAnswer,
            """
            The MockURLSession has no answer for \(request.line): it was made with neither a \
            response nor an error.
            """)
    }
}
