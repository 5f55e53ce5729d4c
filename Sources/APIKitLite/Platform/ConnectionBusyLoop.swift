#if canImport(FoundationNetworking)
import Foundation

/// Stops the busy loop in which Foundation on Linux (up to Swift 6.3) waits for a response.
///
/// While libcurl connects, it waits for the socket to become writable. Foundation keeps watching
/// for writability when libcurl later asks only to read (`_SocketSources` in `MultiHandle.swift`),
/// and a connected socket is nearly always writable. So one pending request on a new connection
/// keeps a core busy until libcurl tells Foundation to stop watching the socket. libcurl does this
/// when a transfer is paused.
///
/// Each long transfer is therefore paused and immediately resumed, unless the transfer is sending.
/// The pauses are repeated, because a pause has no effect while libcurl connects, and because
/// another request over HTTP/2 starts a new loop. All these transfers are paused before the first
/// one is resumed, because transfers over HTTP/2 share a socket.
///
/// The loop was observed with Swift 6.3.1 and libcurl 7.88.1: see `Transfer`. This workaround is
/// unnecessary once Foundation removes the write source in `_SocketSources.createSources`.
final class ConnectionBusyLoop:
    @unchecked Sendable  // The variables are used under `watched`'s lock or on the timer's queue.
{
    private static let watched = Locked<[ObjectIdentifier: ConnectionBusyLoop]>([:])

    private weak var session: URLSession?
    /// Fires on the session's serial queue, where Foundation uses and frees the session's
    /// transfers.
    private let timer: any DispatchSourceTimer
    private var schedule = LookSchedule(.now())  // Used under the lock.
    /// The number of body bytes that each transfer had sent at the last check. Only `check()`, on
    /// the timer's queue, uses these numbers.
    private var sentCounts: [UnsafeMutableRawPointer: Double] = [:]

    /// Checks a session's transfers repeatedly as long as the session has tasks. Call this before
    /// each task is created.
    static func watch(_ session: URLSession) {
        let key = ObjectIdentifier(session)
        watched.withLock { watched in
            // A released session may have had the same address.
            if let watch = watched[key], watch.session === session {
                if watch.schedule.didStart(.now()) { watch.setTimer() }
            } else {
                watched[key] = ConnectionBusyLoop(of: session)
            }
        }
    }

    private init?(of session: URLSession) {
        guard let queue = session.transferQueue else { return nil }
        self.session = session
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [self] in check() }  // Cancelling the timer releases `self`.
        setTimer()
        timer.activate()
    }

    private func setTimer() { timer.schedule(deadline: schedule.next) }

    private func check() {
        let transfers = session.map { Transfer.all(of: $0).filter { !$0.isPaused } } ?? []
        // Transfers that are new or still sending are skipped. Over HTTP/2, a body is sent more
        // slowly after a pause.
        let waiting = transfers.filter { $0.sentCount == sentCounts[$0.handle] }
        for transfer in transfers { transfer.limitBody() }
        sentCounts = transfers.reduce(into: [:]) { $0[$1.handle] = $1.sentCount }
        for isPaused in [true, false] {
            for transfer in waiting { transfer.setPaused(isPaused) }
        }
        Self.watched.withLock { watched in
            schedule.didLook(.now(), at: transfers.count)
            // A task that waits for the session's cache has no transfer yet. The thread that called
            // `watch` may still be about to create its task.
            if schedule.checkCount > 5, session?.hasTasks != true {
                timer.cancel()
                watched = watched.filter { $0.value !== self }
            } else {
                setTimer()
            }
        }
    }
}

/// When the transfers are checked: soon after the start of a task, then less and less often.
///
/// A check takes about 25 µs per transfer. Checks use at most about 1% of the queue's time, or 5% if
/// tasks are started often.
struct LookSchedule {
    private static let firstDelay = 25  // milliseconds

    /// When the next check is due.
    private(set) var next: DispatchTime
    /// The number of checks since a task was last started.
    private(set) var checkCount = 0
    private var earliest: DispatchTime

    init(_ now: DispatchTime) {
        (next, earliest) = (now + .milliseconds(Self.firstDelay), now)
    }

    /// Records the start of a task. Returns whether the start changes the time of the next check.
    mutating func didStart(_ now: DispatchTime) -> Bool {
        guard checkCount > 0 else { return false }
        checkCount = 0
        next = max(earliest, now + .milliseconds(Self.firstDelay))
        return true
    }

    mutating func didLook(_ now: DispatchTime, at transferCount: Int) {
        checkCount += 1
        earliest = now + .microseconds(500 * transferCount)
        next = now + .milliseconds(max(Self.firstDelay << min(checkCount, 5), 2 * transferCount))
    }
}
#endif
