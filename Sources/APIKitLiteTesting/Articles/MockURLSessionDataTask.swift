import APIKitLite
import Foundation

/// A data task of a ``MockURLSession``.
public final class MockURLSessionDataTask: @unchecked Sendable {  // `lock` guards `completion`.
    private let lock = NSLock()
    private var completion: ((Data?, URLResponse?, (any Error)?) -> Void)?
    private let answer: () -> MockURLSession.Response

    init(
        _ completion: @escaping (Data?, URLResponse?, (any Error)?) -> Void,
        answer: @escaping () -> MockURLSession.Response
    ) {
        self.completion = completion
        self.answer = answer
    }

    /// Starts the task. Calling it again, or after ``cancel()``, does nothing.
    public func resume() {
        guard let completion = takeCompletion() else { return }
        let (data, response, error) = answer()
        completion(data, response, error)
    }

    /// Cancels the task. If it is pending, its completion handler receives `URLError.cancelled`.
    public func cancel() {
        takeCompletion()?(nil, nil, URLError(.cancelled))
    }

    /// Removes and returns the closure, so that it is called only once.
    private func takeCompletion() -> ((Data?, URLResponse?, (any Error)?) -> Void)? {
        lock.withLock {
            defer { completion = nil }
            return completion
        }
    }
}
