import APIKitLite
import Foundation

/// A data task of a ``MockURLSession``.
public final class MockURLSessionDataTask: @unchecked Sendable {  // `lock` owns all variables.
    private let lock = NSLock()
    private var completion: ((Data?, URLResponse?, (any Error)?) -> Void)?
    private var start: ((MockURLSessionDataTask) -> Void)?
    /// The exchange with a network; empty for a fixed answer.
    let work = TaskSlot()

    init(
        _ completion: @escaping (Data?, URLResponse?, (any Error)?) -> Void,
        start: @escaping (MockURLSessionDataTask) -> Void
    ) {
        self.completion = completion
        self.start = start
    }

    /// Starts the task. A second call does nothing, and neither does a call after ``cancel()``.
    public func resume() {
        take(\.start)?(self)
    }

    /// Cancels the task. If it is not complete, its completion handler gets `URLError.cancelled`.
    public func cancel() {
        _ = take(\.start)
        let completion = take(\.completion)
        work.cancel()
        completion?(nil, nil, URLError(.cancelled))
    }

    /// Calls the completion handler, unless it was called before.
    func complete(_ response: MockURLSession.Response) {
        take(\.completion)?(response.data, response.urlResponse, response.error)
    }

    /// Removes and returns a closure, so that it is called once.
    private func take<Closure>(
        _ closure: ReferenceWritableKeyPath<MockURLSessionDataTask, Closure?>
    ) -> Closure? {
        lock.withLock {
            defer { self[keyPath: closure] = nil }
            return self[keyPath: closure]
        }
    }
}
