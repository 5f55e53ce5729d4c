import Foundation

/// A data task of a ``MockURLSession``.
public final class MockURLSessionDataTask: @unchecked Sendable {  // `lock` owns all variables.
    private typealias Completion = (Data?, URLResponse?, (any Error)?) -> Void

    private let lock = NSLock()
    private var completion: Completion?
    private var start: ((MockURLSessionDataTask) -> Void)?
    /// The exchange with a network; `nil` for a fixed answer.
    private var work: Task<Void, Never>?

    init(
        _ completion: @escaping (Data?, URLResponse?, (any Error)?) -> Void,
        start: @escaping (MockURLSessionDataTask) -> Void
    ) {
        self.completion = completion
        self.start = start
    }

    /// Starts the task. A second call does nothing, and neither does a call after ``cancel()``.
    public func resume() {
        let start = lock.withLock {
            defer { self.start = nil }
            return self.start
        }
        start?(self)
    }

    /// Cancels the task. If it is not complete, its completion handler gets `URLError.cancelled`.
    public func cancel() {
        let (completion, work) = lock.withLock {
            defer { (self.completion, start) = (nil, nil) }
            return (self.completion, self.work)
        }
        work?.cancel()
        completion?(nil, nil, URLError(.cancelled))
    }

    /// Keeps the exchange, so that `cancel()` can cancel it. If that was called before, cancels the
    /// exchange immediately.
    func keep(_ work: Task<Void, Never>) {
        let isOver = lock.withLock {
            self.work = work
            return completion == nil
        }
        if isOver { work.cancel() }
    }

    /// Calls the completion handler, unless it was called before.
    func complete(_ response: MockURLSession.Response) {
        let completion = lock.withLock {
            defer { self.completion = nil }
            return self.completion
        }
        completion?(response.data, response.urlResponse, response.error)
    }
}
