import Foundation

#if canImport(FoundationNetworking)

/// Delays the sender of a stream while the stream's reader is slow.
///
/// On Linux, one sender cannot be delayed separately. A task that is suspended and resumed sends
/// its request again, and receives the body from the first byte. Therefore, if many bytes are
/// unread, the delegate queue waits up to 10 ms after each piece of the body. Meanwhile, Foundation
/// receives little data for any session in the process, and calls to Foundation wait too. If such
/// calls block all threads of Swift's tasks, no reader can run. So the number of waits that may
/// time out is limited: to ten for a stream, or a hundred for a download, until its reader takes
/// bytes. For the whole process, the limit is a hundred until any reader takes bytes.
final class StreamFlowControl: Sendable {
    private struct State {
        /// The number of waits that timed out since the reader last took bytes.
        var failures = 0
        /// The semaphore, if any, that the delegate queue may be waiting for.
        var wait: DispatchSemaphore?
    }

    /// The number of unread bytes above which the delegate queue waits. A small buffer has a lower
    /// threshold.
    private static let threshold = 2 * 1024 * 1024
    /// The maximum number of waits that time out until any reader in the process takes bytes.
    private static let mostWaitsOfAll = 100
    /// The number of waits that timed out since any reader in the process last took bytes.
    private static let failures = Locked(0)

    private let mostWaits: Int
    private let failuresOfAll: Locked<Int>
    private let wait: @Sendable (DispatchSemaphore) -> DispatchTimeoutResult
    private let state = Locked(State())

    /// - Parameter waitsForReader: Whether the reader always reads again soon, as a download does.
    init(
        waitsForReader: Bool, failuresOfAll: Locked<Int> = StreamFlowControl.failures,
        wait: @escaping @Sendable (DispatchSemaphore) -> DispatchTimeoutResult = {
            $0.wait(timeout: .now() + .milliseconds(10))
        }
    ) {
        mostWaits = waitsForReader ? Self.mostWaitsOfAll : 10
        self.failuresOfAll = failuresOfAll
        self.wait = wait
    }

    /// Does nothing, because the task is never suspended.
    func control(_ task: URLSessionTask) {}

    /// Waits for the reader if needed. Call this on the delegate queue after a piece is added to
    /// the buffer.
    func didAppend(to buffer: BodyBuffer) {
        guard buffer.holdsMany(Self.threshold) else { return }
        let semaphore = DispatchSemaphore(value: 0)
        let mayWait = state.withLock { state in
            state.wait = semaphore
            return state.failures < mostWaits && failuresOfAll.withLock { $0 < Self.mostWaitsOfAll }
        }
        // The reader may have taken all bytes before the semaphore was stored.
        guard mayWait, buffer.holdsMany(Self.threshold), wait(semaphore) == .timedOut else {
            return
        }
        state.withLock { $0.failures += 1 }
        failuresOfAll.next()
    }

    /// Ends a wait. Call this when the reader has taken bytes or has stopped reading.
    func didTake(from buffer: BodyBuffer) {
        failuresOfAll.withLock { $0 = 0 }
        let wait = state.withLock { state in
            state.failures = 0
            return state.wait.take()
        }
        wait?.signal()
    }
}
#else

/// Delays the sender of a stream while the stream's reader is slow. The task is suspended while
/// many bytes are unread, and resumed when fewer bytes are unread.
final class StreamFlowControl: @unchecked Sendable {  // `task` is set before the task starts.
    /// The number of unread bytes above which the task is suspended. A small buffer has a lower
    /// threshold.
    private static let threshold = 1024 * 1024

    private var task: URLSessionTask?
    private let isSuspended = Locked(false)

    init(waitsForReader: Bool) {}

    func control(_ task: URLSessionTask) { self.task = task }

    func didTake(from buffer: BodyBuffer) { didAppend(to: buffer) }

    func didAppend(to buffer: BodyBuffer) {
        // The lock orders the calls, so that the last call uses the newest count.
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
    /// Returns whether the unread bytes exceed a threshold, or half of the buffer's limit if that
    /// is less.
    fileprivate func holdsMany(_ threshold: Int) -> Bool {
        count > min(threshold, limit / 2)
    }
}
