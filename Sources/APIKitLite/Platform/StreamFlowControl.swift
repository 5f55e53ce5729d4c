import Foundation

#if canImport(FoundationNetworking)

/// Delays the sender of a stream while its reader is slow.
///
/// On Linux, one sender cannot be delayed: a task that is suspended and resumed sends its request
/// again, and gets the body from its first byte. So the delegate queue waits for the reader. While
/// it waits, Foundation receives little for any session of the process, so the waits are short:
/// 10 ms each, and ten of them until the reader asks for something. For a reader that always comes
/// back, such as a download, there are up to a thousand.
final class StreamFlowControl: Sendable {
    private struct State {
        /// The number of waits without success since the reader asked for something.
        var failures = 0
        /// The wait of the delegate queue, if it waits.
        var wait: DispatchSemaphore?
    }

    /// The number of waiting bytes from which the delegate queue waits, unless the buffer is small.
    private static let threshold = 2 * 1024 * 1024
    private static let duration = DispatchTimeInterval.milliseconds(10)
    private let mostWaits: Int
    private let state = Locked(State())

    init(waitsForReader: Bool) {
        mostWaits = waitsForReader ? 1_000 : 10
    }

    /// Does nothing: the task is never suspended.
    func control(_ task: URLSessionTask) {}

    /// Call it on the delegate queue after a piece was added.
    func didAppend(to buffer: BodyBuffer) {
        while buffer.holdsMany(Self.threshold) {
            let wait = DispatchSemaphore(value: 0)
            let mayWait = state.withLock { state in
                state.wait = wait
                return state.failures < mostWaits
            }
            // The reader may have taken everything before the wait was stored.
            guard mayWait, buffer.holdsMany(Self.threshold) else { return }
            if wait.wait(timeout: .now() + Self.duration) == .timedOut {
                state.withLock { $0.failures += 1 }
            }
        }
    }

    /// Call it when the reader has taken bytes or has left.
    func didTake(from buffer: BodyBuffer) {
        let wait = state.withLock { state in
            state.failures = 0
            defer { state.wait = nil }
            return state.wait
        }
        wait?.signal()
    }
}
#else

/// Delays the sender of a stream while its reader is slow: the task is suspended while many bytes
/// wait, and resumed when they have been taken.
final class StreamFlowControl: @unchecked Sendable {  // `task` is set before the task starts.
    /// The number of waiting bytes from which the task is suspended, unless the buffer is small.
    private static let threshold = 1024 * 1024

    private var task: URLSessionTask?
    private let isSuspended = Locked(false)

    init(waitsForReader: Bool) {}

    func control(_ task: URLSessionTask) { self.task = task }

    func didTake(from buffer: BodyBuffer) { didAppend(to: buffer) }

    func didAppend(to buffer: BodyBuffer) {
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
    /// Whether the waiting bytes exceed a number, or half of the limit.
    fileprivate func holdsMany(_ threshold: Int) -> Bool {
        count > min(threshold, limit / 2)
    }
}
