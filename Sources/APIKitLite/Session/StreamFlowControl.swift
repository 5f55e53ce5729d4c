import Foundation

#if canImport(FoundationNetworking)

/// The means by which a slow reader delays the sender of a stream.
///
/// On Linux, one sender cannot be delayed: a task that is suspended and resumed sends its request
/// again, and gets the body from its first byte. So the delegate queue waits for a reader that is
/// only late. While it waits, Foundation receives little for any session of the process, so the
/// waits are short: 10 ms each, and ten of them until the reader takes something. For a reader that
/// always comes back, such as a download, there are up to a thousand.
final class StreamFlowControl: Sendable {
    /// The number of waiting bytes from which the delegate queue waits, unless the buffer is small.
    private static let threshold = 2 * 1024 * 1024
    private static let wait = DispatchTimeInterval.milliseconds(10)
    private let mostWaits = BodyBuffer.hasSteadyReader ? 1_000 : 10

    private let taken = DispatchSemaphore(value: 0)
    /// The number of waits without success since the reader took something.
    private let failures = Locked(0)

    /// Call it on the delegate queue after a piece was added.
    func didAppend(to buffer: BodyBuffer) {
        while buffer.holdsMany(Self.threshold), failures.withLock({ $0 < mostWaits }) {
            if taken.wait(timeout: .now() + Self.wait) == .timedOut {
                failures.withLock { $0 += 1 }
            }
        }
    }

    /// Call it when the reader has taken what waited.
    func didTake(from buffer: BodyBuffer) {
        failures.withLock { $0 = 0 }
        taken.signal()
    }
}
#else

/// The means by which a slow reader delays the sender of a stream: its task is suspended while many
/// bytes wait, and resumed when they have been taken.
final class StreamFlowControl: @unchecked Sendable {  // `task` is set before the task starts.
    /// The number of waiting bytes from which the task is suspended, unless the buffer is small.
    /// Foundation has received more then, and delivers it later.
    private static let threshold = 1024 * 1024

    var task: URLSessionTask?
    private let isSuspended = Locked(false)

    /// Call it on the delegate queue after a piece was added.
    func didAppend(to buffer: BodyBuffer) {
        adjust(to: buffer)
    }

    /// Call it when the reader has taken what waited.
    func didTake(from buffer: BodyBuffer) {
        adjust(to: buffer)
    }

    private func adjust(to buffer: BodyBuffer) {
        // The lock orders the calls: the last one uses the newest count.
        isSuspended.withLock { isSuspended in
            let mustWait = buffer.holdsMany(Self.threshold)
            guard mustWait != isSuspended else { return }
            isSuspended = mustWait
            mustWait ? task?.suspend() : task?.resume()
        }
    }
}
#endif

extension BodyBuffer {
    /// Whether more bytes wait than a number, or than half of those that may wait.
    fileprivate func holdsMany(_ threshold: Int) -> Bool {
        count > min(threshold, limit / 2)
    }
}
